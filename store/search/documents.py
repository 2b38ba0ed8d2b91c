"""The inverted index: documents go in, and what they were made of takes them out (sql/functions/65_search)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.search import Kind
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Document:
    """Something told as the index holds it.

    Attributes:
        embedded: Whether it gets vectors here: whole, or because it may be too long for the one in its own row.
    """

    kind: Kind
    item_id: UUID
    session_id: UUID | None
    said_at: datetime
    arrived_at: datetime
    question: bool
    terms: Sequence[int]
    embedded: bool


@dataclass(frozen=True, slots=True)
class Owner:
    """How an owner's documents are indexed.

    Attributes:
        language: The language that they are stemmed for.
        votes: How many words spoke for each language.
        embedding_model: The model whose vectors serve, of what has no vectors elsewhere; None until there are any.
    """

    language: str
    votes: dict[str, int]
    embedding_model: str | None


def owner(tx: Transaction, owner_id: UUID) -> Owner | None:
    """How an owner's documents are indexed; None before the first is."""
    with tx.cursor(row_factory=class_row(Owner)) as cursor:
        return cursor.execute(
            "select language, votes, embedding_model from memory.search_owners where owner_id = %s", [owner_id]
        ).fetchone()


def language_wanted(tx: Transaction, owner_id: UUID) -> str | None:
    """The language that a Being is set to, or `auto`; None for an owner that is no Being."""
    rows = tx.execute("select language from memory.beings where being_id = %s", [owner_id]).fetchall()
    return rows[0]["language"] if rows else None


def keep_owner(tx: Transaction, owner_id: UUID, language: str, votes: dict[str, int]) -> None:
    """Say in which language an owner's documents are stemmed from now on."""
    tx.execute(
        """
        insert into memory.search_owners (owner_id, language, votes) values (%s, %s, %s)
        on conflict (owner_id) do update set language = excluded.language, votes = excluded.votes
        """,
        [owner_id, language, Jsonb(votes)],
    )


def index_again(tx: Transaction, owner_id: UUID) -> None:
    """Queue all documents of an owner, for their words to be stemmed anew; they are found as before until then."""
    tx.execute(
        """
        insert into memory.search_queue (owner_id, stage, kind, item_id)
        select owner_id, 'words', kind, item_id from memory.search_documents where owner_id = %s
        on conflict do nothing
        """,
        [owner_id],
    )


def put(tx: Transaction, owner_id: UUID, documents: Sequence[Document]) -> None:
    """Index documents in place of what stood there for the same items, and queue those that have no vector.

    Args:
        tx: The transaction, which took them from the queue.
        owner_id: Whose they are.
        documents: What is new or changed.
    """
    tx.execute(
        """
        insert into memory.search_documents as d
            (owner_id, kind, item_id, session_id, said_at, arrived_at, question, terms)
        select %s, new.kind, new.item_id, new.session_id, new.said_at, new.arrived_at, new.question, new.terms::bigint[]
        from jsonb_to_recordset(%s) as new (
            kind memory.search_kind, item_id uuid, session_id uuid, said_at timestamptz, arrived_at timestamptz,
            question boolean, terms text
        )
        on conflict (owner_id, kind, item_id) do update
        set session_id = excluded.session_id, said_at = excluded.said_at, arrived_at = excluded.arrived_at,
            question = excluded.question, terms = excluded.terms
        """,
        [owner_id, Jsonb([_row(one) for one in documents])],
    )
    # A message never says anything else; what does needs other vectors.
    changeable = [one for one in documents if one.kind != "message"]
    if changeable:
        # By an array: as a join, all vectors of an owner were read while the statistics did not know of them yet.
        tx.execute(
            """
            delete from memory.search_vectors
            where owner_id = %(owner)s and document_id = any(array(
                select d.document_id
                from unnest(%(kinds)s::memory.search_kind[], %(items)s::uuid[]) as new (kind, item_id)
                join memory.search_documents as d
                    on d.owner_id = %(owner)s and d.kind = new.kind and d.item_id = new.item_id
            ))
            """,
            {
                "owner": owner_id,
                "kinds": [one.kind for one in changeable],
                "items": [one.item_id for one in changeable],
            },
        )
    embedded = [one for one in documents if one.embedded]
    tx.execute(
        """
        insert into memory.search_queue (owner_id, stage, kind, item_id)
        select d.owner_id, 'meaning', d.kind, d.item_id
        from unnest(%(kinds)s::memory.search_kind[], %(items)s::uuid[]) as new (kind, item_id)
        join memory.search_documents as d
            on d.owner_id = %(owner)s and d.kind = new.kind and d.item_id = new.item_id
        where not exists (
            select from memory.search_vectors as v
            where v.owner_id = d.owner_id and v.kind = d.kind and v.document_id = d.document_id
        )
        order by d.item_id
        on conflict do nothing
        """,
        {
            "owner": owner_id,
            "kinds": [one.kind for one in embedded],
            "items": [one.item_id for one in embedded],
        },
    )


def _row(one: Document) -> dict[str, Any]:
    return {
        "kind": one.kind,
        "item_id": str(one.item_id),
        "session_id": one.session_id and str(one.session_id),
        "said_at": one.said_at.isoformat(),
        "arrived_at": one.arrived_at.isoformat(),
        "question": one.question,
        "terms": "{" + ",".join(map(str, one.terms)) + "}",
    }
