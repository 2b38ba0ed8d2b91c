"""Importers, which send notes over HTTP in batches of 1,000 as fast as they are accepted, and retry when told to.

`python -m bench.intake.importer URL NOTES CALLERS` reads `BEING TOKEN` from standard input, a line for each Being. The
callers share the Beings out among them, and each hands in so many notes; a lone caller then demands patrols until none
waits.
"""

import sys
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice
from time import sleep
from typing import Any

import httpx2

from bench.memories import in_batches, scene_note
from schemas.limits import BATCH_ITEMS

PATIENCE = 120.0
LOOK_AGAIN = 0.2


class Caller:
    """One connection of an importer.

    Args:
        url: The API.
        being: Whose notes they are.
        token: Opens that Being.
    """

    def __init__(self, url: str, being: str, token: str) -> None:
        headers = {"Authorization": f"Bearer {token}"}
        self._client = httpx2.Client(base_url=f"{url}/v1/beings/{being}", headers=headers, timeout=PATIENCE)

    def hand_in(self, notes: Iterable[dict[str, object]]) -> None:
        """Send notes in full batches."""
        for batch in in_batches(notes, BATCH_ITEMS):
            self._insist("/notes", batch)

    def demand_patrols(self) -> None:
        """Demand patrols until no note is pending."""
        while self._client.get("/notes", params={"state": "pending", "limit": 1}).json()["notes"]:
            self._insist("/patrols", None)
            sleep(LOOK_AGAIN)

    def _insist(self, path: str, body: Any) -> None:
        while (answer := self._client.post(path, json=body)).status_code in {429, 503}:
            sleep(int(answer.headers["Retry-After"]))
        answer.raise_for_status()


def main(url: str, notes: int, callers: int) -> None:
    """Import over several connections at once."""
    beings = [line.split() for line in sys.stdin]
    at_work = [Caller(url, being, token) for being, token in islice(cycle(beings), callers)]
    with ThreadPoolExecutor(callers) as pool:
        list(pool.map(lambda caller: caller.hand_in(map(scene_note, range(notes))), at_work))
    if callers == 1:
        at_work[0].demand_patrols()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
