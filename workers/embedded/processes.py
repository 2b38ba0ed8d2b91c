"""Child processes: each in its own session, logging to a file, and ended when this process ends.

In its own session a child gets no Ctrl-C from the terminal: the supervisor gets it and stops the children in order. On
Linux the kernel ends a child when its parent ends, even by `kill -9` (see `workers.embedded.launch`). The kernel
watches the parent's *thread*, so a child must be started from a thread that runs as long as the child should.
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

from workers.embedded.log_files import set_aside

LAUNCHER = Path(__file__).with_name("launch.py")
#: Of the time waited so far, how much may pass until a condition is looked at again: a long wait should cost little.
PAUSE_SHARE = 0.05


class Account(NamedTuple):
    """A user id and group id to run a program with."""

    uid: int
    gid: int


class Child:
    """A running program, the leader of its own process group. It is killed when this object is deleted or Python exits.

    Args:
        argv: A path or a name on the PATH, and the arguments.
        log: The file for its output and errors; logs of earlier runs are kept beside it with `.1` and so on added.
        env: Its whole environment; nothing is added to it.
        orphaned: The signal that the kernel sends it when this process ends without having stopped it (Linux).
        account: The account to run in, if not this process's; only root may set it.
        inherit: File descriptors that it keeps open.
    """

    def __init__(
        self,
        argv: Sequence[str],
        log: Path,
        *,
        env: Mapping[str, str],
        orphaned: signal.Signals = signal.SIGKILL,
        account: Account | None = None,
        inherit: Sequence[int] = (),
    ) -> None:
        owner = f"{account.uid}:{account.gid}" if account else "-"
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(os.getpid()), str(int(orphaned)), owner, *argv]
        set_aside(log)
        # Opened for appending, so that it can be truncated while it is written to.
        descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        with os.fdopen(descriptor, "ab") as output:
            self._process = subprocess.Popen(  # noqa: S603  # the caller's argv, not read by a shell
                launch,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=env,
                pass_fds=inherit,
                start_new_session=True,
            )
        self._kill = weakref.finalize(self, _kill_group, self._process, os.getpid())

    @property
    def pid(self) -> int:
        """Its process id, which is also its process group's id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it runs. Once it has ended, the rest of its process group is killed."""
        if self._process.poll() is None:
            return True
        self.kill()
        return False

    @property
    def ending(self) -> str:
        """How it ended, for messages: its exit status or its signal."""
        status = self._process.poll()
        if status is None:
            return "still running"
        return f"exit status {status}" if status >= 0 else f"ended by signal {-status}, {signal.strsignal(-status)}"

    @property
    def succeeded(self) -> bool:
        """Whether it ended with exit status 0."""
        return self._process.poll() == 0

    def wait(self) -> None:
        """Wait until it ends."""
        self._process.wait()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to the program but not its group; resumes a suspended program."""
        self._process.send_signal(number)
        self._process.send_signal(signal.SIGCONT)

    def stop(self, *orders: signal.Signals, grace: float) -> None:
        """Send one signal after another until it ends; then kill the rest of its group.

        Args:
            orders: The signals, from polite to firm.
            grace: Seconds to wait after each.
        """
        for order in orders:
            self.send(order)
            if wait_until(lambda: not self.alive, grace):
                break
        self.kill()

    def kill(self) -> None:
        """Kill it and its process group."""
        self._kill()


def _kill_group(process: subprocess.Popen[bytes], starter: int) -> None:
    """Kill a process with its group, unless this process is a fork of the one that started it."""
    if os.getpid() == starter:
        with suppress(ProcessLookupError, PermissionError):  # macOS says the latter when only a zombie is left
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(condition: Callable[[], bool], patience: float, *, pause: float = 0.02) -> bool:
    """Poll a condition until it holds.

    Args:
        condition: Evaluated at least once.
        patience: Seconds to wait at most.
        pause: Seconds between two evaluations; after long waits they are `PAUSE_SHARE` of the time waited.

    Returns:
        The condition's last value.
    """
    started = time.monotonic()
    while not condition():
        waited = time.monotonic() - started
        if waited >= patience:
            return False
        time.sleep(max(pause, waited * PAUSE_SHARE))
    return True


def last_lines(log: Path) -> str:
    """Return the last ten lines of a log, indented, for an error's text; a line of our own if the log is empty."""
    if not log.exists():
        return "    (no log was written)"
    with log.open(encoding="utf-8", errors="replace") as lines:
        tail = deque(lines, maxlen=10)
    return "\n".join(f"    {line.rstrip()}" for line in tail) or "    (it wrote nothing)"
