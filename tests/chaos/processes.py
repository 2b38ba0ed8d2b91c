"""Real workers, beats and doors for tests, started by the commands of users; tests kill them."""

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from cli.operations.environments import environment
from cli.operations.stack import beat_command, worker_command
from schemas.ledger.kinds import QUEUES
from workers.embedded.processes import Child

# No settings of the machine, and short times; but a lease outlasts the time for which a busy machine suspends a
# process.
SETTINGS = {
    **dict.fromkeys(("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"), ""),
    **dict.fromkeys(("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), ""),
    "PATROL_EMBEDDER": "openai",
    "PATROL_OPENAI_EMBEDDING_DIMENSIONS": "64",
    "PATROL_PENDING_WAIT": "PT1S",
    "PATROL_JUDGE_QUIET": "PT0S",
    "PATROL_SHORT_SESSION_WAIT": "PT1S",
    "PATROL_LEASE": "PT5S",
    "PATROL_SWEEP_EVERY": "0.5",
    "PATROL_LOG_FORMAT": "json",
}


class Processes:
    """Starts processes over one home; each has a log, which is kept.

    Args:
        home: The folder of their files, the logs among them.
        settings: Their environment beside `SETTINGS`.
        launch: Starts one of them.
    """

    def __init__(self, home: Path, settings: Mapping[str, str], launch: Callable[..., Child] = Child) -> None:
        self.settings = {**SETTINGS, "PATROL_HOME": str(home), **settings}
        self._home = home
        self._launch = launch
        self._numbers = itertools.count(1)
        self._children: list[Child] = []
        (home / "logs").mkdir(parents=True, exist_ok=True)

    def worker(self, name: str = "worker", *, concurrency: int = 2, **settings: Any) -> Child:
        """Start a worker for all queues."""
        return self.start(name, worker_command(name, QUEUES, concurrency), **settings)

    def beat(self) -> Child:
        """Start a beat."""
        return self.start("beat", beat_command(self._home))

    def start(self, name: str, command: list[str], *, crash_at: Sequence[str] = (), **settings: str) -> Child:
        """Start any of the system's programs; `crash_at` are points of `tests.processes.crashing`."""
        if crash_at:
            python, option, *started = command
            command = [python, option, "tests.processes.crashing", *started]
            settings["TESTS_CRASH_AT"] = ",".join(crash_at)
        log = self._home / "logs" / f"{next(self._numbers):03}-{name}.log"
        child = self._launch(command, log, env={**environment("worker"), **self.settings, **settings})
        self._children.append(child)
        return child

    def logs(self, name: str) -> str:
        """Return the logs of the processes of that name."""
        return "".join(log.read_text() for log in sorted((self._home / "logs").glob(f"*-{name}.log")))

    def kill(self) -> None:
        """Kill all processes that still run."""
        for child in self._children:
            child.kill()


@contextmanager
def processes(home: Path, launch: Callable[..., Child] = Child, **settings: str) -> Iterator[Processes]:
    """Yield processes that are killed when the block ends."""
    started = Processes(home, settings, launch)
    try:
        yield started
    finally:
        started.kill()
