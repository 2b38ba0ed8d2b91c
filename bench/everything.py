"""Searching everything that was told: one Being with many messages, beside as many of others.

A Being as large as `PATROL_VECTOR_INDEX_FROM` gets its own HNSW index, as upkeep builds it; how much of the exact
answer that finds is measured with questions near its topics.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from statistics import mean
from time import perf_counter
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from bench.figures import Figure, timed
from bench.ground import Ground
from memory.search.candidates import NOMINATED, Understood
from memory.search.search import search_understood
from memory.search.terms import digest, terms
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest
from schemas.settings import Settings
from store.accounts import users
from store.nodes.embeddings import halfvec
from store.search import finding, vector_indexes
from store.search.finding import Meant, Within
from store.transaction import Transaction

DIMENSIONS = 384
MODEL = "measured"
VOCABULARY = 30_000
WORDS = 14
SESSION = 40
CHUNK = 5_000
TIMES = 40
# A question of ordinary length: a word in one of some ten messages, rarer ones, and one that is nearly unique.
RANKS = (3, 40, 400, 4_000)
LIMITS = {10_000: 30.0, 100_000: 60.0, 1_000_000: 100.0}
OTHERS = 100_000
# Messages lie around topics, as texts do: in each some hundred, with cosine similarities of 0.8 to its direction.
TOPIC = 100
SPREAD = 0.75
ASKED_FOR_RECALL = 40
NEAREST = 10


def everything(ground: Ground) -> Iterator[Figure]:
    """p50 and p95 of a search by words and meaning, without the embedding of the query."""
    for messages in ground.scale.messages:
        being = _being(ground)
        before = _bytes(ground)
        _fill(ground, being, messages)
        each = (_bytes(ground) - before) / messages
        yield from _indexed(ground, being, messages)
        yield from _measured(ground, being, messages, "")
        yield Figure(what=f"bytes an indexed message needs, of {messages:,}", measured=each, unit="")
    _fill(ground, _being(ground), OTHERS)
    yield from _measured(ground, being, messages, f", beside {OTHERS:,} of another")


def _measured(ground: Ground, being: Being, messages: int, beside: str) -> Iterator[Figure]:
    chance = np.random.default_rng(5)
    questions = [_question(chance, messages) for _ in range(TIMES + 2)]
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
                Understood(Meant(MODEL, vector), None, None, degraded=False),
            )

    bare, took = timed(scan, search, times=TIMES)
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


def _indexed(ground: Ground, being: Being, messages: int) -> Iterator[Figure]:
    """Build the Being's own index if it is as large as that, and compare what it finds with the exact answer."""
    with ground.store.transaction() as tx:
        wanted = [
            one
            for one in vector_indexes.wanted(tx, Settings().vector_index_from)
            if one.owner_id == being.being_id and one.of == "told"
        ]
    for index in wanted:
        begun = perf_counter()
        vector_indexes.build(ground.store, index)
        yield Figure(what=f"building the index of {messages:,} vectors", measured=perf_counter() - begun, unit="s")
        chance = np.random.default_rng(6)
        within = Within(being.being_id, being.user_id, ["message"])
        shares = []
        for _ in range(ASKED_FOR_RECALL):
            vector = _question(chance, messages)[1]
            with ground.store.transaction() as tx:
                exact = _exact(tx, being, vector, NEAREST)
                found = finding.told_like(tx, being.being_id, within, Meant(MODEL, vector), NEAREST)
            shares.append(len({*exact} & {*found}) / NEAREST)
        yield Figure(what=f"recall@{NEAREST} of that index against exact", measured=mean(shares), unit="")


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
    topic = chance.integers(max(1, messages // TOPIC), size=1)
    return " ".join(f"word{rank}" for rank in spread), _around(chance, _topics(messages)[topic])[0]


def _topics(messages: int) -> NDArray[np.float32]:
    return _unit(np.random.default_rng(7).normal(size=(max(1, messages // TOPIC), DIMENSIONS)))


def _around(chance: np.random.Generator, directions: NDArray[np.float32]) -> NDArray[np.float32]:
    return _unit(directions + SPREAD * chance.normal(size=directions.shape) / DIMENSIONS**0.5)


def _being(ground: Ground) -> Being:
    being_id = ground.new_being()
    with ground.store.transaction() as tx:
        users.adopt_model(tx, being_id, MODEL)
        tx.execute(
            "insert into memory.search_owners (owner_id, language, embedding_model) values (%s, 'en', %s)",
            [being_id, MODEL],
        )
        return users.get_being(tx, being_id)


def _fill(ground: Ground, being: Being, messages: int) -> None:
    """Messages of words that are as frequent as words are (Zipf), in conversations, indexed and embedded."""
    chance = np.random.default_rng(4)
    frequency = 1 / np.arange(1, VOCABULARY + 1)
    frequency /= frequency.sum()
    topics = _topics(messages)
    for start in range(0, messages, CHUNK):
        count = min(CHUNK, messages - start)
        ranks = chance.choice(VOCABULARY, size=(count, WORDS), p=frequency)
        vectors = _around(chance, topics[chance.integers(len(topics), size=count)])
        with ground.store.transaction() as tx:
            _write(tx, being.being_id, start, ranks, vectors)
    with ground.store.transaction() as tx:
        tx.commit()
        tx.execute(
            """
            vacuum analyze memory.messages, memory.search_documents, memory.search_postings, memory.search_vectors,
                memory.search_queue, memory.search_statistics, memory.search_terms
            """
        )


def _write(tx: Transaction, being_id: UUID, start: int, ranks: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
    tx.execute(
        """
        create temporary table said (
            place integer, message_id uuid default uuidv7(), content text, terms bigint[], vector halfvec
        ) on commit drop
        """
    )
    with tx.cursor() as cursor, cursor.copy("copy said (place, content, terms, vector) from stdin") as copy:
        for place, (row, vector) in enumerate(zip(ranks.tolist(), vectors, strict=True), start):
            content = " ".join(f"word{rank}" for rank in row)
            copy.write_row((place, content, _terms(row), str(HalfVector(vector).to_text())))
    by = {"being": being_id, "session": SESSION, "model": MODEL, "began": datetime(2020, 1, 1, tzinfo=UTC)}
    # Where the messages come from is not measured: no session's span, no counter, no working memory.
    tx.execute("set local session_replication_role = replica")
    tx.execute(
        """
        insert into memory.messages
            (being_id, message_id, session_id, role, content, content_hash, created_at, received_at)
        select %(being)s, message_id, md5((place / %(session)s)::text)::uuid,
            case when place %% 2 = 0 then 'user' else 'assistant' end, content, '', at, at
        from said, lateral (select %(began)s::timestamptz + place * interval '1 minute' as at) as moment
        """,
        by,
    )
    tx.execute("set local session_replication_role = origin")
    tx.execute(
        """
        with indexed as (
            insert into memory.search_documents
                (owner_id, kind, item_id, session_id, said_at, arrived_at, question, terms)
            select %(being)s, 'message', message_id, md5((place / %(session)s)::text)::uuid, at, at, false, terms
            from said, lateral (select %(began)s::timestamptz + place * interval '1 minute' as at) as moment
            returning document_id, item_id, said_at, arrived_at
        )
        insert into memory.search_vectors (owner_id, embedding_model, document_id, kind, said_at, arrived_at, vector)
        select %(being)s, %(model)s, indexed.document_id, 'message', indexed.said_at, indexed.arrived_at, said.vector
        from indexed join said on said.message_id = indexed.item_id
        """,
        by,
    )


def _terms(ranks: Sequence[int]) -> str:
    return "{" + ",".join(str(digest(term)) for rank in ranks for term in terms(f"word{rank}", "en")) + "}"


def _bytes(ground: Ground) -> int:
    with ground.store.transaction() as tx:
        rows = tx.execute(
            """
            select sum(pg_total_relation_size(oid))::bigint as bytes from pg_class
            where relnamespace = 'memory'::regnamespace and relkind = 'r' and relname like 'search%'
            """
        ).fetchone()
    return int(rows["bytes"]) if rows else 0


def _unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    unit: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return unit
