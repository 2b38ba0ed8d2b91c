"""A worker or a stream reader that exits at once at named points, so that tests see what a crash there leaves behind.

`python -m tests.processes.crashing MODULE ARGUMENTS` runs `python -m MODULE ARGUMENTS`. TESTS_CRASH_AT names points,
separated by commas, each optionally with `@` and a kind of work, as in `after claim,inside apply@patrol.assign`. The
first process over a home that reaches one of them exits by `os._exit`; a file in the home records it, so no later
process does.
"""

import os
import runpy
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

from celery import signals

import api.streams.reader
import workers.runtime.step
from providers.sdk.anthropic_thinker import AnthropicThinker
from store.database import Store
from workers.runtime.usage_meter import AccountsMeter

POINTS = (
    "after claim",
    "after the model call",
    "after the response is stored",
    "inside apply",
    "after commit",
    "before the next step is sent",
    "before the ack",
)
STATUS = 70


class CrashPoints:
    """The points at which this process exits.

    Args:
        names: Each a point, optionally with `@` and the one kind of work that it applies to.
        home: The directory for the files that record the crashes.
    """

    def __init__(self, names, home):
        self._names, self._home = names, home
        self._doing = ""
        self._here = threading.local()

    def begin(self, kind):
        """Record the kind of the claimed unit; the points that follow belong to it."""
        self._doing = kind
        self.passed("after claim")

    def passed(self, point):
        """Exit if this is a configured point and kind, and no process over this home has crashed there before."""
        for name in (point, f"{point}@{self._doing}"):
            if name in self._names:
                with suppress(FileExistsError):
                    os.close(os.open(self._home / f"crashed {name}", os.O_CREAT | os.O_EXCL, mode=0o600))
                    os._exit(STATUS)

    def answered(self):
        """Pass the point between a model's answer and its storing; so far only this thread has the answer."""
        self._here.answered = True
        self.passed("after the model call")

    def in_work(self, step):
        """Pass the points of units of work, whose functions are `step`'s."""
        claim, perform = step._claim, step._perform

        def claimed(*unit):
            if found := claim(*unit):
                self.begin(found.kind)
            return found

        def performed(*unit):
            self._doing = ""
            perform(*unit)
            if self._doing:
                self.passed("before the next step is sent")

        def task_is_over(state=None, **_):
            # The message for the next step is sent; the main process has not acknowledged this one yet.
            if state == "SUCCESS" and self._doing:
                self.passed("before the ack")

        step._claim, step._perform = claimed, performed
        signals.task_postrun.connect(task_is_over, weak=False)

    def in_streams(self, reader):
        """Pass the points of a stream reader, which is `reader`'s."""
        take, deliver = reader.StreamReader._take, reader.deliver

        def taken(*entries):
            self.begin("stream")
            take(*entries)

        def delivered(*letters):
            result = deliver(*letters)
            self.passed("before the ack")
            return result

        reader.StreamReader._take, reader.deliver = taken, delivered

    def in_models(self):
        """Pass the points at which models have answered."""
        request = AccountsMeter.request

        @contextmanager
        def requested(*asked):
            with request(*asked) as used:
                yield used
            self.answered()

        def answering(ask):
            def asked(*question):
                if (answer := ask(*question)) is not None:
                    self.answered()
                return answer

            return asked

        AccountsMeter.request = requested
        for name in ("ask", "submit", "collect"):
            setattr(AnthropicThinker, name, answering(getattr(AnthropicThinker, name)))

    def in_transactions(self):
        """Pass the points around commits. A thread's first one after a model's answer is the one that stores it."""
        finishing, committed = Store.finishing, Store._committed

        @contextmanager
        def finished(*claim, **locks):
            try:
                with finishing(*claim, **locks) as tx:
                    yield tx
                    self.passed("inside apply")
                    self._here.finishes = True
            finally:
                self._here.finishes = False

        def sent(store, messages):
            if getattr(self._here, "answered", False):
                self._here.answered = False
                self.passed("after the response is stored")
            if getattr(self._here, "finishes", False):
                self.passed("after commit")
            committed(store, messages)

        Store.finishing, Store._committed = finished, sent


if __name__ == "__main__":
    crash = CrashPoints(os.environ["TESTS_CRASH_AT"].split(","), Path(os.environ["PATROL_HOME"]))
    crash.in_work(workers.runtime.step)
    crash.in_streams(api.streams.reader)
    crash.in_models()
    crash.in_transactions()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
