"""How Celery behaves here: it carries ids, and may lose any message, for Postgres is the ledger."""

from kombu import Queue

from schemas.settings import Settings
from schemas.work import QUEUES
from workers.addresses import addresses

_settings = Settings()

imports = ("tasks.ingest", "tasks.patrol", "tasks.shadow", "tasks.rolling", "tasks.session_close", "tasks.upkeep")

broker_url = addresses(_settings).broker_url
broker_connection_retry_on_startup = True
broker_transport_options = {
    # Above every time limit: a message must not come twice while its first worker still works.
    "visibility_timeout": 3600,
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 20,
    # Whoever rings while Redis is away gives up soon, for the sweep will; workers go on trying to reach it regardless.
    "max_retries": 1,
    "interval_start": 0.2,
}
# Opened as they are needed.
broker_pool_limit = 20

task_queues = [Queue(name) for name in QUEUES]
task_default_queue = "upkeep"
task_create_missing_queues = False

task_serializer = "json"
accept_content = ["json"]
task_ignore_result = True
task_store_errors_even_if_ignored = False

task_acks_late = True
task_reject_on_worker_lost = True
worker_prefetch_multiplier = 1
worker_cancel_long_running_tasks_on_connection_loss = False
task_soft_time_limit = 900
task_time_limit = 960

worker_send_task_events = True
worker_hijack_root_logger = False
enable_utc = True

beat_schedule = {
    "sweep": {
        "task": "upkeep.sweep",
        "schedule": _settings.sweep_every,
        "options": {"queue": "upkeep", "expires": 10 * _settings.sweep_every},
    },
    "ticks": {"task": "upkeep.ticks", "schedule": 30.0, "options": {"queue": "upkeep", "expires": 30.0}},
    "idle_sessions": {
        "task": "upkeep.idle_sessions",
        "schedule": 10.0,
        "options": {"queue": "upkeep", "expires": 10.0},
    },
    "retention": {"task": "upkeep.retention", "schedule": 600.0, "options": {"queue": "upkeep", "expires": 600.0}},
    "waiting": {"task": "shadow.waiting", "schedule": 60.0, "options": {"queue": "shadow", "expires": 60.0}},
    "summaries": {"task": "rolling.waiting", "schedule": 60.0, "options": {"queue": "rolling", "expires": 60.0}},
    "embedders": {"task": "upkeep.embedders", "schedule": 30.0, "options": {"queue": "upkeep", "expires": 30.0}},
}
