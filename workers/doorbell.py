"""The doorbell: tells workers that work is due. Losing a ring loses nothing, the sweep rings again."""

from collections.abc import Iterable

import structlog
from celery import Celery, chain
from celery.canvas import Signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from schemas.work import PATROL_STEPS, QUEUES, STEP_QUEUES, Ring

log = structlog.get_logger()


def ring(app: Celery, rings: Iterable[Ring]) -> None:
    """Send the tasks of due work. While Redis is out of reach it is left to the sweep."""
    try:
        for due in rings:
            _signature(app, due).apply_async(retry=False)
    except OperationalError as error:
        log.warning("doorbell.out_of_reach", error=type(error).__name__)


def empty_queues(app: Celery) -> list[str]:
    """Queues in which no message waits; none while Redis is out of reach, for then nobody knows."""
    try:
        with app.pool.acquire(block=True) as connection:
            redis = connection.default_channel.client
            return [name for name in QUEUES if redis.llen(name) == 0]
    except (OperationalError, RedisError) as error:
        log.warning("doorbell.out_of_reach", error=type(error).__name__)
        return []


def _signature(app: Celery, due: Ring) -> Signature:
    """One task; or, for a step of a patrol, the chain from that step on."""
    group, _, step = due.kind.partition(".")
    if group == "patrol" and step in PATROL_STEPS:
        return chain(
            _task(app, f"patrol.{later}", due.name, STEP_QUEUES[later])
            for later in PATROL_STEPS[PATROL_STEPS.index(step) :]
        )
    return _task(app, due.kind, due.name, due.queue)


def _task(app: Celery, kind: str, name: str, queue: str) -> Signature:
    return app.signature(kind, args=(name,), immutable=True, queue=queue)
