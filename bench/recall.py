"""Recall beside a bare exact scan of the same vectors. Embedding the query is no part of it."""

import random
from collections.abc import Iterator
from uuid import UUID

from psycopg.sql import SQL

from bench.figures import Figure, Times, timed
from bench.ground import Ground
from bench.memories import MeasuredEmbedders, bare_table, filled_being
from memory.recall import Asked
from memory.recall import recall as recall_memories
from schemas.limits import RECALL_NODES, RECALL_SIMILARITY
from store.embeddings import literal

SIZES = ((10_000, 384, 40), (10_000, 1536, 40), (100_000, 384, 15))


def recall(ground: Ground) -> Iterator[Figure]:
    """The three nearest of 10,000 and 100,000 memories, with and without being kept alive by it."""
    for nodes, dimensions, times in SIZES:
        being_id = filled_being(ground, nodes, dimensions)
        embedders = MeasuredEmbedders(dimensions)
        bare = _bare(ground, embedders, nodes, dimensions, times)
        for activate in (False, True):
            ours = _ours(ground, embedders, being_id, activate, times)
            what = f"{nodes:,} × {dimensions}-d, {'activating' if activate else 'only looking'}"
            for name, measured, limit in (("p50", ours.p50, bare.p50), ("p95", ours.p95, bare.p95)):
                yield Figure(
                    what=f"{what}, {name}", measured=measured, unit="ms", limit=limit, against="bare exact scan, top 3"
                )


def _ours(ground: Ground, embedders: MeasuredEmbedders, being_id: UUID, activate: bool, times: int) -> Times:
    asked = Asked("what came of it", RECALL_NODES, RECALL_SIMILARITY, activate)
    chance = random.Random(1)  # noqa: S311  # it shuffles fragments
    return timed(lambda: recall_memories(ground.store, embedders, being_id, asked, chance), times=times)


def _bare(ground: Ground, embedders: MeasuredEmbedders, nodes: int, dimensions: int, times: int) -> Times:
    query = literal(embedders.serving(None).embed(["what came of it"])[0])
    scan = SQL("select position from {} order by vector <=> %s::halfvec limit 3").format(bare_table(nodes, dimensions))
    with ground.store.transaction() as tx:
        return timed(lambda: tx.execute(scan, [query]).fetchall(), times=times)
