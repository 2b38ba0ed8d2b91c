"""Named points at which a worker process exits at once, so that tests can check what a crash there leaves behind.

PATROL_CRASH_AT names points, separated by commas, each optionally with `@` and a kind of work, as in
`after claim,inside apply@patrol.assign`. The first process over a home that reaches one of them exits by `os._exit`; a
file in the home records it, so no later process does.
"""

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal, get_args

from celery import signals

from providers.completion import Completion
from providers.errors import ProviderError
from providers.thinkers import Thinkers
from providers.thinking import BatchThinker, Question, Size, Thinker
from schemas.ledger.work import Claim, TaskMessage
from schemas.llm.calls import Provider
from schemas.settings import Settings
from store.database import Store
from store.transaction import Transaction
from workers.runtime.usage_meter import AccountsMeter

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


class CrashPoints:
    """The points at which this process exits.

    Args:
        setting: The points' names, separated by commas, each optionally with `@` and the one kind of work that it
            applies to.
        home: The directory for the files that record the crashes.

    Raises:
        ValueError: `setting` names what is no crash point.
    """

    def __init__(self, setting: str, home: Path) -> None:
        self._names = setting.split(",")
        points = {name.partition("@")[0] for name in self._names}
        if not points.issubset(POINTS):
            raise ValueError(f"PATROL_CRASH_AT names what is no crash point. There are: {', '.join(POINTS)}.")
        self._home = home
        self._doing = ""
        self._answered = threading.local()
        if "before the ack" in points:
            signals.task_postrun.connect(self._task_is_over, weak=False)

    def begin(self, kind: str) -> None:
        """Record the kind of the claimed unit; the points that follow belong to it."""
        self._doing = kind
        self.passed("after claim")

    def model_answered(self) -> None:
        """Pass the point between a model's answer and its storing; so far only this thread has the answer."""
        self._answered.here = True
        self.passed("after the model call")

    def committed(self) -> None:
        """Pass the point after a commit. A thread's first commit after a model's answer is the one that stores it."""
        if getattr(self._answered, "here", False):
            self._answered.here = False
            self.passed("after the response is stored")

    def passed(self, point: Point) -> None:
        """Exit if this is a configured point and kind, and no process over this home has crashed there before."""
        for name in (point, f"{point}@{self._doing}"):
            if name in self._names:
                with suppress(FileExistsError):
                    os.close(os.open(self._home / f"crashed {name}", os.O_CREAT | os.O_EXCL, mode=0o600))
                    os._exit(STATUS)

    def _task_is_over(self, *, state: str | None = None, **_: Any) -> None:
        # The message for the next step is sent; the main process has not acknowledged this one yet.
        if state == "SUCCESS" and self._doing:
            self.passed("before the ack")


class CrashingMeter(AccountsMeter):
    """A meter after whose requests the process may exit."""

    def __init__(self, store: Store, settings: Settings, crash: CrashPoints) -> None:
        super().__init__(store, settings)
        self._crash = crash

    @contextmanager
    def request(self, model: str, tokens: int) -> Iterator[Callable[[int], None]]:
        """Account for a request; the block is left when its answer has arrived."""
        with super().request(model, tokens) as used:
            yield used
        self._crash.model_answered()


class CrashingThinkers(Thinkers):
    """Thinkers after whose answers the process may exit."""

    def __init__(self, settings: Settings, crash: CrashPoints) -> None:
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
    def __init__(self, thinker: Thinker, crash: CrashPoints) -> None:
        self._thinker = thinker
        self._crash = crash

    @property
    def provider(self) -> Provider:
        return self._thinker.provider

    def model(self, size: Size) -> str:
        return self._thinker.model(size)

    def ask(self, question: Question[Any]) -> Completion:
        answered = self._thinker.ask(question)
        self._crash.model_answered()
        return answered


class _CrashingInBatches(_Crashing):
    def __init__(self, thinker: Thinker, batches: BatchThinker, crash: CrashPoints) -> None:
        super().__init__(thinker, crash)
        self._batches = batches

    def submit(self, questions: Sequence[tuple[str, Question[Any]]]) -> str:
        batch_id = self._batches.submit(questions)
        self._crash.model_answered()
        return batch_id

    def collect(self, batch_id: str) -> Mapping[str, Completion | ProviderError] | None:
        answers = self._batches.collect(batch_id)
        if answers is not None:
            self._crash.model_answered()
        return answers

    def cancel(self, batch_id: str) -> None:
        self._batches.cancel(batch_id)


def _crashing(thinker: Thinker, crash: CrashPoints) -> Thinker:
    if isinstance(thinker, BatchThinker):
        return _CrashingInBatches(thinker, thinker, crash)
    return _Crashing(thinker, crash)


class CrashingStore(Store):
    """A store in whose transactions the process may exit."""

    def __init__(self, crash: CrashPoints, *store: Any) -> None:
        super().__init__(*store)
        self._crash = crash
        self._finishing = threading.local()

    def _committed(self, messages: Sequence[TaskMessage]) -> None:
        """Exit between a commit and the sending of its messages, if so configured."""
        self._crash.committed()
        if getattr(self._finishing, "here", False):
            self._crash.passed("after commit")
        super()._committed(messages)

    @contextmanager
    def finishing(
        self,
        claim: Claim,
        *,
        intake: Callable[[Transaction], object] | None = None,
        first: Callable[[Transaction], object] | None = None,
    ) -> Iterator[Transaction]:
        """Open the finishing transaction; the process may exit with everything written and nothing committed."""
        try:
            with super().finishing(claim, intake=intake, first=first) as tx:
                yield tx
                self._crash.passed("inside apply")
                self._finishing.here = True
        finally:
            self._finishing.here = False
