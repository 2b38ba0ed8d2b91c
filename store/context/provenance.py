"""Provenance of contexts: which pieces of memory each context showed, and the marks of their words."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from uuid import UUID

from psycopg.types.json import Jsonb

from store.transaction import Transaction, value


def shown_lately(tx: Transaction, being_id: UUID, hashes: Sequence[bytes]) -> set[bytes]:
    """Those of the pieces that a context of this Being showed within the last day, whose marks are stored."""
    rows = tx.execute(
        """
        select text_hash from memory.shown_texts
        where being_id = %s and text_hash = any(%s) and shown_at > memory.now() - interval '1 day'
        """,
        [being_id, list(hashes)],
    )
    return {row["text_hash"] for row in rows}


def keep_shown(tx: Transaction, being_id: UUID, shown: Mapping[bytes, Sequence[int]]) -> None:
    """Store pieces as shown now, with their marks; in the order of their hashes, which prevents deadlocks."""
    if not shown:
        return
    tx.execute(
        """
        insert into memory.shown_texts (being_id, text_hash, shingles)
        select %s, decode(text_hash, 'hex'), shingles
        from jsonb_to_recordset(%s) as new (text_hash text, shingles bigint[])
        order by text_hash
        on conflict (being_id, text_hash) do update set shown_at = excluded.shown_at
        """,
        [being_id, Jsonb([{"text_hash": hashed.hex(), "shingles": list(marks)} for hashed, marks in shown.items()])],
    )


def keep(tx: Transaction, being_id: UUID, process: str, shown: Sequence[bytes]) -> UUID:
    """Store which pieces a context shows; returns the context's id."""
    context_id: UUID = value(
        tx,
        "insert into memory.receipts (being_id, process, shown_hashes) values (%s, %s, %s) returning context_id",
        [being_id, process, list(shown)],
    )
    return context_id


def given_out(tx: Transaction, being_id: UUID, context_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the ids that are contexts of this Being."""
    rows = tx.execute(
        "select context_id from memory.receipts where being_id = %s and context_id = any(%s)",
        [being_id, list(context_ids)],
    )
    return {row["context_id"] for row in rows}


def shown(tx: Transaction, being_id: UUID, marks: Sequence[int]) -> set[int]:
    """Those of the marks that belong to a piece which a context of this Being showed."""
    rows = tx.execute(
        """
        select distinct mark from memory.shown_texts, unnest(shingles) as mark
        where being_id = %(being)s and shingles && %(marks)s::bigint[] and mark = any(%(marks)s)
        """,
        {"being": being_id, "marks": list(marks)},
    )
    return {row["mark"] for row in rows}


def clear(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Delete at most `limit` records of contexts older than that; returns their number."""
    return tx.execute(
        """
        delete from memory.receipts where (being_id, context_id) in (
            select being_id, context_id from memory.receipts
            where created_at < memory.now() - %s::interval
            limit %s
        )
        """,
        [older_than, limit],
    ).rowcount


def clear_shown(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Delete at most `limit` pieces that no context has shown for so long; returns their number."""
    # `shown_at` is updated at most once a day, so that a context may be up to a day younger than its pieces.
    return tx.execute(
        """
        delete from memory.shown_texts where (being_id, text_hash) in (
            select being_id, text_hash from memory.shown_texts
            where shown_at < memory.now() - %s::interval - interval '1 day'
            limit %s
        )
        """,
        [older_than, limit],
    ).rowcount
