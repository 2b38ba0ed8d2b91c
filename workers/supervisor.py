"""Keeps a set of processes running, and ends them together."""

import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, Self

import structlog

from workers.interrupts import held, stoppable
from workers.processes import Child, last_lines, wait_until
from workers.stack_errors import StackError, StartError

LOG = structlog.get_logger()

#: Seconds before the first, second, … restart of what keeps dying; the last is for all further ones.
DELAYS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)
#: Having lived so many seconds, a process begins with the first delay again.
STABLE = 60.0
PAUSE = 0.2


@dataclass(frozen=True)
class Process:
    """A process to keep running.

    Attributes:
        name: What logs call it, and the name of its log file.
        argv: A path or a name on the PATH, and the arguments.
        env: What is added to our environment.
        ready: Says whether it does its work yet; without, running is enough.
    """

    name: str
    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    ready: Callable[[], bool] | None = None


class Restartable(Protocol):
    """What the supervisor starts again when it has died: its own programs and, watched for others, servers."""

    @property
    def name(self) -> str:
        """What logs call it."""

    @property
    def alive(self) -> bool:
        """Whether it runs."""

    @property
    def ending(self) -> str:
        """How it ended, in words."""

    def launch(self) -> None:
        """Start it, without waiting until it is ready."""


class Program:
    """A `Process` with its current incarnation."""

    def __init__(self, process: Process, logs: Path) -> None:
        self.process = process
        self.name = process.name
        self.log = logs / f"{process.name}.log"
        self.child: Child | None = None

    @property
    def alive(self) -> bool:
        """Whether it runs."""
        return self.child is not None and self.child.alive

    @property
    def ending(self) -> str:
        """How it ended, in words."""
        return self.child.ending if self.child else "not started"

    @property
    def ready(self) -> bool:
        """Whether it does its work."""
        return self.alive and (self.process.ready is None or self.process.ready())

    def launch(self) -> None:
        """Start it, or start it again."""
        with held():
            self.child = Child(self.process.argv, self.log, env=self.process.env)
        LOG.info("process_started", process=self.name, pid=self.child.pid)


@dataclass
class _Watched:
    """One thing that is restarted, and what is remembered of its deaths."""

    what: Restartable
    since: float = field(default_factory=time.monotonic)
    deaths: int = 0
    due: float | None = None

    def check(self) -> None:
        """Note a death, and restart what is dead once its delay is over."""
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


class Supervisor:
    """Starts processes, restarts those that die, and stops all of them on leaving its `with` block.

    Ctrl-C, SIGTERM and a closed terminal raise `KeyboardInterrupt` inside the block. On leaving, each process gets
    SIGTERM, the one started last first, and as much of the grace as it needs; another Ctrl-C cuts that short. What
    then still lives is killed, with all of its process group. Use it in one thread, the main one if there are signals.

    Args:
        logs: The directory for one log file per process, made when missing.
        grace: Seconds from SIGTERM to SIGKILL.
    """

    def __init__(self, logs: Path, *, grace: float = 15.0) -> None:
        self.logs = logs
        self.grace = grace
        self._programs: list[Program] = []
        self._watched: list[_Watched] = []
        self._context = ExitStack()

    @property
    def pids(self) -> dict[str, int]:
        """The process id of each process that runs, by name."""
        return {program.name: program.child.pid for program in self._programs if program.child and program.alive}

    def start(self, processes: Sequence[Process], *, patience: float = 180.0) -> None:
        """Start processes together and wait until all are ready.

        Args:
            processes: They are stopped in the opposite order.
            patience: Seconds until all must be ready.

        Raises:
            StartError: One died, or was not ready in time; with the end of its log. All that were started still run,
                until the block is left.
        """
        self.logs.mkdir(mode=0o700, parents=True, exist_ok=True)
        started = [Program(process, self.logs) for process in processes]
        for program in started:
            self._programs.append(program)
            program.launch()
        late = [*started]

        def over() -> bool:
            late[:] = [program for program in late if not program.ready]
            return not any(program.alive for program in late)

        wait_until(over, patience)
        for program in started:
            if program in late or not program.alive:
                how = f"was not ready within {patience:.0f} s" if program.alive else f"died ({program.ending})"
                raise StartError(
                    f"The process {program.name} {how}. The end of {program.log}:\n{last_lines(program.log)}"
                )
        self.watch(*started)

    def watch(self, *others: Restartable) -> None:
        """Restart these too when they die; whoever started them stops them."""
        self._watched += map(_Watched, others)

    def check(self) -> None:
        """Look after all processes once; for a program that has something else to do than to `wait`."""
        for watched in self._watched:
            watched.check()

    def wait(self, until: Callable[[], bool] = lambda: False) -> None:
        """Look after all processes until a condition is met; without one, until `KeyboardInterrupt`."""
        while not until():
            self.check()
            time.sleep(PAUSE)

    def stop(self) -> None:
        """Stop what was started, the last first, all within one period of grace."""
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
