"""The inverted index: documents go in, and triggers on their source rows take them out (sql/functions/65_search)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.search import Kind
from store.search.queue import QueuedDocument
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Document:
    """A message, node, fact or other text as the index holds it.

    Attributes:
        owner_id: Its owner.
        embedded: Whether it gets vectors here: whole, or because it may be too long for the one in its own row.
    """

    owner_id: UUID
    kind: Kind
    item_id: UUID
    session_id: UUID | None
    said_at: datetime
    arrived_at: datetime
    question: bool
    terms: Sequence[int]
    embedded: bool

    @property
    def source(self) -> QueuedDocument:
        """Its source."""
        return QueuedDocument(self.owner_id, self.kind, self.item_id)


@dataclass(frozen=True, slots=True)
class Owner:
    """How an owner's documents are indexed.

    Attributes:
        language: The language for stemming.
        embedding_model: The model whose vectors serve, of documents without vectors elsewhere; None at first.
    """

    language: str
    embedding_model: str | None


def owner(tx: Transaction, owner_id: UUID) -> Owner | None:
    """How an owner's documents are indexed; None before the first is."""
    return tx.row(Owner, "select language, embedding_model from memory.search_owners where owner_id = %s", [owner_id])


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


def put(tx: Transaction, documents: Sequence[Document]) -> None:
    """Index documents in place of the earlier ones for the same items, and queue those that have no vector.

    Args:
        tx: The transaction, which took them from the queue.
        documents: The new and changed documents, of any owners.
    """
    indexed = tx.execute(
        """
        insert into memory.search_documents as d
            (owner_id, kind, item_id, session_id, said_at, arrived_at, question, terms)
        select told.owner_id, told.kind, told.item_id, told.session_id, told.said_at, told.arrived_at, told.question,
            told.terms::bigint[]
        from jsonb_to_recordset(%s) as told (
            owner_id uuid, kind memory.search_kind, item_id uuid, session_id uuid, said_at timestamptz,
            arrived_at timestamptz, question boolean, terms text
        )
        order by told.owner_id
        on conflict (owner_id, kind, item_id) do update
        set session_id = excluded.session_id, said_at = excluded.said_at, arrived_at = excluded.arrived_at,
            question = excluded.question, terms = excluded.terms
        returning new.owner_id, new.kind, new.item_id, new.document_id, old.document_id is not null as changed
        """,
        [Jsonb([_row(one) for one in documents])],
    ).fetchall()
    # A message's text never changes; another document that changes needs other vectors.
    changed = [row for row in indexed if row["changed"] and row["kind"] != "message"]
    if changed:
        tx.execute(
            "select memory.remove_vectors(%s, %s::memory.search_kind[], %s)",
            _columns(changed, "owner_id", "kind", "document_id"),
        )
    embedded = {one.source for one in documents if one.embedded}
    unembedded = [row for row in indexed if QueuedDocument(row["owner_id"], row["kind"], row["item_id"]) in embedded]
    if unembedded:
        tx.execute(
            """
            insert into memory.search_queue (owner_id, stage, kind, item_id)
            select told.owner_id, 'meaning', told.kind, told.item_id
            from unnest(%s::uuid[], %s::memory.search_kind[], %s::uuid[], %s::bigint[], %s::boolean[])
                as told (owner_id, kind, item_id, document_id, changed)
            where not told.changed or (
                    select v.document_id from memory.search_vectors as v
                    where v.owner_id = told.owner_id and v.kind = told.kind and v.document_id = told.document_id
                    limit 1
                ) is null
            order by told.owner_id, told.item_id
            on conflict do nothing
            """,
            _columns(unembedded, "owner_id", "kind", "item_id", "document_id", "changed"),
        )


def _columns(rows: Sequence[dict[str, Any]], *names: str) -> list[list[Any]]:
    return [[row[name] for row in rows] for name in names]


def _row(one: Document) -> dict[str, Any]:
    return {
        "owner_id": str(one.owner_id),
        "kind": one.kind,
        "item_id": str(one.item_id),
        "session_id": one.session_id and str(one.session_id),
        "said_at": one.said_at.isoformat(),
        "arrived_at": one.arrived_at.isoformat(),
        "question": one.question,
        "terms": "{" + ",".join(map(str, one.terms)) + "}",
    }
