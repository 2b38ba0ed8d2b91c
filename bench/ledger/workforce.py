"""Runs real workers, beat and a model provider that answers at once, for benchmarks of the whole system."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import LiteralString

from bench.ground import CONNECTIONS, Ground
from bench.ledger import task_clock
from cli.demo import canned
from cli.operations import stack
from schemas.ledger.work import TaskMessage
from schemas.settings import Settings
from store.database import Store
from store.transaction import value
from workers.embedded.processes import wait_until
from workers.embedded.supervisor import Process, Supervisor

WORKERS = 2
EMBEDDING_MODEL = {"PATROL_EMBEDDER": "openai", "OPENAI_API_KEY": "any"}
# What `wait_until_none` counts. Work that waits for its time, such as a patrol for a few scenes, is not left over.
UNSETTLED = (
    "select count(*) from memory.work"
    " where state = 'running' or (state = 'ready' and next_at <= clock_timestamp() and kind <> 'upkeep.curate')"
)
# Those that were handed in: scenes drawn from messages wait for PATROL_PENDING_WAIT.
UNREMEMBERED = "select count(*) from memory.notes where origin = 'producer' and state <> 'remembered'"


@contextmanager
def workforce(
    ground: Ground,
    *,
    pending_notes: int,
    pending_wait: timedelta,
    api_port: int | None = None,
    thinks: bool = False,
    dimensions: int = 384,
    clock: Path | None = None,
) -> Iterator[tuple[Settings, Store]]:
    """Run two worker processes, beat and the provider over an empty ledger while the block runs.

    Args:
        ground: The servers.
        pending_notes: So many waiting scene notes start a patrol at once.
        pending_wait: A scene note waits at most this long.
        api_port: Where the HTTP API is to listen, in two processes; None: there is none.
        thinks: Whether the provider thinks as well.
        dimensions: How many numbers its embeddings have.
        clock: Where the workers' processes are to write the processor time that they spend inside of tasks.

    Yields:
        The settings of these processes, for what is handed in from here, and a ledger that sends their tasks.
    """
    ground.clear()
    port = canned.free_port()
    provider = f"http://{canned.HOST}:{port}/v1"
    environment = {
        **EMBEDDING_MODEL,
        "PATROL_OPENAI_EMBEDDING_DIMENSIONS": str(dimensions),
        "OPENAI_BASE_URL": provider,
        "PATROL_PENDING_NOTES": str(pending_notes),
        "PATROL_PENDING_WAIT": f"PT{pending_wait.total_seconds()}S",
        "PATROL_LOG_LEVEL": "WARNING",
        **(canned.settings(port) if thinks else {}),
    }
    with Supervisor(ground.home / "logs") as supervisor:
        supervisor.start([canned.process(port)])
        supervisor.start(
            [
                _with(process, environment)
                for process in (_clocked(stack.workers(WORKERS, _quietly), clock), stack.beat(ground.home, _quietly))
            ]
        )
        if api_port is not None:
            supervisor.start([_with(stack.api(canned.HOST, api_port, WORKERS, _quietly), environment)])
        with Store(ground.url, CONNECTIONS, _send) as store:
            yield (
                Settings(pending_notes=pending_notes, pending_wait=pending_wait, openai_base_url=provider),
                store,
            )


def _send(messages: Sequence[TaskMessage]) -> None:
    """Send the Celery messages for due work, as a door does."""
    from workers.runtime import dispatch  # noqa: PLC0415  # its app's settings read the broker's URL, which is known only now
    from workers.runtime.app import app  # noqa: PLC0415  # likewise

    dispatch.send(app, messages)


def wait_for(condition: Callable[[], bool], patience: float, *, pause: float = 0.1) -> None:
    """Poll a condition every `pause` seconds until it holds.

    Raises:
        TimeoutError: It did not come true in time.
    """
    if not wait_until(condition, patience, pause=pause):
        raise TimeoutError(f"The workers did not get it done within {patience:.0f} s.")


def wait_until_none(ground: Ground, counted: LiteralString, patience: float) -> None:
    """Poll until a statement that counts what is unfinished counts nothing.

    Raises:
        TimeoutError: It did not come to that in time.
    """

    def none() -> bool:
        with ground.store.transaction() as tx:
            return not value(tx, counted)

    wait_for(none, patience)


def _clocked(workers: Process, directory: Path | None) -> Process:
    if directory is None:
        return workers
    argv: list[str] = []
    for argument in workers.argv:
        argv += ["--include", task_clock.__name__, argument] if argument == "--pool" else [argument]
    return replace(workers, argv=argv, env={**workers.env, task_clock.DIRECTORY: str(directory)})


def _with(process: Process, environment: Mapping[str, str]) -> Process:
    return replace(process, env={**process.env, **environment})


def _quietly(name: str) -> None:
    """Announce nothing."""
