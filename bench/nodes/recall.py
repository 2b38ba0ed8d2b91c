"""Measures recall relative to a bare exact scan of the same vectors, without embedding the query."""

import random
from collections.abc import Iterator

from psycopg.sql import SQL

from bench.figures import Figure, Times, timed
from bench.ground import Ground
from bench.memories import MeasuredEmbedders, bare_table, filled_being
from memory.nodes.recall import RecallQuery
from memory.nodes.recall import recall as recall_memories
from schemas.limits import RECALL_NODES, RECALL_SIMILARITY
from store.accounts import beings
from store.nodes.embeddings import halfvec

SIZES = ((10_000, 384, 40), (10_000, 1536, 40), (100_000, 384, 15))
QUERY = "what came of it"


def recall(ground: Ground) -> Iterator[Figure]:
    """Measure finding the three nearest of 10,000 and 100,000 nodes, with and without activation."""
    for nodes, dimensions, times in SIZES:
        bare, looking, activating = _measured(ground, nodes, dimensions, times)
        for how, ours in (("only looking", looking), ("activating", activating)):
            for name, measured, limit in (("p50", ours.p50, bare.p50), ("p95", ours.p95, bare.p95)):
                yield Figure(
                    what=f"{nodes:,} × {dimensions}-d, {how}, {name}",
                    measured=measured,
                    unit="ms",
                    limit=limit,
                    against="bare exact scan, top 3",
                )


def _measured(ground: Ground, nodes: int, dimensions: int, times: int) -> list[Times]:
    """Time the bare scan, recall without activation, and recall with it."""
    being_id = filled_being(ground, nodes, dimensions)
    with ground.store.transaction() as tx:
        being = beings.get_being(tx, being_id)
    embedders = MeasuredEmbedders(dimensions)
    query = halfvec(embedders.serving(None).embed([QUERY])[0])
    scan = SQL("select position from {} order by vector <=> %s::halfvec limit 3").format(bare_table(nodes, dimensions))
    chance = random.Random(1)  # noqa: S311  # it shuffles fragments

    def ours(*, activate: bool) -> object:
        asked = RecallQuery(QUERY, RECALL_NODES, RECALL_SIMILARITY, activate)
        return recall_memories(ground.store, embedders, being, asked, chance)

    with ground.store.transaction() as tx:
        return timed(
            lambda: tx.execute(scan, [query]).fetchall(),
            lambda: ours(activate=False),
            lambda: ours(activate=True),
            times=times,
        )
