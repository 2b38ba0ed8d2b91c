"""Measures recall and turns through HTTP while 1, 8, 32 and 64 clients ask at the same time.

Each of eight users has a Being with 10,000 nodes, and the local embedder embeds each query. The API has two processes,
and no worker runs. A client asks again as soon as it has its answer.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from time import perf_counter

import httpx2

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.memories import action, new_filled_being
from cli.demo import canned
from cli.operations import stack
from providers.embedders import Embedders
from schemas.settings import Settings
from workers.embedded.supervisor import Supervisor

USERS = 8
NODES = 10_000
DIMENSIONS = 384
PROCESSES = 2
CLIENTS = (1, 8, 32, 64)
# Requests at each number of clients, and those before them that are not counted.
REQUESTS = 400
WARM_UP = 40
PATIENCE = 120.0


def clients(ground: Ground) -> Iterator[Figure]:
    """p50 and p95 of recall and turns, and requests a second, by the number of clients."""
    model = Embedders(Settings(embedder="minilm")).serving(None).model
    beings = [new_filled_being(ground, NODES, DIMENSIONS, model) for _ in range(USERS)]
    with _api(ground) as url:
        for path, body in (("recall", _recall), ("turns", _turn)):
            for count in CLIENTS:
                callers = [
                    httpx2.Client(
                        base_url=f"{url}/v1/beings/{being_id}",
                        headers={"Authorization": f"Bearer {ground.token(being_id)}"},
                        timeout=PATIENCE,
                    )
                    for being_id in (beings * count)[:count]
                ]
                with ThreadPoolExecutor(count) as pool:
                    ask = partial(_asked, path, body)
                    list(pool.map(partial(ask, each=max(1, WARM_UP // count)), callers))
                    begun = perf_counter()
                    took = list(chain.from_iterable(pool.map(partial(ask, each=-(-REQUESTS // count)), callers)))
                    rate = len(took) / (perf_counter() - begun)
                for caller in callers:
                    caller.close()
                times, what = Times(took), f"{path}, {count} clients"
                yield Figure(what=f"{what}, p50", measured=times.p50, unit="ms", remark=f"{rate:.0f} /s")
                yield Figure(what=f"{what}, p95", measured=times.p95, unit="ms")


@contextmanager
def _api(ground: Ground) -> Iterator[str]:
    """Run the API; yields its URL."""
    port = canned.free_port()
    process = stack.api(canned.HOST, port, PROCESSES, lambda _: None)
    environment = {**(process.env or os.environ), "PATROL_EMBEDDER": "minilm", "PATROL_LOG_LEVEL": "WARNING"}
    with Supervisor(ground.home / "clients-logs") as supervisor:
        supervisor.start([replace(process, env=environment)], patience=PATIENCE)
        yield f"http://{canned.HOST}:{port}"


def _asked(path: str, body: Callable[[int], dict[str, object]], client: httpx2.Client, *, each: int) -> list[float]:
    """Ask so many times, and return the seconds that each answer took."""
    took = []
    for number in range(each):
        begun = perf_counter()
        client.post(f"/{path}", json=body(number)).raise_for_status()
        took.append(perf_counter() - begun)
    return took


def _recall(number: int) -> dict[str, object]:
    return {"query": action(number)}


def _turn(number: int) -> dict[str, object]:
    return {"messages": [{"role": "user", "content": action(number)}], "format": "anthropic"}
