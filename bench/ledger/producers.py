"""Producers that hand in messages and notes through HTTP, alone or side by side, and honour `Retry-After`."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import httpx2

from bench.ground import Ground
from bench.memories import in_batches

BATCH = 500
PATIENCE = 600.0


def new_client(ground: Ground, url: str, connections: int = 1) -> httpx2.Client:
    """Make a client of a new user's Being, whose relative URLs are that Being's.

    Args:
        ground: The servers.
        url: The address of the API.
        connections: So many requests may be under way at once.
    """
    being_id = ground.new_being()
    return httpx2.Client(
        base_url=f"{url}/v1/beings/{being_id}",
        headers={"Authorization": f"Bearer {ground.token(being_id)}"},
        timeout=PATIENCE,
        limits=httpx2.Limits(max_connections=connections),
    )


def hand_in(client: httpx2.Client, what: str, items: Sequence[dict[str, object]]) -> None:
    """Hand in `messages` or `notes` in batches of 500."""
    for batch in in_batches(items, BATCH):
        _insist(client, what, batch)


def hand_in_one_by_one(client: httpx2.Client, what: str, items: Sequence[dict[str, object]]) -> None:
    """Hand in `messages` or `notes`, one a request."""
    for item in items:
        _insist(client, what, item)


def at_once(acts: Sequence[Callable[[], None]]) -> None:
    """Run functions side by side, a thread each, and raise what one of them raised."""
    with ThreadPoolExecutor(len(acts)) as pool:
        for done in [pool.submit(act) for act in acts]:
            done.result()


def _insist(client: httpx2.Client, what: str, body: object) -> None:
    while (answer := client.post(f"/{what}", json=body)).status_code in {429, 503}:
        sleep(int(answer.headers["Retry-After"]))
    answer.raise_for_status()
