"""Measures a simple read through HTTP beside many callers of other users that import notes as fast as they can."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import cycle, islice
from multiprocessing import get_context
from random import Random
from time import perf_counter, sleep

import httpx2

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.ledger.producers import PATIENCE, at_once, hand_in, new_client
from bench.ledger.workforce import wait_for, workforce
from bench.memories import scene_note

READS = 300
READ_EVERY = 0.05
PROMISED_MS = 100.0
CALLERS = 80
IMPORTING_USERS = 4
# More than are accepted while the reads are measured.
NOTES = 20_000


def reads(ground: Ground) -> Iterator[Figure]:
    """Measure a user's reads alone, and beside 80 bulk callers."""
    with workforce(ground) as (url, _), new_client(ground, url) as client:
        _reads(client)
        alone = _reads(client)
        with _importing(ground, url):
            beside = _reads(client)
    remark = f"p50 {beside.p50:.1f} ms, {alone.p50:.1f} alone; worst {1000 * max(beside.seconds):.0f} ms"
    for limit, against in ((alone.p95, "without them"), (PROMISED_MS, "the promise")):
        yield Figure(
            what=f"a read beside {CALLERS} bulk callers, p95",
            measured=beside.p95,
            unit="ms",
            limit=limit,
            against=against,
            remark=remark,
        )


def _reads(client: httpx2.Client) -> Times:
    """Read the newest notes from time to time; measures how long each read takes."""
    chance = Random(READS)  # noqa: S311  # for no secret
    took = []
    for _ in range(READS):
        begun = perf_counter()
        client.get("/notes", params={"limit": 10}).raise_for_status()
        took.append(perf_counter() - begun)
        sleep(READ_EVERY * chance.uniform(0.5, 1.5))
    return Times(took)


@contextmanager
def _importing(ground: Ground, url: str) -> Iterator[None]:
    """Import notes in another process while the block runs; the block begins after the first batch."""
    clients = [new_client(ground, url) for _ in range(IMPORTING_USERS)]
    importing = [(str(client.base_url), client.headers["Authorization"]) for client in clients]
    process = get_context("spawn").Process(target=_import, args=[importing])
    process.start()
    try:
        wait_for(lambda: _accepted(ground) > 0, PATIENCE)
        yield
    finally:
        process.kill()
        process.join()


def _import(beings: Sequence[tuple[str, str]]) -> None:
    """Hand in notes over a connection for each caller, as fast as they are accepted; the callers share the Beings."""
    notes = [scene_note(position) for position in range(NOTES)]
    clients = [
        httpx2.Client(base_url=url, headers={"Authorization": bearer}, timeout=PATIENCE)
        for url, bearer in islice(cycle(beings), CALLERS)
    ]
    at_once([partial(hand_in, client, "notes", notes) for client in clients])


def _accepted(ground: Ground) -> int:
    with ground.store.transaction() as tx:
        return int(tx.value("select count(*) from memory.notes"))
