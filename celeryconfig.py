"""Celery's configuration. Messages carry row ids only, and may be lost: Postgres is the ledger (decision 0001)."""

from kombu import Queue

from schemas.ledger.kinds import BEAT, QUEUES, TICK_QUEUE
from schemas.settings import Settings
from workers.runtime.addresses import broker_url as address_of_broker

_settings = Settings()

imports = (
    "tasks.ingest",
    "tasks.patrol",
    "tasks.shadow",
    "tasks.rolling",
    "tasks.session_close",
    "tasks.upkeep",
    "workers.runtime.model_report",
)

broker_url = address_of_broker(_settings)
broker_connection_retry_on_startup = True
broker_transport_options = {
    # Above every time limit, so that Redis redelivers no message while its first worker still runs the task.
    "visibility_timeout": 3600,
    "socket_timeout": 10,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "master_name": _settings.redis_master,
    "sentinel_kwargs": {"socket_timeout": 2, "socket_connect_timeout": 2},
    "health_check_interval": 20,
    "queue_order_strategy": "workers.runtime.celery.queue_order:WeightedCycle",
    # A process that sends while Redis is down gives up soon, since the sweep sends again. Workers keep reconnecting.
    "max_retries": 1,
    "interval_start": 0.2,
}
# The upper bound; connections are opened when needed.
broker_pool_limit = 20

task_queues = [Queue(name) for name in (*QUEUES, TICK_QUEUE)]
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

worker_consumer = "workers.runtime.celery.consumer:Consumer"
# A monitor such as Flower enables them while it runs; they are half of what Celery costs.
worker_send_task_events = False
worker_hijack_root_logger = False
enable_utc = True

beat_scheduler = "workers.runtime.celery.scheduler:Scheduler"
beat_schedule = {
    kind.name: {
        "task": kind.name,
        "schedule": seconds,
        "options": {"queue": kind.queue, "expires": kind.expires * seconds},
    }
    for kind in BEAT
    for seconds in [kind.every.total_seconds() if kind.every else _settings.sweep_every]
}
