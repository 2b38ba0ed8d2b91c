"""Real workers, beat and a model provider that answers at once, for the benchmarks of the whole system."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

from bench.ground import Ground
from cli import stack
from cli.demo import canned
from schemas.settings import Settings
from schemas.work import Ring
from workers.processes import wait_until
from workers.supervisor import Process, Supervisor

WORKERS = 2
EMBEDDING_MODEL = {"PATROL_EMBEDDER": "openai", "PATROL_OPENAI_EMBEDDING_DIMENSIONS": "384", "OPENAI_API_KEY": "any"}


@contextmanager
def workforce(ground: Ground, *, pending_notes: int, pending_wait: timedelta) -> Iterator[Settings]:
    """Run two worker processes, beat and the provider over an empty ledger while the block runs.

    Args:
        ground: The servers.
        pending_notes: So many waiting scene notes start a patrol at once.
        pending_wait: A scene note waits at most this long.

    Yields:
        The settings of these processes, for what is handed in from here.
    """
    ground.clear()
    port = canned.free_port()
    environment = {
        **EMBEDDING_MODEL,
        "OPENAI_BASE_URL": f"http://{canned.HOST}:{port}/v1",
        "PATROL_PENDING_NOTES": str(pending_notes),
        "PATROL_PENDING_WAIT": f"PT{pending_wait.total_seconds()}S",
        "PATROL_LOG_LEVEL": "WARNING",
    }
    with Supervisor(ground.home / "logs") as supervisor:
        supervisor.start([canned.process(port)])
        supervisor.start(
            [_with(stack.worker(WORKERS, _quietly), environment), _with(stack.beat(ground.home, _quietly), environment)]
        )
        yield Settings(pending_notes=pending_notes, pending_wait=pending_wait)


def ring(rings: Iterable[Ring]) -> None:
    """Tell the workers what is due, as a door does."""
    from workers import doorbell  # noqa: PLC0415  # its app's settings name the broker, which runs only now
    from workers.app import app  # noqa: PLC0415  # likewise

    doorbell.ring(app, rings)


def wait_for(condition: Callable[[], bool], patience: float, *, pause: float = 0.1) -> None:
    """Wait until something is true, asking again after each `pause` seconds.

    Raises:
        TimeoutError: It did not come true in time.
    """
    if not wait_until(condition, patience, pause=pause):
        raise TimeoutError(f"The workers did not get it done within {patience:.0f} s.")


def _with(process: Process, environment: Mapping[str, str]) -> Process:
    return replace(process, env={**process.env, **environment})


def _quietly(name: str) -> None:
    """Nobody needs to hear that a process is ready."""
