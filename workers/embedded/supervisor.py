"""Keeps a set of child processes running, and stops them together."""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

import structlog

from workers.embedded.errors import StackError, StartError
from workers.embedded.interrupts import held, stoppable
from workers.embedded.log_files import LOG_BYTES, rotate
from workers.embedded.processes import Child, last_lines, wait_until
from workers.embedded.server import Server

LOG = structlog.get_logger()

#: Backoff in seconds before the first, second, … restart of a process that keeps exiting; the last repeats.
DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
#: Seconds. A process that ran for longer is restarted with the first delay again.
STABLE = 60.0
PAUSE = 0.2


@dataclass(frozen=True)
class Process:
    """A process to keep running.

    Attributes:
        name: Its name in logs, and of its log file.
        argv: A path or a name on the PATH, and the arguments.
        env: Its whole environment; nothing is added to it.
        ready: Returns whether it is ready; None: it is ready when it runs.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str]
    ready: Callable[[], bool] | None = None


class Launch(Protocol):
    """How a process is started; `Child` executes its program."""

    def __call__(self, argv: Sequence[str], log: Path, *, env: Mapping[str, str]) -> Child:
        """Start a program."""


class Program:
    """A `Process` and the child process that runs it now."""

    def __init__(self, process: Process, logs: Path, launch: Launch) -> None:
        self.process = process
        self._launch = launch
        self.name = process.name
        self.log = logs / f"{process.name}.log"
        self.child: Child | None = None

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.child is not None and self.child.alive

    @property
    def ending(self) -> str:
        """How it ended, for messages."""
        return self.child.ending if self.child else "not started"

    @property
    def ready(self) -> bool:
        """Whether it runs and is ready."""
        return self.alive and (self.process.ready is None or self.process.ready())

    def launch(self) -> None:
        """Start it, or restart it."""
        with held():
            self.child = self._launch(self.process.argv, self.log, env=self.process.env)
        LOG.info("process_started", process=self.name, pid=self.child.pid)


Restarted = Program | Server
"""A process that the supervisor restarts: a program that it started, or a server that its caller started."""


@dataclass
class _Watched:
    """A process that is restarted, and the state of its backoff."""

    what: Restarted
    since: float = field(default_factory=time.monotonic)
    deaths: int = 0
    due: float | None = None
    unrotated: bool = False

    def check(self) -> None:
        """Schedule the restart of a process that has ended, and perform it once its delay is over."""
        now = time.monotonic()
        if self.what.alive:
            return
        if self.due is None:
            self.deaths = 1 if now - self.since >= STABLE else self.deaths + 1
            delay = DELAYS[min(self.deaths, len(DELAYS)) - 1]
            self.due = now + delay
            LOG.warning("process_died", process=self.what.name, ending=self.what.ending, restart_in=delay)
        elif now >= self.due:
            self.since, self.due = now, None
            try:
                self.what.launch()
            except (StackError, OSError) as error:
                LOG.warning("restart_failed", process=self.what.name, reason=type(error).__name__)

    def rotate(self, most_bytes: int) -> None:
        """Rotate its log if it is too large; after a failure, such as a full disk, the next call tries again."""
        try:
            rotated = rotate(self.what.log, most_bytes)
        except OSError as error:
            if not self.unrotated:
                LOG.warning("rotation_failed", process=self.what.name, reason=type(error).__name__)
            self.unrotated = True
        else:
            self.unrotated = False
            if rotated:
                LOG.info("log_rotated", process=self.what.name)


class Supervisor:
    """Starts processes, restarts those that exit, and stops all of them on leaving its `with` block.

    Ctrl-C, SIGTERM and SIGHUP raise `KeyboardInterrupt` inside the block. On leaving, each process gets SIGTERM, the
    one started last first, and up to `grace` seconds; another Ctrl-C ends the wait. Then process groups that still run
    are killed. Must be used in one thread, the main one if signals are to be handled.

    Args:
        logs: The directory for one log file per process, made when missing; five files are kept of each.
        grace: Seconds from SIGTERM to SIGKILL.
        most_log_bytes: A log of more is rotated, also that of a watched server.
        launch: How processes are started.
    """

    def __init__(
        self, logs: Path, *, grace: float = 15.0, most_log_bytes: int = LOG_BYTES, launch: Launch = Child
    ) -> None:
        self.logs = logs
        self.grace = grace
        self.most_log_bytes = most_log_bytes
        self._launch = launch
        self._programs: list[Program] = []
        self._watched: list[_Watched] = []
        self._context = ExitStack()

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each process that runs, by name."""
        return {program.name: program.child.pid for program in self._programs if program.child and program.alive}

    def start(
        self, processes: Sequence[Process], *, patience: float = 180.0, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        """Start processes together and wait until all are ready.

        Args:
            processes: They are stopped in the opposite order.
            patience: Seconds until all must be ready.
            meanwhile: Called once they were started; its exceptions are raised here.

        Raises:
            StartError: One exited, or was not ready in time; with the end of its log. The others run until the block
                is left.
        """
        self.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        started = [Program(process, self.logs, self._launch) for process in processes]
        for program in started:
            self._programs.append(program)
            program.launch()
        meanwhile()
        late = [*started]

        def over() -> bool:
            late[:] = [program for program in late if not program.ready]
            return not any(program.alive for program in late)

        wait_until(over, patience)
        for program in started:
            if program in late or not program.alive:
                how = f"was not ready within {patience:.0f} s" if program.alive else f"ended ({program.ending})"
                raise StartError(
                    f"The process {program.name} {how}. The end of {program.log}:\n{last_lines(program.log)}"
                )
        self.watch(*started)

    def watch(self, *others: Restarted) -> None:
        """Restart these too when they exit; their caller stops them."""
        self._watched += map(_Watched, others)

    def check(self) -> None:
        """Restart ended processes and rotate large logs, once; for callers that do not use `wait`."""
        for watched in self._watched:
            watched.check()
            watched.rotate(self.most_log_bytes)

    def wait(self, until: Callable[[], bool] = lambda: False) -> None:
        """Call `check` until a condition is met; without one, until `KeyboardInterrupt`."""
        while not until():
            self.check()
            time.sleep(PAUSE)

    def stop(self) -> None:
        """Stop the started processes, the last one first, all within one period of grace."""
        self._watched.clear()
        with held() as received:
            running = [program.child for program in reversed(self._programs) if program.child]
            for child in running:
                child.send(signal.SIGTERM)
            wait_until(lambda: bool(received) or not any(child.alive for child in running), self.grace)
            for program in reversed(self._programs):
                if program.alive:
                    LOG.warning("process_killed", process=program.name, hurried=bool(received))
            for child in running:
                child.kill()
            self._programs.clear()

    def __enter__(self) -> Self:
        self._context.enter_context(stoppable())
        return self

    def __exit__(self, *_: object) -> None:
        with self._context:
            self.stop()
