"""The door of Celery: programs that share the broker and know nothing of us send `ingest.notes` and `ingest.messages`.

Their messages carry content, and are the only copy of it until they are acknowledged, which is after the commit.
"""

import json
import time
from typing import Any
from uuid import UUID

import structlog
from celery import Task
from celery.exceptions import Reject
from redis import Redis
from redis.exceptions import RedisError

from memory.delivery import What, deliver
from schemas.limits import BATCH_ITEMS
from workers import rejected
from workers.addresses import addresses
from workers.app import app
from workers.doorbell import ring
from workers.faults import described
from workers.rejected import Rejected
from workers.resources import Resources

log = structlog.get_logger()

# What can't be taken now goes to the end of its queue; a fault that answers at once is not asked without a pause.
PAUSE_SECONDS = 1.0


class Door(Task):  # type: ignore[misc]  # Celery is published without types
    """A task whose arguments nobody gets to see."""

    Request = "workers.masked:MaskedRequest"


@app.task(name="ingest.notes", queue="ingest", base=Door, bind=True)  # type: ignore[untyped-decorator]  # as Celery is
def notes(task: Task, *args: Any, **kwargs: Any) -> None:
    """Take notes in: a Being's id, and a list of notes."""
    _take(task.request.id, "notes", args, kwargs)


@app.task(name="ingest.messages", queue="ingest", base=Door, bind=True)  # type: ignore[untyped-decorator]  # as Celery is
def messages(task: Task, *args: Any, **kwargs: Any) -> None:
    """Take messages in: a Being's id, and a list of messages."""
    _take(task.request.id, "messages", args, kwargs)


def _take(task_id: str, what: What, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Deliver, ring, and keep what was refused.

    Raises:
        Reject: The ledger or Redis is out of reach, or the door is full: back into the queue with it.
    """
    on = app.at_hand()
    try:
        being_id, items = _read(*args, **kwargs)
    except (TypeError, ValueError) as fault:
        _keep(on, [_rejected(task_id, what, "call", str(fault), {"args": args, "kwargs": kwargs})])
        return
    ids = [f"celery/{task_id}/{position}" for position in range(len(items))]
    try:
        delivered = deliver(on.store, on.settings, what, being_id, items, ids)
    except Exception as fault:  # noqa: BLE001  # whatever it is, the message is the only copy
        log.warning("ingest.waits", being_id=str(being_id), items=len(items), fault=described(fault))
        time.sleep(PAUSE_SECONDS)
        raise Reject(type(fault).__name__, requeue=True) from None
    ring(app, delivered.rings)
    _keep(
        on,
        [
            _rejected(task_id, what, position, reason, _addressed(being_id, items[position]))
            for position, reason in delivered.refused.items()
        ],
    )
    log.info("ingest.taken", what=what, being_id=str(being_id), items=len(items), refused=len(delivered.refused))


def _read(being: Any = None, items: Any = None, *more: Any, **unknown: Any) -> tuple[UUID, list[Any]]:
    """The arguments, which a program wrote that nobody checked.

    Raises:
        ValueError: They are not a Being's id and a list of 1 to 1,000 items.
    """
    if more or unknown:
        raise ValueError("call it with two arguments, `being` and `items`")
    try:
        being_id = UUID(being)
    except (ValueError, TypeError, AttributeError):
        raise ValueError("being: must be a Being's id") from None
    if not isinstance(items, list) or not 1 <= len(items) <= BATCH_ITEMS:
        raise ValueError(f"items: must be a list of 1 to {BATCH_ITEMS}")
    return being_id, items


def _rejected(task_id: str, what: What, position: object, reason: str, sent: Any) -> Rejected:
    return Rejected(rejected.DOORS[what], f"celery/{task_id}/{position}", reason, json.dumps(sent).encode())


def _addressed(being_id: UUID, item: Any) -> Any:
    """An item as the stream has it, so that it can be replayed through that."""
    return {"being": str(being_id), **item} if isinstance(item, dict) else item


def _keep(on: Resources, refused: list[Rejected]) -> None:
    if not refused:
        return
    try:
        with Redis.from_url(addresses(on.settings).redis_url) as redis, redis.pipeline() as pipeline:
            rejected.keep(pipeline, refused)
            pipeline.execute()
    except RedisError as fault:
        raise Reject(type(fault).__name__, requeue=True) from None
