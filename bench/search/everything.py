"""Searching everything that was told: one Being with many messages, beside as many of others.

A Being as large as `PATROL_VECTOR_INDEX_FROM` gets its own HNSW index, as upkeep builds it; how much of the exact
answer that finds is measured with questions near its topics.
"""

from collections.abc import Iterator
from datetime import timedelta
from statistics import mean
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import MODEL
from bench.search.told import around, being_told, queue_messages, topics_of
from memory.retrieval.understanding import Understood
from memory.search import indexing
from memory.search.candidates import NOMINATED
from memory.search.search import search_understood
from schemas.accounts.accounts import Being
from schemas.ledger.kinds import INDEX_WORDS
from schemas.search import EverythingRequest
from schemas.settings import Settings
from store.ledger import work
from store.nodes.embeddings import Meant, halfvec
from store.search import nearest, vector_indexes
from store.search.scope import Within
from store.transaction import Transaction

TIMES = 40
# Of a large index so many questions bring the parts into memory that most questions need.
WARM_UP = 160
SCANS = 10
# A question of ordinary length: a word in one of some ten messages, rarer ones, and one that is nearly unique.
RANKS = (3, 40, 400, 4_000)
LIMITS = {10_000: 30.0, 100_000: 60.0, 1_000_000: 100.0}
INDEXED = 5_000
ASKED_FOR_RECALL = 40
NEAREST = (3, 10, 40)


def everything(ground: Ground) -> Iterator[Figure]:
    """p50 and p95 of a search by words and meaning, without the embedding of the query."""
    for messages in ground.scale.messages:
        before = _bytes(ground)
        being = being_told(ground, messages)
        each = (_bytes(ground) - before) / messages
        yield Figure(what=f"bytes an indexed message needs, of {messages:,}", measured=each, unit="")
        yield from _index_built(ground, being, messages)
        yield from _measured(ground, being, messages, "")
        yield _indexing(ground, being, messages)
    others = ground.scale.others
    being_told(ground, others)
    yield from _measured(ground, being, messages, f", beside {others:,} of another")


def _measured(ground: Ground, being: Being, messages: int, beside: str) -> Iterator[Figure]:
    chance = np.random.default_rng(5)
    questions = [_question(chance, messages) for _ in range(WARM_UP + TIMES)]
    asked, compared = iter(questions), iter(questions)

    def scan() -> None:
        with ground.store.transaction() as tx:
            _exact(tx, being, next(compared)[1], NOMINATED)

    def search() -> None:
        query, vector = next(asked)
        with ground.store.transaction() as tx:
            search_understood(
                tx,
                being,
                EverythingRequest(query=query, kinds=["message"]),
                Understood(told=Meant(MODEL, [vector])),
            )

    # Not in turn: a scan of all vectors evicts what the index has in memory.
    (took,) = timed(search, times=TIMES, warm_up=WARM_UP)
    (bare,) = timed(scan, times=SCANS)
    limit = LIMITS.get(messages)
    yield Figure(
        what=f"search of {messages:,} messages{beside}, p50",
        measured=took.p50,
        unit="ms",
        limit=bare.p50,
        against="bare exact scan of the vectors",
    )
    yield Figure(
        what=f"search of {messages:,} messages{beside}, p95", measured=took.p95, unit="ms", limit=limit, against="goal"
    )


def _index_built(ground: Ground, being: Being, messages: int) -> Iterator[Figure]:
    """Build the Being's own index if it is as large as that, and compare what it finds with the exact answer."""
    with ground.store.transaction() as tx:
        wanted = [
            one
            for one in vector_indexes.wanted(tx, Settings().vector_index_from)
            if one.owner_id == being.being_id and one.of == "told"
        ]
    for index in wanted:
        before, begun = _bytes(ground), perf_counter()
        vector_indexes.build(ground.store, index)
        yield Figure(what=f"building the index of {messages:,} vectors", measured=perf_counter() - begun, unit="s")
        each = (_bytes(ground) - before) / messages
        yield Figure(what="bytes a vector needs in that index", measured=each, unit="")
        chance = np.random.default_rng(6)
        within = Within(being.being_id, being.user_id, ["message"])
        shares: dict[int, list[float]] = {count: [] for count in NEAREST}
        for _ in range(ASKED_FOR_RECALL):
            vector = _question(chance, messages)[1]
            with ground.store.transaction() as tx:
                exact = _exact(tx, being, vector, max(NEAREST))
                found = nearest.told_like(tx, being.being_id, within, MODEL, vector, max(NEAREST))
            for count, of_count in shares.items():
                of_count.append(len({*exact[:count]} & {*found[:count]}) / count)
        for count, of_count in shares.items():
            yield Figure(what=f"recall@{count} of that index against exact", measured=mean(of_count), unit="")


def _indexing(ground: Ground, being: Being, messages: int) -> Figure:
    """Index messages that wait, as beat's ticks do."""
    queue_messages(ground, being.being_id, messages, INDEXED)
    with ground.store.transaction() as tx:
        work.ask(tx, being.being_id, INDEX_WORDS, in_chain=True)
        claim = work.claim(tx, being.being_id, INDEX_WORDS.name, "", lease=timedelta(hours=1), attempts=1)
    if claim is None:
        raise RuntimeError("Something else indexes this Being.")
    begun = perf_counter()
    indexing.index(ground.store, claim, turn=timedelta(hours=1))
    rate = INDEXED / (perf_counter() - begun)
    return Figure(what=f"messages indexed by their words, beside {messages:,}", measured=rate, unit="/s")


def _exact(tx: Transaction, being: Being, vector: NDArray[np.float32], limit: int) -> list[int]:
    """The nearest messages, by a scan of the Being's vectors and nothing else."""
    rows = tx.execute(
        """
        select document_id
        from (
            select document_id, vector <#> %s::halfvec as distance
            from memory.search_vectors where owner_id = %s and embedding_model = %s
            offset 0
        ) as compared
        order by distance
        limit %s
        """,
        [halfvec(vector), being.being_id, MODEL, limit],
    )
    return [row["document_id"] for row in rows]


def _question(chance: np.random.Generator, messages: int) -> tuple[str, NDArray[np.float32]]:
    spread = [int(rank * chance.uniform(0.7, 1.4)) for rank in RANKS]
    topics = topics_of(messages)
    return " ".join(f"word{rank}" for rank in spread), around(chance, topics[chance.integers(len(topics), size=1)])[0]


def _bytes(ground: Ground) -> int:
    with ground.store.transaction() as tx:
        rows = tx.execute(
            """
            select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
            where relnamespace = 'memory'::regnamespace and relkind = 'r' and relname like 'search%'
            """
        ).fetchone()
    return int(rows["bytes"]) if rows else 0
