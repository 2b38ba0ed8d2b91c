"""A process that we start: in a session of its own, logging to a file, and gone when we are gone.

Its own session means that a terminal's Ctrl-C reaches us alone, so that things end in the right order. That it goes
when we do, even by `kill -9`, is the kernel's doing on Linux (see `workers.launch`); the kernel watches the *thread*
that started it, so start processes from one that lives as long as they should.
"""

import os
import signal
import subprocess
import sys
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

LAUNCHER = Path(__file__).with_name("launch.py")


class Account(NamedTuple):
    """The account that a program runs in."""

    uid: int
    gid: int


class Child:
    """A running program, the leader of its own process group. Forgetting it kills it, and so does our exit.

    Args:
        argv: A path or a name on the PATH, and the arguments.
        log: Where its output and errors go; the log of the run before is kept beside it with `.1` added.
        env: What is added to our environment.
        orphaned: The signal it gets from the kernel when we end without having stopped it (Linux).
        account: Whom to run as, if not as ourselves; only root may ask for this.
        inherit: File descriptors that it holds as long as it lives.
    """

    def __init__(
        self,
        argv: Sequence[str],
        log: Path,
        *,
        env: Mapping[str, str] | None = None,
        orphaned: signal.Signals = signal.SIGKILL,
        account: Account | None = None,
        inherit: Sequence[int] = (),
    ) -> None:
        who = f"{account.uid}:{account.gid}" if account else "-"
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), str(int(orphaned)), who, *argv]
        if log.exists():
            log.replace(log.with_name(f"{log.name}.1"))
        with log.open("xb") as output:
            self._process = subprocess.Popen(  # noqa: S603  # argv is ours, and no shell reads it
                launch,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, **(env or {})},
                pass_fds=inherit,
                start_new_session=True,
            )
        self._kill = weakref.finalize(self, _kill_group, self._process, os.getpid())

    @property
    def pid(self) -> int:
        """Its process id, which is its process group's as well."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs; once it does not, what it left behind in its group is killed."""
        if self._process.poll() is None:
            return True
        self.kill()
        return False

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        status = self._process.poll()
        if status is None:
            return "still running"
        return f"exit status {status}" if status >= 0 else f"ended by signal {-status}, {signal.strsignal(-status)}"

    @property
    def succeeded(self) -> bool:
        """Whether it ended and said that all went well."""
        return self._process.poll() == 0

    def wait(self) -> None:
        """Wait until it ends by itself."""
        self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program alone, awake or suspended."""
        self._process.send_signal(number)
        self._process.send_signal(signal.SIGCONT)

    def stop(self, *orders: signal.Signals, grace: float) -> None:
        """Ask it to end, each time more firmly; then kill what is left of its group.

        Args:
            orders: The signals to send, one after the other, as long as it lives.
            grace: Seconds that it is given after each.
        """
        for order in orders:
            self.send(order)
            if wait_until(lambda: not self.alive, grace):
                break
        self.kill()

    def kill(self) -> None:
        """Kill it and whatever it left behind in its process group."""
        self._kill()


def _kill_group(process: subprocess.Popen[bytes], starter: int) -> None:
    """Kill a process with all of its group, unless we are a fork of the process that started it."""
    if os.getpid() == starter:
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter when only a zombie is left
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(condition: Callable[[], bool], patience: float, *, pause: float = 0.02) -> bool:
    """Wait for a condition.

    Args:
        condition: Asked at least once.
        patience: Seconds to wait at most.
        pause: Seconds between two questions.

    Returns:
        What the condition said last.
    """
    deadline = time.monotonic() + patience
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(pause)
    return True


def last_lines(log: Path, count: int = 10) -> str:
    """Return the end of a log, indented, for an error's text; a line saying so if there is nothing in it."""
    if not log.exists():
        return "    (no log was written)"
    with log.open(encoding="utf-8", errors="replace") as lines:
        tail = deque(lines, maxlen=count)
    return "\n".join(f"    {line.rstrip()}" for line in tail) or "    (it wrote nothing)"
