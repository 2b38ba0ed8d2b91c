"""Searching by words beside a bare ILIKE over the same words."""

from collections.abc import Iterator

from psycopg.sql import SQL

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import RARE_WORD, bare_table, filled_being
from memory.recall import search as search_memories
from schemas.limits import SEARCH_NODES

NODES, DIMENSIONS = 10_000, 384
TIMES = 15


def search(ground: Ground) -> Iterator[Figure]:
    """A word that one memory in 500 holds, one that all hold, and three words, among 10,000 memories."""
    being_id = filled_being(ground, NODES, DIMENSIONS)
    scan = SQL("select position from {} where words ilike %s order by position limit 20").format(
        bare_table(NODES, DIMENSIONS)
    )
    with ground.store.transaction() as tx:
        bare = timed(lambda: tx.execute(scan, [f"%{RARE_WORD}%"]).fetchall(), times=TIMES).p50
    for what, query in (("a rare word", RARE_WORD), ("a word in all", "entry"), ("three words", "violin bridge log")):
        ours = timed(
            lambda query=query: search_memories(  # type: ignore[misc]  # mypy can't infer a lambda with a default
                ground.store, being_id, query, all_terms=False, limit=SEARCH_NODES, activate=False
            ),
            times=TIMES,
        ).p50
        yield Figure(
            what=f"{what}, p50", measured=ours, unit="ms", limit=bare, against="bare ILIKE scan for the rare word"
        )
