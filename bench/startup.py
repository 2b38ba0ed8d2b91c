"""Measures cold things: the command line's help, `patrol up` until it is ready, and the memory of its processes."""

import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import httpx2

from bench import processes
from bench.figures import Figure
from bench.ground import Ground
from bench.ledger.workforce import wait_for
from cli.demo import canned
from schemas.settings import CHECKOUT
from workers.embedded.processes import wait_until

TIMES = 5
HELP_GOAL = 0.3
READY_GOAL = 3.0
MEMORY_GOAL = 700.0
PATIENCE = 120.0
# After they are ready, processes still load the embedder's model.
SETTLED_SECONDS = 10.0
# By a part of the command line; the first that fits.
ROLES = {
    "postgres": "Postgres",
    "redis-server": "Redis",
    "worker_group": "workers",
    "beat@": "beat",
    "api.server": "API",
    "multiprocessing": "API",
    "cli stream": "stream reader",
    "cli up": "supervisor",
}


def startup(ground: Ground) -> Iterator[Figure]:
    """Measure start-up and resting memory, with a platform key, the keyless embedder, and an empty database."""
    del ground
    runs = [_run([sys.executable, "-m", "cli", "--help"]) for _ in range(TIMES)]
    yield Figure(
        what="patrol --help, fastest",
        measured=min(took for took, _ in runs),
        unit="s",
        limit=HELP_GOAL,
        against="the goal",
        remark=f"{min(used for _, used in runs):.2f} s of processor time",
    )
    with tempfile.TemporaryDirectory(prefix="patrol-bench-") as directory:
        home = Path(directory)
        # The first start makes the cluster and the tables.
        with _stack(home):
            pass
        with _stack(home) as (process, took):
            used = sum(map(processes.processor_seconds, processes.family(process.pid)))
            yield Figure(
                what="patrol up until ready",
                measured=took,
                unit="s",
                limit=READY_GOAL,
                against="the goal",
                remark=f"{used:.1f} s of processor time",
            )
            wait_until(lambda: False, SETTLED_SECONDS)
            memory = _memory(process.pid)
    yield Figure(
        what="memory of the stack",
        measured=sum(memory.values()),
        unit="MB",
        limit=MEMORY_GOAL,
        against="the goal",
        remark=", ".join(f"{role} {size}" for role, size in memory.most_common()),
    )


def _run(argv: list[str]) -> tuple[float, float]:
    """Run a program; returns its seconds, and those of processor time."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), perf_counter()
    subprocess.run(argv, check=True, cwd=CHECKOUT, stdout=subprocess.DEVNULL)  # noqa: S603  # our own program
    took, after = perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


@contextmanager
def _stack(home: Path) -> Iterator[tuple["subprocess.Popen[bytes]", float]]:
    """Run `patrol up` for the duration of the block; yields its process, and the seconds until it was ready."""
    port = canned.free_port()
    environment = {**os.environ, "PATROL_HOME": str(home), "ANTHROPIC_API_KEY": "any", "PATROL_EMBEDDER": "minilm"}
    argv = [sys.executable, "-m", "cli", "up", "--port", str(port)]
    begun = perf_counter()
    with subprocess.Popen(argv, cwd=CHECKOUT, env=environment, stdout=subprocess.DEVNULL) as process:  # noqa: S603  # our own program
        try:
            wait_for(lambda: _is_ready(port), PATIENCE, pause=0.02)
            yield process, perf_counter() - begun
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait()


def _is_ready(port: int) -> bool:
    try:
        return httpx2.get(f"http://{canned.HOST}:{port}/health/ready", timeout=PATIENCE).is_success
    except httpx2.TransportError:
        return False


def _memory(ancestor: int) -> Counter[str]:
    """The memory of the stack's processes in MB, by role."""
    sizes: Counter[str] = Counter()
    for pid in processes.family(ancestor):
        named = processes.command(pid)
        sizes[next((role for part, role in ROLES.items() if part in named), named)] += round(processes.megabytes(pid))
    return sizes
