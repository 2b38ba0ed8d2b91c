"""Runs real workers, beat and a model provider that answers at once, for benchmarks of the whole system."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import LiteralString

from bench.ground import Ground
from bench.ledger.producers import PATIENCE
from cli.demo import canned
from cli.operations import stack
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
    thinks: bool = False,
    dimensions: int = 384,
) -> Iterator[tuple[str, str]]:
    """Run worker processes, beat, the API and the provider over an empty ledger while the block runs.

    Args:
        ground: The servers.
        thinks: Whether the provider thinks as well.
        dimensions: How many numbers its embeddings have.

    Yields:
        The URLs of the API and of the provider.
    """
    ground.clear()
    port, api_port = canned.free_port(), canned.free_port()
    provider = f"http://{canned.HOST}:{port}/v1"
    environment = {
        **EMBEDDING_MODEL,
        "PATROL_OPENAI_EMBEDDING_DIMENSIONS": str(dimensions),
        "OPENAI_BASE_URL": provider,
        "PATROL_LOG_LEVEL": "WARNING",
        **(canned.settings(port) if thinks else {}),
    }
    with Supervisor(ground.home / "logs") as supervisor:
        supervisor.start([canned.process(port)])
        beside = [stack.workers(WORKERS, quietly), stack.beat(ground.home, quietly)]
        supervisor.start([_with(process, environment) for process in beside])
        supervisor.start([_with(stack.api(canned.HOST, api_port, WORKERS, quietly), environment)])
        yield f"http://{canned.HOST}:{api_port}", provider


def wait_for(condition: Callable[[], bool], patience: float, *, pause: float = 0.1) -> None:
    """Poll a condition every `pause` seconds until it holds.

    Raises:
        TimeoutError: It did not come true in time.
    """
    if not wait_until(condition, patience, pause=pause):
        raise TimeoutError(f"The workers did not get it done within {patience:.0f} s.")


def wait_until_none(ground: Ground, counted: LiteralString) -> None:
    """Poll until a statement that counts what is unfinished counts nothing.

    Raises:
        TimeoutError: It did not come to that in time.
    """

    def none() -> bool:
        with ground.store.transaction() as tx:
            return not tx.value(counted)

    wait_for(none, PATIENCE)


def _with(process: Process, environment: Mapping[str, str]) -> Process:
    return replace(process, env={**process.env, **environment})


def quietly(name: str) -> None:
    """Announce nothing."""
