"""Measures recall through HTTP right after 10,000 notes were handed in and remembered, and when the tables are settled.

Settled recalls are timed in turn with a bare exact scan of the same vectors and a bare request for an embedding, which
they contain. The rest is HTTP, the lookup of token and Being, the call's entry in the ledger, and the activation.
"""

from collections.abc import Callable, Iterator
from itertools import count

import httpx2
from psycopg.sql import SQL, Identifier

from bench.figures import Figure, Times, timed
from bench.ground import Ground
from bench.ledger.producers import hand_in, new_client
from bench.ledger.workforce import UNREMEMBERED, UNSETTLED, wait_until_none, workforce
from bench.memories import action, scene_note
from samples.canned.embeddings import word_vector
from store.nodes.embeddings import halfvec

NODES = 10_000
DIMENSIONS = 1_536
TIMES = 100
BARE = Identifier("bench", "imported")
# What a recall may take beside the scan and the embedding of the same run: more than the scan by so much, and for HTTP.
SCANS = 1.6
HTTP = 3.0


def recall_after_import(ground: Ground) -> Iterator[Figure]:
    """p50 and p95 of recall among 10,000 vectors of 1,536 numbers, right after their import and when settled."""
    with workforce(ground, dimensions=DIMENSIONS) as (url, provider):
        client = new_client(ground, url)
        hand_in(client, "notes", [scene_note(position) for position in range(NODES)])
        wait_until_none(ground, UNREMEMBERED)
        questions = count()

        def recall() -> None:
            client.post("/recall", json={"query": _question(next(questions))}).raise_for_status()

        (fresh,) = timed(recall, times=TIMES)
        wait_until_none(ground, UNSETTLED)
        settled, scan, embedding = _settled(ground, f"{provider}/embeddings", recall)
    for name in ("p50", "p95"):
        rested, scanned, embedded = (getattr(times, name) for times in (settled, scan, embedding))
        what = f"{NODES:,} × {DIMENSIONS:,}-d through HTTP"
        yield Figure(
            what=f"{what}, right after their import, {name}",
            measured=getattr(fresh, name),
            unit="ms",
            limit=rested,
            against="once settled",
        )
        yield Figure(
            what=f"{what}, once settled, {name}",
            measured=rested,
            unit="ms",
            limit=SCANS * scanned + HTTP + embedded,
            against=f"the goal: {SCANS} bare scans, {HTTP:.0f} ms for HTTP, and a bare request for the embedding",
            remark=f"a scan takes {scanned:.1f} ms, an embedding {embedded:.1f}",
        )


def _settled(ground: Ground, embeddings_url: str, recall: Callable[[], None]) -> list[Times]:
    """Time recall, the bare scan and a bare embedding in turn, once the tables are as autovacuum leaves them."""
    scan = SQL("select node_id from {} order by vector <=> %s::halfvec limit 3").format(BARE)
    query = halfvec(word_vector(_question(0), DIMENSIONS))
    body = {
        "model": "text-embedding-3-small",
        "input": [_question(0)],
        "dimensions": DIMENSIONS,
        "encoding_format": "base64",
    }
    with ground.store.transaction() as tx, httpx2.Client(headers={"Authorization": "Bearer any"}) as provider:
        tx.execute(SQL("create table {} (node_id uuid, vector halfvec)").format(BARE))
        tx.execute(SQL("alter table {} alter column vector set storage plain").format(BARE))
        tx.execute(SQL("insert into {} select node_id, vector from memory.node_vectors").format(BARE))
        tx.commit()
        tx.execute("vacuum analyze")
        return timed(
            recall,
            lambda: tx.execute(scan, [query]).fetchall(),
            lambda: provider.post(embeddings_url, json=body).raise_for_status(),
            times=TIMES,
        )


def _question(number: int) -> str:
    """A question that no earlier one repeats, about one of the notes."""
    return f"What happened at entry {number}? {action(97 * number)}"
