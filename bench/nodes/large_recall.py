"""Recall of a Being with so many nodes that it has an HNSW index of its own, against comparing all of them.

`--nodes 1000000` builds that index for a million.
"""

import random
from collections.abc import Iterator
from statistics import mean
from time import perf_counter
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import MODEL, SPREAD, TOPIC, topics, unit
from memory.nodes.activation import ACTIVATION
from memory.nodes.recall import RecallQuery, recall_by_vector
from schemas.limits import RECALL_NODES, RECALL_SIMILARITY
from schemas.nodes.nodes import Node
from store.accounts import beings
from store.nodes.embeddings import Meant, halfvec
from store.nodes.finding import Activation
from store.search.vector_indexes import VectorIndex, build
from store.transaction import Transaction, value

DIMENSIONS = 384
CHUNK = 20_000
TIMES = 40
# So many questions bring the parts of the index into memory that most questions need.
WARM_UP = 160
SCANS = 10
GOAL = 30.0


def large_recall(ground: Ground) -> Iterator[Figure]:
    """p50 and p95 of recall by the Being's own index, its recall@3, its size, and what a node costs to enter it."""
    count = ground.scale.nodes
    being_id = _filled(ground, count)
    with ground.store.transaction() as tx:
        name = value(tx, "select memory.vector_index_name('nodes', %s, %s, %s)", [being_id, MODEL, DIMENSIONS])
    begun = perf_counter()
    build(ground.store, VectorIndex("nodes", being_id, MODEL, DIMENSIONS, name))
    yield Figure(what=f"building the index of {count:,} nodes", measured=perf_counter() - begun, unit="s")
    with ground.store.transaction() as tx:
        each = value(tx, "select pg_relation_size(to_regclass(%s))", [f"memory.{name}"]) / count
    yield Figure(what="bytes a node needs in that index", measured=each, unit="")
    asked = _questions(count)
    shares = []
    for query in asked[:TIMES]:
        with ground.store.transaction() as tx:
            exact = _exact(tx, being_id, query)
            found = [row.node_id for row in _recalled(tx, being_id, query)]
        shares.append(len({*exact} & {*found}) / RECALL_NODES)
    yield Figure(what=f"recall@{RECALL_NODES} of that index against exact", measured=mean(shares), unit="")
    yield from _timed(ground, being_id, count, asked)


def _timed(ground: Ground, being_id: UUID, count: int, asked: list[NDArray[np.float32]]) -> Iterator[Figure]:
    compared, recalled, activated, entered = (iter(asked) for _ in range(4))

    def scan() -> None:
        with ground.store.transaction() as tx:
            _exact(tx, being_id, next(compared))

    def ours() -> None:
        ground.store.statement(lambda tx: _recalled(tx, being_id, next(recalled)))

    def activating() -> None:
        ground.store.statement(lambda tx: _recalled(tx, being_id, next(activated), ACTIVATION))

    def entering() -> None:
        with ground.store.transaction() as tx:
            # The vector of a node that is not there: no trigger runs, and no foreign key is checked.
            tx.execute("set local session_replication_role = replica")
            tx.execute(
                """
                insert into memory.node_vectors (being_id, node_id, embedding_model, living, standing, vector)
                values (%s, uuidv7(), %s, false, false, %s)
                """,
                [being_id, MODEL, halfvec(next(entered))],
            )

    # Not in turn: a scan of all vectors evicts what the index has in memory.
    (took,) = timed(ours, times=TIMES, warm_up=WARM_UP)
    (whole,) = timed(activating, times=TIMES)
    (upkeep,) = timed(entering, times=TIMES)
    (bare,) = timed(scan, times=SCANS)
    for what, measured in (("only looking", took), ("activating", whole)):
        yield Figure(
            what=f"recall of {count:,} nodes, {what}, p50",
            measured=measured.p50,
            unit="ms",
            limit=bare.p50,
            against="bare exact scan, top 3",
        )
        yield Figure(
            what=f"recall of {count:,} nodes, {what}, p95", measured=measured.p95, unit="ms", limit=GOAL, against="goal"
        )
    yield Figure(what=f"entering a vector into the index of {count:,}, p50", measured=upkeep.p50, unit="ms")


def _questions(count: int) -> list[NDArray[np.float32]]:
    chance = np.random.default_rng(6)
    directions = topics(max(1, count // TOPIC), DIMENSIONS)
    chosen = directions[chance.integers(len(directions), size=WARM_UP + TIMES)]
    return list(unit(chosen + SPREAD * chance.normal(size=chosen.shape) / DIMENSIONS**0.5))


def _recalled(
    tx: Transaction, being_id: UUID, query: NDArray[np.float32], activates: Activation | None = None
) -> list[Node]:
    asked, chance = RecallQuery("", RECALL_NODES, RECALL_SIMILARITY), random.Random(1)  # noqa: S311  # it shuffles fragments
    return list(recall_by_vector(tx, being_id, asked, Meant(MODEL, [query]), chance, activates).nodes)


def _exact(tx: Transaction, being_id: UUID, query: NDArray[np.float32]) -> list[UUID]:
    rows = tx.execute(
        """
        select node_id
        from (
            select node_id, vector <=> %s::halfvec as distance from memory.node_vectors
            where being_id = %s and embedding_model = %s
            offset 0
        ) as compared
        order by distance
        limit %s
        """,
        [halfvec(query), being_id, MODEL, RECALL_NODES],
    )
    return [row["node_id"] for row in rows]


def _filled(ground: Ground, count: int) -> UUID:
    """Make a Being with so many active nodes. What else is kept of a node, for word search and topics, is left out."""
    being_id = ground.new_being()
    with ground.store.transaction() as tx:
        beings.adopt_model(tx, being_id, MODEL)
        tx.execute(
            "update memory.beings set patrol_counter = 60, ticked_at = memory.now() where being_id = %s", [being_id]
        )
    chance = np.random.default_rng(2)
    directions = topics(max(1, count // TOPIC), DIMENSIONS)
    for start in range(0, count, CHUNK):
        chosen = directions[chance.integers(len(directions), size=min(CHUNK, count - start))]
        noise = chance.standard_normal(size=chosen.shape, dtype=np.float32)
        with ground.store.transaction() as tx:
            # No trigger runs: no word is indexed, no topic is summed.
            tx.execute("set local session_replication_role = replica")
            _copy(tx, being_id, start, unit(chosen + SPREAD * noise / DIMENSIONS**0.5))
    with ground.store.transaction() as tx:
        tx.commit()
        tx.execute("vacuum analyze memory.memory_nodes, memory.node_vectors")
    return being_id


def _copy(tx: Transaction, being_id: UUID, start: int, vectors: NDArray[np.float32]) -> None:
    tx.execute(
        "create temporary table material (place integer, node_id uuid default uuidv7(), vector halfvec) on commit drop"
    )
    with tx.cursor() as cursor, cursor.copy("copy material (place, vector) from stdin with (format binary)") as copy:
        copy.set_types(["int4", "halfvec"])
        for place, vector in enumerate(vectors, start):
            copy.write_row((place, HalfVector(vector)))
    tx.execute(
        """
        insert into memory.memory_nodes
            (being_id, node_id, note_id, run_id, cluster_id, scene, feeling, themes, importance, fresh,
                session_count_base, text_hash, created_at)
        select %(being)s, material.node_id, uuidv7(), uuidv7(), root.cluster_id, jsonb_build_object(
                'action', 'entry ' || place, 'actors', jsonb_build_array('Pip'), 'when', jsonb_build_array('2026-03-02')
            ),
            'I was glad to be there, and said so.', '{}', 0.5, false, 1 + place %% 60, sha256(place::text::bytea),
            memory.now() - place * interval '1 minute'
        from material, memory.clusters as root
        where root.being_id = %(being)s and root.name = 'Private'
        """,
        {"being": being_id},
    )
    tx.execute(
        """
        insert into memory.node_vectors (being_id, node_id, embedding_model, living, standing, vector)
        select %(being)s, node_id, %(model)s, true, true, vector from material
        """,
        {"being": being_id, "model": MODEL},
    )
