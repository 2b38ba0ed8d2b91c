"""Searching everything that was told: one Being with many messages, beside as many of others."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from bench.figures import Figure, timed
from bench.ground import Ground
from memory.search.candidates import Understood
from memory.search.search import search_understood
from memory.search.terms import digest, terms
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest
from store.accounts import users
from store.search.finding import Meant
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


def everything(ground: Ground) -> Iterator[Figure]:
    """p50 and p95 of a search by words and meaning, without the embedding of the query."""
    for messages in ground.scale.messages:
        being = _being(ground)
        before = _bytes(ground)
        _fill(ground, being, messages)
        each = (_bytes(ground) - before) / messages
        yield from _measured(ground, being, messages, "")
        yield Figure(what=f"bytes an indexed message needs, of {messages:,}", measured=each, unit="")
    _fill(ground, _being(ground), OTHERS)
    yield from _measured(ground, being, messages, f", beside {OTHERS:,} of another")


def _measured(ground: Ground, being: Being, messages: int, beside: str) -> Iterator[Figure]:
    chance = np.random.default_rng(5)
    asked = iter([_question(chance) for _ in range(TIMES + 2)])

    def search() -> None:
        query, vector = next(asked)
        with ground.store.transaction() as tx:
            search_understood(
                tx,
                being,
                EverythingRequest(query=query, kinds=["message"]),
                Understood(Meant(MODEL, vector), None, None, degraded=False),
            )

    (took,) = timed(search, times=TIMES)
    limit = LIMITS.get(messages)
    yield Figure(what=f"search of {messages:,} messages{beside}, p50", measured=took.p50, unit="ms")
    yield Figure(
        what=f"search of {messages:,} messages{beside}, p95", measured=took.p95, unit="ms", limit=limit, against="goal"
    )


def _question(chance: np.random.Generator) -> tuple[str, NDArray[np.float32]]:
    spread = [int(rank * chance.uniform(0.7, 1.4)) for rank in RANKS]
    return " ".join(f"word{rank}" for rank in spread), _unit(chance.normal(size=(1, DIMENSIONS)))[0]


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
    for start in range(0, messages, CHUNK):
        count = min(CHUNK, messages - start)
        ranks = chance.choice(VOCABULARY, size=(count, WORDS), p=frequency)
        vectors = _unit(chance.normal(size=(count, DIMENSIONS)))
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
