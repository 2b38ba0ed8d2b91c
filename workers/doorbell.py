"""The doorbell: tells workers that work is due. Losing a ring loses nothing, the sweep rings again."""

import threading
from collections.abc import Iterable
from contextlib import suppress
from queue import Full, Queue
from typing import Self

import structlog
from celery import Celery, chain
from celery.canvas import Signature
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from schemas.work import PATROL_STEPS, QUEUES, STEP_QUEUES, Ring

log = structlog.get_logger()

MOST_WAITING = 1000
# A process that stops rings for what waits, if Redis lets it; a Redis that hangs is left to the sweep.
STOP_PATIENCE = 1.0


class Ringer:
    """Rings from a thread of its own while it is entered, so that a Redis which hangs keeps no caller waiting."""

    def __init__(self, app: Celery, most_waiting: int = MOST_WAITING) -> None:
        self._app = app
        self._waiting: Queue[Ring | None] = Queue(most_waiting)
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._work, name="ringer", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(Full):
            self._waiting.put(None, timeout=STOP_PATIENCE)
        if self._thread:
            self._thread.join(STOP_PATIENCE)

    def ring(self, rings: Iterable[Ring]) -> None:
        """Have these rung soon; where too many wait already they are left to the sweep."""
        try:
            for due in rings:
                self._waiting.put_nowait(due)
        except Full:
            log.warning("doorbell.too_many_wait")

    def _work(self) -> None:
        while due := self._waiting.get():
            try:
                ring(self._app, [due])
            except Exception as error:  # noqa: BLE001  # the thread serves the whole process, and the sweep rings for this
                log.warning("doorbell.failed", error=type(error).__name__)


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
            _task(app, f"patrol.{later}", due, STEP_QUEUES[later]) for later in PATROL_STEPS[PATROL_STEPS.index(step) :]
        )
    return _task(app, due.kind, due, due.queue)


def _task(app: Celery, kind: str, due: Ring, queue: str) -> Signature:
    return app.signature(kind, args=(due.name,), immutable=True, queue=queue, argsrepr=due.summary)
