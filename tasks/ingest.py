"""The front door of Celery: other programs that share the broker send `ingest.notes` and `ingest.messages`.

Such a message carries content, and is the only copy of it until it is acknowledged, which is after the commit.
"""

import json
import time
from datetime import date
from decimal import Decimal
from typing import Any

import structlog
from celery import Task
from celery.exceptions import Reject
from redis.exceptions import RedisError

from memory.intake.delivery import Address, deliver
from memory.search import indexing
from schemas.intake.items import ItemKind
from schemas.ledger.kinds import INDEX_TOLD, INDEX_WORDS, INGEST_MESSAGES, INGEST_NOTES
from schemas.limits import BATCH_ITEMS
from schemas.wire.fields import is_marked
from workers.runtime.addresses import addresses
from workers.runtime.app import app
from workers.runtime.faults import described
from workers.runtime.redis_client import open_redis
from workers.runtime.resources import Resources
from workers.runtime.step import step, tick
from workers.streams import rejected
from workers.streams.rejected import Rejected

log = structlog.get_logger()

# Waited before a message returns to its queue, so that a fault which is reported at once causes no busy loop.
PAUSE_SECONDS = 1.0


class Door(Task):  # type: ignore[misc]  # Celery is published without types
    """A task whose arguments are masked in events, logs and Flower."""

    Request = "workers.runtime.celery.masking:MaskedRequest"


@app.task(name=INGEST_NOTES.name, queue=INGEST_NOTES.queue, base=Door, bind=True)  # type: ignore[untyped-decorator]  # as Celery is
def notes(task: Task, *args: Any, **kwargs: Any) -> None:
    """Accept notes. Arguments: a Being's id, and a list of notes."""
    _take(task, "notes", args, kwargs)


@app.task(name=INGEST_MESSAGES.name, queue=INGEST_MESSAGES.queue, base=Door, bind=True)  # type: ignore[untyped-decorator]  # as Celery is
def messages(task: Task, *args: Any, **kwargs: Any) -> None:
    """Accept messages. Arguments: a Being's id, or `room` with a room's, and a list of messages."""
    _take(task, "messages", args, kwargs)


tick(INDEX_TOLD, lambda on: indexing.index_waiting(on.store, on.settings.lease))
step(INDEX_WORDS, lambda on, claim: indexing.index(on.store, claim))


def _take(task: Task, kind: ItemKind, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Deliver items to the ledger, and add those that are refused to `patrol:rejected`.

    Raises:
        Reject: The ledger or Redis is out of reach, or the Being's backlog is full; the message returns to its queue.
    """
    on = app.process_resources()
    # Some producers name no id. That of the delivery stays when the message is delivered again.
    task_id = task.request.id or task.request.properties["delivery_tag"]
    args, kwargs = json.loads(json.dumps([args, kwargs], default=_in_json))
    try:
        to, items = _read(*args, **kwargs)
    except (TypeError, ValueError) as fault:
        call = {"args": args, "kwargs": kwargs}
        _keep(on, [_rejected(task_id, kind, "call", str(fault), call, off_the_record=is_marked(call))])
        return
    ids = [f"celery/{task_id}/{position}" for position in range(len(items))]
    try:
        delivered = deliver(on.store, on.settings, on.embedders, kind, to, items, ids)
    except Exception as fault:  # noqa: BLE001  # the message is the only copy, so it is requeued after any fault
        log.warning("ingest.waits", **to.logged, items=len(items), fault=described(fault))
        time.sleep(PAUSE_SECONDS)
        raise Reject(type(fault).__name__, requeue=True) from None
    _keep(
        on,
        [
            _rejected(
                task_id,
                kind,
                position,
                reason,
                _addressed(to, items[position]),
                off_the_record=position in delivered.off_the_record,
            )
            for position, reason in delivered.refused.items()
        ],
    )
    log.info("ingest.taken", what=kind, **to.logged, items=len(items), refused=len(delivered.refused))


def _in_json(value: Any) -> Any:
    """Return as JSON a value that Kombu has read as an object of Python: a producer's time, id, number or bytes."""
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    if isinstance(value, Decimal):
        return json.loads(str(value))
    return value.isoformat() if isinstance(value, date) else str(value)


def _read(
    being: Any = None, items: Any = None, *more: Any, room: Any = None, **unknown: Any
) -> tuple[Address, list[Any]]:
    """Parse the task's arguments, which come unchecked from another program.

    Raises:
        ValueError: They are not the id of a Being or room, and a list of 1 to 1,000 items.
    """
    if more or unknown or (room is not None and being is not None):
        raise ValueError("the task takes two arguments, `being` or `room`, and `items`")
    to = Address.of({"being": being} if room is None else {"room": room})
    if not isinstance(items, list) or not 1 <= len(items) <= BATCH_ITEMS:
        raise ValueError(f"items: must be a list of 1 to {BATCH_ITEMS}")
    return to, items


def _rejected(
    task_id: str, kind: ItemKind, position: object, reason: str, sent: Any, *, off_the_record: bool
) -> Rejected:
    data = json.dumps(sent).encode()
    kept = b"" if off_the_record else data
    return Rejected(rejected.DOORS[kind], f"celery/{task_id}/{position}", reason, kept, length=len(data))


def _addressed(to: Address, item: Any) -> Any:
    """Return an item in the form of a stream entry, so that it can be replayed through the stream."""
    return {**to.put, **item} if isinstance(item, dict) else item


def _keep(on: Resources, refused: list[Rejected]) -> None:
    if not refused:
        return
    try:
        with open_redis(addresses(on.settings).redis_url) as redis, redis.pipeline() as pipeline:
            rejected.keep(pipeline, refused)
            pipeline.execute()
    except RedisError as fault:
        raise Reject(type(fault).__name__, requeue=True) from None
