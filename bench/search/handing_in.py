"""Messages of a Being in great number, copied into the tables as indexing and embedding leave them.

Words are as frequent as in a language (Zipf's law). Messages lie around topics, as texts do: some hundred in each, with
cosine similarities of 0.8 to its direction.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector

from bench.ground import Ground
from bench.memories import SPREAD, TOPIC, unit
from memory.search.terms import digest, terms
from store.transaction import Transaction

DIMENSIONS = 384
VOCABULARY = 30_000
WORDS = 14
SESSION = 40
CHUNK = 20_000
BEGAN = datetime(2020, 1, 1, tzinfo=UTC)
# For the sorting of a million messages' postings.
SORT_MEMORY = "512MB"


def tell(ground: Ground, being_id: UUID, messages: int, model: str) -> None:
    """Write so many messages to a Being, with their words indexed and vectors of a model."""
    with ground.store.transaction() as tx:
        tx.execute(
            "insert into memory.search_owners (owner_id, language, embedding_model) values (%s, 'en', %s)",
            [being_id, model],
        )
        first = _reserve(tx, messages)
    chance = np.random.default_rng(4)
    topics = unit(chance.normal(size=(max(1, messages // TOPIC), DIMENSIONS)))
    digests = [digest(term) for rank in range(VOCABULARY) for term in terms(f"word{rank}", "en")]
    for start in range(0, messages, CHUNK):
        count = min(CHUNK, messages - start)
        ranks = ranks_of_words(chance, count)
        vectors = around(chance, topics[chance.integers(len(topics), size=count)])
        with ground.store.transaction() as tx:
            # How messages come in is not measured here: no trigger runs, and no session, counter or queue is written.
            tx.execute("set local session_replication_role = replica")
            _copy_messages(tx, being_id, start, ranks)
            _copy_documents(tx, being_id, start, first, ranks, digests)
            _copy_vectors(tx, being_id, model, start, first, vectors)
    with ground.store.transaction() as tx:
        tx.execute("set local session_replication_role = replica")
        _write_postings(tx, being_id)
    with ground.store.transaction() as tx:
        tx.commit()
        tx.execute(
            """
            vacuum analyze memory.messages, memory.search_documents, memory.search_postings, memory.search_vectors,
                memory.search_queue, memory.search_statistics, memory.search_terms
            """
        )


def ranks_of_words(chance: np.random.Generator, count: int) -> NDArray[np.int64]:
    """Draw the words of messages, each as its rank among all words by frequency."""
    frequency = 1 / np.arange(1, VOCABULARY + 1)
    return chance.choice(VOCABULARY, size=(count, WORDS), p=frequency / frequency.sum())


def text_of_words(ranks: NDArray[np.int64]) -> str:
    """A message's text."""
    return " ".join(f"word{rank}" for rank in ranks.tolist())


def around(chance: np.random.Generator, directions: NDArray[np.float32]) -> NDArray[np.float32]:
    """A vector near each of these directions."""
    noise = chance.standard_normal(size=directions.shape, dtype=np.float32)
    return unit(directions + SPREAD * noise / DIMENSIONS**0.5)


def _reserve(tx: Transaction, messages: int) -> int:
    """The first of so many document ids in a row."""
    sequence = "pg_get_serial_sequence('memory.search_documents', 'document_id')"
    last: int = tx.value(f"select setval({sequence}, nextval({sequence}) + %s)", [messages])  # a constant
    return last - messages


def _places(start: int, count: int) -> Iterator[tuple[int, UUID, UUID, datetime]]:
    """A message's place, its id, its session and when it was said."""
    for place in range(start, start + count):
        yield place, UUID(int=place), UUID(int=place // SESSION), BEGAN + timedelta(minutes=place)


def _copy_messages(tx: Transaction, being_id: UUID, start: int, ranks: NDArray[np.int64]) -> None:
    with (
        tx.cursor() as cursor,
        cursor.copy(
            """
            copy memory.messages
                (being_id, message_id, session_id, role, content, content_hash, created_at, received_at)
            from stdin with (format binary)
            """
        ) as copy,
    ):
        copy.set_types(["uuid", "uuid", "uuid", "text", "text", "bytea", "timestamptz", "timestamptz"])
        for row, (place, message_id, session_id, at) in zip(ranks, _places(start, len(ranks)), strict=True):
            role = "assistant" if place % 2 else "user"
            copy.write_row((being_id, message_id, session_id, role, text_of_words(row), b"", at, at))


def _copy_documents(
    tx: Transaction, being_id: UUID, start: int, first: int, ranks: NDArray[np.int64], digests: list[int]
) -> None:
    with (
        tx.cursor() as cursor,
        cursor.copy(
            """
            copy memory.search_documents
                (owner_id, document_id, kind, item_id, session_id, said_at, arrived_at, question, terms)
            from stdin
            """
        ) as copy,
    ):
        for row, (place, message_id, session_id, at) in zip(ranks.tolist(), _places(start, len(ranks)), strict=True):
            held = "{" + ",".join(str(digests[rank]) for rank in row) + "}"
            copy.write_row((being_id, first + place, "message", message_id, session_id, at, at, False, held))


def _copy_vectors(
    tx: Transaction, being_id: UUID, model: str, start: int, first: int, vectors: NDArray[np.float32]
) -> None:
    tx.execute("create temporary table new_vectors (document_id bigint, at timestamptz, vector halfvec) on commit drop")
    with (
        tx.cursor() as cursor,
        cursor.copy("copy new_vectors from stdin with (format binary)") as copy,
    ):
        copy.set_types(["int8", "timestamptz", "halfvec"])
        for vector, (place, _, _, at) in zip(vectors, _places(start, len(vectors)), strict=True):
            copy.write_row((first + place, at, HalfVector(vector)))
    tx.execute(
        """
        insert into memory.search_vectors (owner_id, embedding_model, document_id, kind, said_at, arrived_at, vector)
        select %s, %s, document_id, 'message', at, at, vector from new_vectors order by document_id
        """,
        [being_id, model],
    )


def _write_postings(tx: Transaction, being_id: UUID) -> None:
    """Write in one go what the triggers of documents write (sql/functions/65_search/20_postings.sql)."""
    tx.execute("select set_config('work_mem', %s, true)", [SORT_MEMORY])
    tx.execute(
        """
        insert into memory.search_postings (owner_id, term, document_id, kind, times, length)
        select d.owner_id, held.term, d.document_id, d.kind, count(*), cardinality(d.terms)
        from memory.search_documents as d, unnest(d.terms) as held (term)
        where d.owner_id = %s
        group by d.owner_id, held.term, d.document_id, d.kind, cardinality(d.terms)
        order by d.owner_id, d.kind, held.term, d.document_id
        """,
        [being_id],
    )
    tx.execute(
        """
        insert into memory.search_terms (owner_id, kind, term, documents)
        select owner_id, kind, term, count(*) from memory.search_postings
        where owner_id = %s
        group by owner_id, kind, term
        """,
        [being_id],
    )
    tx.execute(
        """
        insert into memory.search_statistics (owner_id, kind, documents, terms)
        select owner_id, kind, count(*), sum(cardinality(terms)) from memory.search_documents
        where owner_id = %s
        group by owner_id, kind
        """,
        [being_id],
    )
