"""Measures search by words relative to a bare ILIKE over the same texts."""

from collections.abc import Iterator
from functools import partial

from psycopg.sql import SQL

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import RARE_WORD, bare_table, filled_being
from memory.nodes.recall import search as search_memories
from schemas.limits import SEARCH_NODES

NODES, DIMENSIONS = 10_000, 384
TIMES = 15
QUERIES = {
    "a rare word": RARE_WORD,
    "a word in all": "entry",
    "three words": "violin bridge log",
    "fifteen words": "What did Pip say about the crimson umbrella that was lost near the fish market yesterday",
}


def search(ground: Ground) -> Iterator[Figure]:
    """Measure searching 10,000 nodes for a word in one of 500 nodes, a word in all, three words, and a question."""
    being_id = filled_being(ground, NODES, DIMENSIONS)
    table = bare_table(NODES, DIMENSIONS)
    scan = SQL("select position from {} where words ilike %s order by position limit 20").format(table)

    def ours(query: str) -> object:
        return search_memories(ground.store, being_id, query, all_terms=False, limit=SEARCH_NODES, activate=False)

    with ground.store.transaction() as tx:
        bare, *found = timed(
            lambda: tx.execute(scan, [f"%{RARE_WORD}%"]).fetchall(),
            *(partial(ours, query) for query in QUERIES.values()),
            times=TIMES,
        )
    for what, took in zip(QUERIES, found, strict=True):
        yield Figure(
            what=f"{what}, p50",
            measured=took.p50,
            unit="ms",
            limit=bare.p50,
            against="bare ILIKE scan, rare word",
        )
