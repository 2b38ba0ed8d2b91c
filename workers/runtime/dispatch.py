"""Sends the Celery messages for due work. A lost message only delays the work: the sweep sends another."""

import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, Full, Queue
from typing import Self

import structlog
from celery import Celery, chain
from celery.canvas import Signature
from kombu.exceptions import BatchPublishError, OperationalError
from redis.exceptions import RedisError

from schemas.ledger.kinds import QUEUES, WorkKind, chain_from
from schemas.ledger.work import TaskMessage

log = structlog.get_logger()

MOST_WAITING = 1000
MOST_AT_ONCE = 100
# Seconds that a stopping process tries to send its waiting messages; if Redis hangs, the sweep sends them later.
STOP_PATIENCE = 1.0


class BackgroundSender:
    """Sends from its own thread between enter and exit, so that no request waits for a Redis that hangs.

    Args:
        app: The Celery app.
        most_waiting: The most messages that wait for the thread; further ones are left to the sweep.
    """

    def __init__(self, app: Celery, most_waiting: int = MOST_WAITING) -> None:
        self._app = app
        self._waiting: Queue[TaskMessage | None] = Queue(most_waiting)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._work, name="sender", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Full):
            self._waiting.put(None, timeout=STOP_PATIENCE)
        if self._thread:
            self._thread.join(STOP_PATIENCE)

    def send(self, messages: Sequence[TaskMessage]) -> None:
        """Queue messages for the thread; those beyond `most_waiting` are left to the sweep."""
        try:
            for message in messages:
                self._waiting.put_nowait(message)
        except Full:
            log.warning("dispatch.too_many_wait")

    def _work(self) -> None:
        ends = False
        while not ends:
            messages = [self._waiting.get()]
            with suppress(Empty):
                while len(messages) < MOST_AT_ONCE:
                    messages.append(self._waiting.get_nowait())
            ends = None in messages
            try:
                send(self._app, [message for message in messages if message])
            except Exception as error:  # noqa: BLE001  # the thread serves the whole process, and the sweep sends again
                log.warning("dispatch.failed", error=type(error).__name__)


def send(app: Celery, messages: Sequence[TaskMessage]) -> None:
    """Send messages for due work, all in one request. If Redis is out of reach, they are left to the sweep."""
    try:
        with app.producer_pool.acquire(block=True) as producer, producer.batch():
            for message in messages:
                _signature(app, message).apply_async(producer=producer, retry=False)
    except (OperationalError, BatchPublishError, RedisError) as error:
        log.warning("dispatch.out_of_reach", error=type(error).__name__)


def queued(app: Celery) -> dict[str, int]:
    """Return how many messages each queue holds; nothing if Redis is out of reach."""
    try:
        with app.pool.acquire(block=True) as connection:
            redis = connection.default_channel.client
            return {name: redis.llen(name) for name in QUEUES}
    except (OperationalError, RedisError) as error:
        log.warning("dispatch.out_of_reach", error=type(error).__name__)
        return {}


def _signature(app: Celery, message: TaskMessage) -> Signature:
    """Return one task; for a step of a patrol, the chain that begins with it."""
    first, *others = (_task(app, kind, message) for kind in chain_from(message.kind))
    return chain(first, *others) if others else first


def _task(app: Celery, kind: WorkKind, message: TaskMessage) -> Signature:
    return app.signature(kind.name, args=(message.name,), immutable=True, queue=kind.queue, argsrepr=message.summary)
