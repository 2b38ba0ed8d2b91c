"""Session summaries: which are due or queued for a joint call, and their versions."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.talk.messages import KeptSession
from schemas.talk.summaries import KeptSummary, SessionSummary
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class ClosingSession:
    """When a session ended, None while it is open; and whether it is excluded from joint summaries."""

    ended_at: datetime | None
    summarise_alone: bool


def take_due(tx: Transaction, being_id: UUID, limit: int) -> list[UUID]:
    """Take closed sessions whose summary is due, oldest first, and clear their mark; the caller requests the work.

    While the Being's summaries wait for a key, none is taken unless a key came with the current request. Sessions that
    another transaction has locked are skipped.
    """
    due = tx.column(
        """
        update memory.sessions as s
        set summary_due = false
        from (
            select session_id
            from memory.sessions
            join memory.session_states as t using (being_id)
            where being_id = %(being)s and summary_due and ended_at is not null
                and (not t.waits_for_key or %(with_key)s)
            order by session_id
            limit %(limit)s
            for update of sessions skip locked
        ) as due
        where s.being_id = %(being)s and s.session_id = due.session_id
        returning s.session_id
        """,
        {"being": being_id, "limit": limit, "with_key": tx.request_key_id is not None},
    )
    return sorted(due)


def count_due(tx: Transaction, being_id: UUID, session_ids: Sequence[UUID]) -> int:
    """How many of these sessions have closed and are to be summarised."""
    return tx.value(
        """
        select count(*)
        from memory.sessions
        where being_id = %s and session_id = any(%s) and summary_due and ended_at is not null
        """,
        [being_id, list(session_ids)],
    )


def make_due(tx: Transaction, being_id: UUID, session_id: UUID) -> None:
    """Mark a session's summary as due again."""
    tx.execute(
        "update memory.sessions set summary_due = true where being_id = %s and session_id = %s", [being_id, session_id]
    )


def begin(tx: Transaction, being_id: UUID, session_id: UUID) -> ClosingSession | None:
    """Take a session out of the queue of short sessions, since its own work begins; None if there is no session."""
    return tx.row(
        ClosingSession,
        """
        update memory.sessions set deferral_id = null where being_id = %s and session_id = %s
        returning ended_at, summarise_alone
        """,
        [being_id, session_id],
    )


def enqueue_short(tx: Transaction, being_id: UUID, session_id: UUID) -> None:
    """Queue a short session for a joint call, under a new mark."""
    tx.execute(
        "update memory.sessions set deferral_id = uuidv7() where being_id = %s and session_id = %s",
        [being_id, session_id],
    )


def count_short(tx: Transaction, being_id: UUID, *, limit: int) -> int:
    """How many sessions of a Being are queued for a joint call, counted up to `limit`."""
    return tx.value(
        """
        select count(*)
        from (select from memory.sessions where being_id = %s and deferral_id is not null limit %s) as queued
        """,
        [being_id, limit],
    )


def queued_short(tx: Transaction, being_id: UUID, *, until: datetime, limit: int) -> list[tuple[UUID, UUID]]:
    """Sessions that were queued by `until`, in that order, as (session_id, mark)."""
    rows = tx.execute(
        """
        select session_id, deferral_id
        from memory.sessions
        where being_id = %s and deferral_id is not null
            and uuid_extract_timestamp(deferral_id) + (select shift from memory.clock) <= %s
        order by deferral_id
        limit %s
        """,
        [being_id, until, limit],
    )
    return [(row["session_id"], row["deferral_id"]) for row in rows]


def dequeue_short(tx: Transaction, being_id: UUID, marked: Sequence[tuple[UUID, UUID]]) -> set[UUID]:
    """Dequeue the sessions that still have these marks; returns their ids."""
    return tx.distinct(
        """
        update memory.sessions as s
        set deferral_id = null
        from unnest(%s::uuid[], %s::uuid[]) as marked (session_id, deferral_id)
        where s.being_id = %s and s.session_id = marked.session_id and s.deferral_id = marked.deferral_id
        returning s.session_id
        """,
        [[session_id for session_id, _ in marked], [mark for _, mark in marked], being_id],
    )


def exclude_from_joint(tx: Transaction, being_id: UUID, session_id: UUID) -> None:
    """Summarise a session with calls of its own from now on, since no joint call could."""
    tx.execute(
        "update memory.sessions set summarise_alone = true where being_id = %s and session_id = %s",
        [being_id, session_id],
    )


def make_short_due(tx: Transaction, being_id: UUID) -> None:
    """Dequeue all short sessions of a Being, and mark their summaries as due again."""
    tx.execute(
        """
        update memory.sessions set summary_due = true, deferral_id = null
        where being_id = %s and deferral_id is not null
        """,
        [being_id],
    )


def session(tx: Transaction, being_id: UUID, session_id: UUID) -> KeptSession | None:
    """One session; None if this Being has no such session."""
    return tx.row(
        KeptSession,
        """
        select *, memory.pause_before(being_id, conversation, started_at) as pause
        from memory.sessions
        where being_id = %s and session_id = %s
        """,
        [being_id, session_id],
    )


def keep(tx: Transaction, being_id: UUID, session_id: UUID, summary: SessionSummary, turns: int) -> None:
    """Insert a new version of a session's summary, which covers `turns` turns."""
    tx.execute(
        """
        insert into memory.session_summaries (being_id, session_id, version, content, turn_count)
        select %(being)s, %(session)s, coalesce(max(version), 0) + 1, %(content)s, %(turns)s
        from memory.session_summaries
        where being_id = %(being)s and session_id = %(session)s
        """,
        {"being": being_id, "session": session_id, "content": Jsonb(summary.model_dump()), "turns": turns},
    )


def newest(tx: Transaction, being_id: UUID, session_id: UUID) -> KeptSummary | None:
    """The newest version of a session's summary; None before the first."""
    row = tx.execute(
        """
        select *
        from memory.session_summaries
        where being_id = %s and session_id = %s
        order by version desc
        limit 1
        """,
        [being_id, session_id],
    ).fetchone()
    return None if row is None else KeptSummary.model_validate({**row["content"], **row})
