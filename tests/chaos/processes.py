"""Real workers, beats and doors for tests: the command lines that people use, each process to be killed at will."""

import itertools
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from cli.stack import beat_command, environment, worker_command
from schemas.work import QUEUES
from workers.processes import Child

# Nothing of the machine's own settings, and everything in a hurry; but a lease outlasts what keeps a process of a busy
# machine waiting for its turn.
SETTINGS = {
    **dict.fromkeys(("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL"), ""),
    **dict.fromkeys(("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"), ""),
    "PATROL_EMBEDDER": "openai",
    "PATROL_OPENAI_EMBEDDING_DIMENSIONS": "64",
    "PATROL_PENDING_WAIT": "PT1S",
    "PATROL_JUDGE_QUIET": "PT0S",
    "PATROL_LEASE": "PT5S",
    "PATROL_SWEEP_EVERY": "0.5",
    "PATROL_LOG_FORMAT": "json",
}


class Processes:
    """Starts processes over one home; each has a log of its own, which stays.

    Args:
        home: Where they keep their files, the logs among them.
        settings: What their environment has beside `SETTINGS`.
    """

    def __init__(self, home: Path, settings: Mapping[str, str]) -> None:
        self.settings = {**SETTINGS, "PATROL_HOME": str(home), **settings}
        self._home = home
        self._numbers = itertools.count(1)
        self._children: list[Child] = []
        (home / "logs").mkdir(parents=True, exist_ok=True)

    def worker(self, name: str = "worker", *, concurrency: int = 2, **settings: str) -> Child:
        """Start a worker for all queues."""
        return self.start(name, worker_command(name, QUEUES, concurrency), **settings)

    def beat(self) -> Child:
        """Start a beat."""
        return self.start("beat", beat_command(self._home))

    def start(self, name: str, command: list[str], **settings: str) -> Child:
        """Start any of the system's programs."""
        log = self._home / "logs" / f"{next(self._numbers):03}-{name}.log"
        child = Child(command, log, env={**environment(), **self.settings, **settings})
        self._children.append(child)
        return child

    def logs(self, name: str) -> str:
        """All that the processes of a name have logged."""
        return "".join(log.read_text() for log in sorted((self._home / "logs").glob(f"*-{name}.log")))

    def kill(self) -> None:
        """End all that still live, without ceremony."""
        for child in self._children:
            child.kill()


@contextmanager
def processes(home: Path, **settings: str) -> Iterator[Processes]:
    """Processes that are gone when the block ends, without ceremony."""
    started = Processes(home, settings)
    try:
        yield started
    finally:
        started.kill()
