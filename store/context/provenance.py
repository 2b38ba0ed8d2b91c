"""Provenance of contexts: which pieces of memory each context showed, and the marks of their words."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from secrets import token_bytes
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.context.shown import ContextRow
from store.transaction import Transaction


def shown_lately(tx: Transaction, being_id: UUID, hashes: Sequence[bytes]) -> set[bytes]:
    """Those of the pieces that a context of this Being showed within the last day, whose marks are stored."""
    return tx.distinct(
        """
        select text_hash from memory.shown_texts
        where being_id = %s and text_hash = any(%s) and shown_at > memory.now() - interval '1 day'
        """,
        [being_id, list(hashes)],
    )


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


def keep(
    tx: Transaction,
    being_id: UUID,
    process: str,
    shown: Sequence[bytes],
    *,
    conversation: str | None,
    shown_ids: Sequence[UUID],
    reasons: Mapping[str, Any],
) -> UUID:
    """Store which pieces and items a context shows, and why; returns the context's id."""
    return tx.value(
        """
        insert into memory.receipts (being_id, process, conversation, shown_hashes, shown_ids, shown_reasons)
        values (%s, %s, %s, %s, %s, %s)
        returning context_id
        """,
        [being_id, process, conversation, list(shown), list(shown_ids), Jsonb(reasons)],
    )


def page(
    tx: Transaction,
    being_id: UUID,
    *,
    shows: UUID | None,
    conversation: str | None,
    before: UUID | None,
    limit: int,
) -> list[ContextRow]:
    """List contexts, newest first; with `shows` those that showed this memory or fact.

    With `conversation` only those of that conversation; empty is the one without an id.
    """
    return tx.rows(
        ContextRow,
        """
        select context_id, process, conversation, created_at, shown_ids, '{}'::jsonb as shown_reasons
        from memory.receipts
        where being_id = %(being)s
            and (%(shows)s::uuid is null or %(shows)s = any(shown_ids))
            and (%(conversation)s::text is null or coalesce(conversation, '') = %(conversation)s)
            and (%(before)s::uuid is null or context_id < %(before)s)
        order by context_id desc
        limit %(limit)s
        """,
        {"being": being_id, "shows": shows, "conversation": conversation, "before": before, "limit": limit},
    )


def get(tx: Transaction, being_id: UUID, context_id: UUID) -> ContextRow | None:
    """Return a context; None if this Being has none of that id, or retention has removed it."""
    return tx.row(
        ContextRow,
        """
        select context_id, process, conversation, created_at, shown_ids, shown_reasons
        from memory.receipts
        where being_id = %s and context_id = %s
        """,
        [being_id, context_id],
    )


def message_lines(
    tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], *, muted: bool
) -> dict[UUID, tuple[UUID, str]]:
    """The session and the line (speaker and text) of each message that stands; of muted ones with `muted`."""
    rows = tx.execute(
        """
        select message_id, session_id, coalesce(speaker, role) || ': ' || content as line
        from memory.messages
        where being_id = %s and message_id = any(%s) and (%s or not memory.is_muted(being_id, 'message', message_id))
        """,
        [being_id, list(message_ids), muted],
    )
    return {row["message_id"]: (row["session_id"], row["line"]) for row in rows}


def given_out(tx: Transaction, being_id: UUID, context_ids: Sequence[UUID]) -> set[UUID]:
    """Those of the ids that are contexts of this Being."""
    if not context_ids:
        return set()
    return tx.distinct(
        "select context_id from memory.receipts where being_id = %s and context_id = any(%s)",
        [being_id, list(context_ids)],
    )


def any_shown(tx: Transaction, being_id: UUID, *, until: datetime) -> bool:
    """Whether a context of this Being showed a piece of memory by then, whose marks are stored."""
    return tx.exists(
        "select from memory.shown_texts where being_id = %s and first_shown_at <= %s",
        [being_id, until],
    )


def shown(tx: Transaction, being_id: UUID, marks: Sequence[int]) -> dict[int, datetime]:
    """Those of the marks that belong to a piece which a context of this Being showed, and when it did first."""
    if not marks:
        return {}
    return tx.pairs(
        """
        select mark, min(first_shown_at) as first_shown_at
        from memory.shown_texts, unnest(shingles) as mark
        where being_id = %(being)s and mark = any(%(marks)s)
            and text_hash = any(array(select memory.pieces_with(%(being)s, %(marks)s::bigint[])))
        group by mark
        """,
        {"being": being_id, "marks": list(marks)},
    )


def received(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[tuple[str, datetime]]:
    """The texts of messages that stand, and when each was received."""
    rows = tx.execute(
        "select content, received_at from memory.messages where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )
    return [(row["content"], row["received_at"]) for row in rows]


def user_texts(tx: Transaction, being_id: UUID, words: Sequence[str], *, before: datetime) -> list[str]:
    """The newest 50 of the user's messages that were received before a time and have all of these words: the texts."""
    sought = [f"%{word.replace('%', '').replace('_', '')}%" for word in words]
    return tx.column(
        """
        select content
        from memory.messages
        where being_id = %s and role = 'user' and received_at < %s and content ilike all (%s::text[])
        order by received_at desc
        limit 50
        """,
        [being_id, before, sought],
    )


def remove(tx: Transaction, being_id: UUID, marks: Mapping[int, datetime]) -> None:
    """Remove the marks of messages that were erased or retracted, from pieces first shown after the given times.

    An edited message repeats most of their words. Pieces that a context had shown before such a message came in keep
    their marks: the message was an echo itself.

    A piece that is about to be shown again at this moment is left unchanged, because this waits for no transaction.
    """
    pieces = tx.execute(
        """
        select text_hash, shingles, first_shown_at
        from memory.shown_texts
        where being_id = %(being)s
            and text_hash = any(array(select memory.pieces_with(%(being)s, %(marks)s::bigint[])))
        for update skip locked
        """,
        {"being": being_id, "marks": list(marks)},
    ).fetchall()
    for piece in pieces:
        rest = [mark for mark in piece["shingles"] if mark not in marks or piece["first_shown_at"] <= marks[mark]]
        if not rest:
            tx.execute(
                "delete from memory.shown_texts where being_id = %s and text_hash = %s", [being_id, piece["text_hash"]]
            )
        elif len(rest) < len(piece["shingles"]):
            # The hash stands for the whole piece, whose marks are stored anew if it is shown again.
            tx.execute(
                """
                update memory.shown_texts set text_hash = %s, shingles = %s where being_id = %s and text_hash = %s
                """,
                [token_bytes(32), rest, being_id, piece["text_hash"]],
            )
