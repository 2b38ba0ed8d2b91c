"""Named places at which a worker process dies, so that tests can look at what the worst moment leaves behind.

PATROL_CRASH_AT names one of them, and one kind of work if only that is meant: `inside apply@patrol.assign`. The first
process over a home that gets there ends without ceremony; a file in the home says so, and spares those that follow.
"""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, get_args

from celery import signals

from providers.errors import ProviderError
from providers.thinkers import Thinkers
from providers.thinking import BatchThinker, Question, Said, Size, Thinker
from schemas.settings import Settings
from schemas.thinking import Provider
from schemas.work import Claim
from store.database import Store
from store.transaction import Transaction
from workers.meter import AccountsMeter

Point = Literal[
    "after claim",
    "after the model call",
    "after the response is stored",
    "inside apply",
    "after commit",
    "before the next step is sent",
    "before the ack",
]
POINTS: tuple[Point, ...] = get_args(Point)
STATUS = 70


class CrashPoint:
    """The one place at which this process is to die.

    Args:
        setting: The point's name, with `@` and a kind of work behind it where only that kind is meant.
        home: The directory that remembers that it has happened.

    Raises:
        ValueError: There is no such point.
    """

    def __init__(self, setting: str, home: Path) -> None:
        point, _, kind = setting.partition("@")
        if point not in POINTS:
            raise ValueError(f"PATROL_CRASH_AT names no crash point. There are: {', '.join(POINTS)}.")
        self._point = point
        self._kind = kind
        self._mark = home / f"crashed {point}"
        self._doing = ""
        self._answered = threading.local()
        if point == "before the ack":
            signals.task_postrun.connect(self._task_is_over, weak=False)

    def begin(self, kind: str) -> None:
        """A unit of work was claimed; what is passed from now on is passed in its name."""
        self._doing = kind
        self.passed("after claim")

    def model_answered(self) -> None:
        """A model's answer came in, and is in this thread's hands alone."""
        self._answered.here = True
        self.passed("after the model call")

    def committed(self) -> None:
        """A transaction was committed; a thread's first after a model's answer has stored it."""
        if getattr(self._answered, "here", False):
            self._answered.here = False
            self.passed("after the response is stored")

    def passed(self, point: Point) -> None:
        """Die if this is the place, and nobody has died there yet."""
        if point != self._point or self._kind not in {"", self._doing}:
            return
        try:
            os.close(os.open(self._mark, os.O_CREAT | os.O_EXCL, mode=0o600))
        except FileExistsError:
            return
        os._exit(STATUS)

    def _task_is_over(self, *, state: str | None = None, **_: Any) -> None:
        # By now the next step has been sent, and the main process has yet to hear that this one is over.
        if state == "SUCCESS" and self._doing:
            self.passed("before the ack")


class CrashingMeter(AccountsMeter):
    """A meter of requests after which a process may die."""

    def __init__(self, store: Store, settings: Settings, crash: CrashPoint) -> None:
        super().__init__(store, settings)
        self._crash = crash

    @contextmanager
    def request(self, model: str, tokens: int) -> Iterator[Callable[[int], None]]:
        """Account for a request; its answer comes in when the block is left."""
        with super().request(model, tokens) as used:
            yield used
        self._crash.model_answered()


class CrashingThinkers(Thinkers):
    """Thinkers after whose answers a process may die."""

    def __init__(self, settings: Settings, crash: CrashPoint) -> None:
        super().__init__(settings)
        self._crash = crash

    def platform(self) -> Thinker | None:
        """Find the platform's thinker."""
        thinker = super().platform()
        return thinker and _crashing(thinker, self._crash)

    def with_key(self, provider: Provider, key: str) -> Thinker:
        """Find the thinker behind a key."""
        return _crashing(super().with_key(provider, key), self._crash)


class _Crashing(Thinker):
    def __init__(self, thinker: Thinker, crash: CrashPoint) -> None:
        self._thinker = thinker
        self._crash = crash

    @property
    def provider(self) -> str:
        return self._thinker.provider

    def model(self, size: Size) -> str:
        return self._thinker.model(size)

    def ask(self, question: Question[Any]) -> Said:
        said = self._thinker.ask(question)
        self._crash.model_answered()
        return said


class _CrashingInBatches(_Crashing):
    def __init__(self, thinker: Thinker, batches: BatchThinker, crash: CrashPoint) -> None:
        super().__init__(thinker, crash)
        self._batches = batches

    def submit(self, questions: Sequence[tuple[str, Question[Any]]]) -> str:
        batch_id = self._batches.submit(questions)
        self._crash.model_answered()
        return batch_id

    def collect(self, batch_id: str) -> Mapping[str, Said | ProviderError] | None:
        answers = self._batches.collect(batch_id)
        if answers is not None:
            self._crash.model_answered()
        return answers


def _crashing(thinker: Thinker, crash: CrashPoint) -> Thinker:
    if isinstance(thinker, BatchThinker):
        return _CrashingInBatches(thinker, thinker, crash)
    return _Crashing(thinker, crash)


class CrashingStore(Store):
    """A ledger that knows where its process is to die."""

    def __init__(self, url: str, connections: int, crash: CrashPoint) -> None:
        super().__init__(url, connections)
        self._crash = crash

    @contextmanager
    def transaction(self, *, patience: float | None = None) -> Iterator[Transaction]:
        """One transaction, after which the process may die."""
        with super().transaction(patience=patience) as tx:
            yield tx
        self._crash.committed()

    @contextmanager
    def finishing(
        self, claim: Claim, *, first: Callable[[Transaction], object] = lambda _: None
    ) -> Iterator[Transaction]:
        """The transaction in which work ends; the process may die with everything written and nothing committed."""
        with super().finishing(claim, first=first) as tx:
            yield tx
            self._crash.passed("inside apply")
        self._crash.passed("after commit")
