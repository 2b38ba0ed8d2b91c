"""Summaries of conversations: which are due, and their versions."""

from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.rows import Session
from schemas.summaries import KeptSummary, SessionSummary
from store.transaction import Transaction


def take_due(tx: Transaction, being_id: UUID, limit: int) -> list[UUID]:
    """Closed conversations that have to be summed up, oldest first, as asked for from now on.

    None while the Being's summaries wait for a key, unless one came with the request that this transaction serves. What
    another transaction is closing is left to it.
    """
    rows = tx.execute(
        "update memory.sessions as s set summary_due = false from ("
        "select session_id from memory.sessions join memory.session_states as t using (being_id)"
        " where being_id = %(being)s and summary_due and ended_at is not null"
        " and (not t.waits_for_key or memory.payer() is not null)"
        " order by session_id limit %(limit)s for update of sessions skip locked) as due"
        " where s.being_id = %(being)s and s.session_id = due.session_id returning s.session_id",
        {"being": being_id, "limit": limit},
    )
    return sorted(row["session_id"] for row in rows)


def put_back(tx: Transaction, being_id: UUID, session_id: UUID) -> None:
    """Let a conversation be due again."""
    tx.execute(
        "update memory.sessions set summary_due = true where being_id = %s and session_id = %s", [being_id, session_id]
    )


def session(tx: Transaction, being_id: UUID, session_id: UUID) -> Session | None:
    """One conversation."""
    with tx.cursor(row_factory=class_row(Session)) as cursor:
        return cursor.execute(
            "select * from memory.sessions where being_id = %s and session_id = %s", [being_id, session_id]
        ).fetchone()


def named(tx: Transaction, being_id: UUID, name: str) -> list[UUID]:
    """Up to two conversations of this Being whose id ends so."""
    rows = tx.execute(
        "select session_id from memory.sessions where being_id = %(being)s"
        " and right(session_id::text, length(%(name)s)) = lower(%(name)s) order by session_id limit 2",
        {"being": being_id, "name": name},
    )
    return [row["session_id"] for row in rows]


def keep(tx: Transaction, being_id: UUID, session_id: UUID, summary: SessionSummary, turns: int) -> None:
    """Keep a new version of a conversation's summary."""
    tx.execute(
        "insert into memory.session_summaries (being_id, session_id, version, content, turn_count)"
        " values (%(being)s, %(session)s, coalesce((select max(version) from memory.session_summaries"
        " where being_id = %(being)s and session_id = %(session)s), 0) + 1, %(content)s, %(turns)s)",
        {"being": being_id, "session": session_id, "content": Jsonb(summary.model_dump()), "turns": turns},
    )


def newest(tx: Transaction, being_id: UUID, session_id: UUID) -> KeptSummary | None:
    """The newest version of a conversation's summary."""
    row = tx.execute(
        "select * from memory.session_summaries where being_id = %s and session_id = %s order by version desc limit 1",
        [being_id, session_id],
    ).fetchone()
    return None if row is None else KeptSummary.model_validate({**row["content"], **row})
