"""A server that the system brings itself: what an embedded Postgres and an embedded Redis have in common.

One server at a time over its data, and that is certain: the server and every process that it forks inherit a locked
file, and the kernel releases the lock when the last of them is gone. So a start first waits for what an earlier run may
have left behind, and pid files, which lie after a `kill -9`, need not be believed.
"""

import fcntl
import os
import signal
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Self

import structlog

from workers.interrupts import held
from workers.processes import Account, Child, last_lines, wait_until
from workers.stack_errors import StartError

LOG = structlog.get_logger()

# Recovery after a crash reads back what was written since the last checkpoint: seconds, on a slow disk minutes.
READY_PATIENCE = 120.0
LEFTOVER_PATIENCE = 30.0
STOP_GRACE = 15.0


class Server(ABC):
    """One server on a Unix socket, with data that outlives it.

    A context manager: started on entry, stopped on exit.

    Args:
        data: Its own directory, made when missing; data and log stay there.
        sockets: An existing directory for its socket, short enough for one (see `workers.embedded.run_directory`).
    """

    name: ClassVar[str]
    #: The signals of an orderly end, from polite to firm.
    stop_signals: ClassVar[tuple[signal.Signals, ...]]
    crash_signal: ClassVar[signal.Signals]

    def __init__(self, data: Path, sockets: Path) -> None:
        self.data = data.absolute()
        self.sockets = sockets.absolute()
        self.log = self.data / "server.log"
        self._child: Child | None = None

    @abstractmethod
    def command(self) -> list[str]:
        """Return the program and its arguments."""

    @abstractmethod
    def answers(self) -> bool:
        """Say whether clients are served right now."""

    @property
    @abstractmethod
    def url(self) -> str:
        """Where clients connect, whether it runs or not."""

    @property
    def account(self) -> Account | None:
        """The account it runs in, if not ours."""
        return None

    @property
    def alive(self) -> bool:
        """Whether its process runs; it may not answer yet, or be suspended."""
        return self._child is not None and self._child.alive

    @property
    def ending(self) -> str:
        """How its process ended, in words."""
        return self._child.ending if self._child else "not started"

    @property
    def pid(self) -> int:
        """The id of its main process.

        Raises:
            LookupError: It was not started.
        """
        if self._child is None:
            raise LookupError(f"the embedded {self.name} was not started")
        return self._child.pid

    def start(self) -> None:
        """Start it and wait until it answers; does nothing if it does already.

        Raises:
            NotInstalledError: Its program is missing.
            StartError: It died, or does not answer; with the end of its log.
        """
        try:
            self.launch()
            self.await_ready()
        except BaseException:
            self.stop()
            raise

    def launch(self) -> None:
        """Start it and return at once, so that several can get ready together.

        Raises:
            NotInstalledError: Its program is missing.
            StartError: What an earlier run left behind still lives, or the data can't be used.
        """
        if self.alive:
            return
        self.data.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(self.data / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            self._take(lock)
            self.prepare(lock)
            command = self.command()
            with held():
                self._child = self._run(command, self.log, lock, orphaned=self.stop_signals[0])
            os.ftruncate(lock, 0)
            os.pwrite(lock, str(self.pid).encode(), 0)
        finally:
            os.close(lock)
        LOG.info("server_started", server=self.name, pid=self.pid)

    def await_ready(self) -> None:
        """Wait until a launched server answers.

        Raises:
            StartError: It died, or does not answer; with the end of its log.
        """
        over = wait_until(lambda: not self.alive or self.answers(), READY_PATIENCE)
        if not self.alive:
            raise StartError(f"The embedded {self.name} died ({self.ending}). Its last words:\n{last_lines(self.log)}")
        if not over:
            raise StartError(
                f"The embedded {self.name} did not answer within {READY_PATIENCE:.0f} s. The end of its log:\n"
                f"{last_lines(self.log)}"
            )

    def stop(self) -> None:
        """End it in an orderly way; does nothing if it does not run. A Ctrl-C meanwhile waits until it is done."""
        if self._child is None:
            return
        with held():
            self._child.stop(*self.stop_signals, grace=STOP_GRACE)
            self._child = None
        LOG.info("server_stopped", server=self.name)

    def restart(self) -> None:
        """Stop it in an orderly way and start it again."""
        self.stop()
        self.start()

    def crash(self) -> None:
        """End it without any ceremony, as a failing machine would; what it had promised to keep must still be there."""
        if self._child is None:
            return
        with held():
            self._child.stop(self.crash_signal, grace=STOP_GRACE)
            self._child = None

    def prepare(self, lock: int) -> None:  # noqa: B027  # a server that needs no preparing says nothing
        """Make its data ready, while nobody else can use them.

        Args:
            lock: The descriptor of the lock, for programs that this runs.
        """

    def _run(self, argv: list[str], log: Path, lock: int, *, orphaned: signal.Signals = signal.SIGKILL) -> Child:
        """Start one of its programs in its account, holding the lock."""
        return Child(argv, log, orphaned=orphaned, account=self.account, inherit=(lock,), env={"TZ": "UTC"})

    def _take(self, lock: int) -> None:
        if not wait_until(lambda: locks(lock), LEFTOVER_PATIENCE):
            holder = os.pread(lock, 32, 0).decode() or "unknown"
            raise StartError(
                f"Another {self.name} still runs over {self.data} (process {holder}). Stop it, and start again."
            )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def locks(descriptor: int) -> bool:
    """Take the lock of an open file, if nobody else has it, and say whether it is ours now."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
