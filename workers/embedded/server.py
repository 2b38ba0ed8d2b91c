"""The base class of the embedded Postgres and the embedded Redis.

A lock ensures that one server at a time runs over its data: the server and every process that it forks inherit a locked
file, and the kernel releases the lock when the last of them ends. So a start first waits for processes of an earlier
run, and does not rely on pid files, which are wrong after a `kill -9`.
"""

import fcntl
import os
import signal
from abc import ABC, abstractmethod
from pathlib import Path
from typing import ClassVar, Self

import structlog

from workers.embedded.environment import plain_environment
from workers.embedded.errors import StartError
from workers.embedded.interrupts import held
from workers.embedded.processes import Account, Child, last_lines, wait_until

LOG = structlog.get_logger()

# Seconds. Crash recovery replays the log since the last checkpoint, which may take minutes on a slow disk.
READY_PATIENCE = 120.0
LEFTOVER_PATIENCE = 30.0
STOP_GRACE = 15.0


class Server(ABC):
    """A server on a Unix socket. As a context manager it is started on entry and stopped on exit.

    Args:
        data: Its own directory, made when missing; data and log stay there.
        sockets: An existing directory for its socket, with a short path (see `workers.embedded.servers.run_directory`).
    """

    name: ClassVar[str]
    #: The signals of an orderly shutdown, from polite to firm.
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
        """Return whether it serves clients now."""

    @property
    @abstractmethod
    def url(self) -> str:
        """The URL for clients, whether it runs or not."""

    @property
    def account(self) -> Account | None:
        """The account that it runs in, if not this process's."""
        return None

    @property
    def alive(self) -> bool:
        """Whether its process exists; it may be starting or suspended."""
        return self._child is not None and self._child.alive

    @property
    def ending(self) -> str:
        """How its process ended, for messages."""
        return self._child.ending if self._child else "not started"

    @property
    def pid(self) -> int:
        """The id of its main process.

        Raises:
            LookupError: The server was not started.
        """
        if self._child is None:
            raise LookupError(f"the embedded {self.name} was not started")
        return self._child.pid

    def start(self) -> None:
        """Start it and wait until it answers; does nothing if it already runs.

        Raises:
            NotInstalledError: Its program is missing.
            StartError: It exited, or does not answer; with the end of its log.
        """
        try:
            self.launch()
            self.await_ready()
        except BaseException:
            self.stop()
            raise

    def launch(self) -> None:
        """Start it without waiting, so that several servers can start in parallel.

        Raises:
            NotInstalledError: Its program is missing.
            StartError: A process of an earlier run still runs, or the data can't be used.
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
            StartError: It exited, or does not answer; with the end of its log.
        """
        over = wait_until(lambda: not self.alive or self.answers(), READY_PATIENCE)
        if not self.alive:
            raise StartError(
                f"The embedded {self.name} ended ({self.ending}). The end of its log:\n{last_lines(self.log)}"
            )
        if not over:
            raise StartError(
                f"The embedded {self.name} did not answer within {READY_PATIENCE:.0f} s. The end of its log:\n"
                f"{last_lines(self.log)}"
            )

    def stop(self) -> None:
        """Shut it down in an orderly way; does nothing if it does not run. Delays a Ctrl-C until it is done."""
        if self._child is None:
            return
        with held():
            self._child.stop(*self.stop_signals, grace=STOP_GRACE)
            self._child = None
        LOG.info("server_stopped", server=self.name)

    def crash(self) -> None:
        """Kill it as a failing machine would, for tests of durability."""
        if self._child is None:
            return
        with held():
            self._child.stop(self.crash_signal, grace=STOP_GRACE)
            self._child = None

    def prepare(self, lock: int) -> None:  # noqa: B027  # by default there is nothing to prepare
        """Prepare its data before the start, under the lock.

        Args:
            lock: The descriptor of the lock, which programs that this starts inherit.
        """

    def _run(self, argv: list[str], log: Path, lock: int, *, orphaned: signal.Signals = signal.SIGKILL) -> Child:
        """Start one of its programs in its account, holding the lock."""
        environment = {**plain_environment(), "TZ": "UTC"}
        return Child(argv, log, orphaned=orphaned, account=self.account, inherit=(lock,), env=environment)

    def _take(self, lock: int) -> None:
        if not wait_until(lambda: locks(lock), LEFTOVER_PATIENCE):
            holder = os.pread(lock, 32, 0).decode() or "unknown"
            raise StartError(
                f"Another {self.name} still runs over {self.data} (process {holder}). Stop it and start again."
            )

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


def locks(descriptor: int) -> bool:
    """Try to lock an open file, without waiting. Returns whether this process holds the lock."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
