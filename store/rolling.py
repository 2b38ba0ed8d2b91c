"""Rolling summaries: what waits to be taken in, the versions, and how the last attempt went."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.rows import Message
from schemas.summaries import KeptRolling, StateRow
from store.keys import REFUSAL_HOLDS
from store.transaction import Transaction, value


def due(tx: Transaction, being_id: UUID, *, every: int) -> bool:
    """Whether so many messages wait to be summed up, and somebody can think, as far as is known.

    The key that came with the request which this transaction serves ends the waiting for one.
    """
    return bool(
        value(
            tx,
            "select count(*) >= %(every)s from (select from memory.messages join memory.session_states as s"
            " using (being_id) where being_id = %(being)s and rolling_version is null and role <> 'other'"
            " and (not s.waits_for_key or memory.payer() is not null) limit %(every)s) as waiting",
            {"being": being_id, "every": every},
        )
    )


def unrolled(tx: Transaction, being_id: UUID, *, until: datetime, limit: int) -> list[Message]:
    """Messages of both that no rolling summary has taken in, of those that are in by then, oldest first."""
    with tx.cursor(row_factory=class_row(Message)) as cursor:
        return cursor.execute(
            "select * from memory.messages where being_id = %(being)s and rolling_version is null"
            " and role <> 'other' and received_at <= %(until)s order by created_at, message_id limit %(limit)s",
            {"being": being_id, "until": until, "limit": limit},
        ).fetchall()


def keep(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], summary: str | None) -> None:
    """Keep a new version of the summary, which takes these messages in; None: they are passed over, and it stays."""
    if summary is not None:
        tx.execute(
            "insert into memory.rolling_summaries (being_id, version, content, message_count)"
            " select being_id, coalesce((select max(version) from memory.rolling_summaries as r"
            " where r.being_id = s.being_id), 0) + 1, %s, message_count"
            " from memory.session_states as s where being_id = %s",
            [summary, being_id],
        )
        tx.execute(
            "update memory.session_states set rolling_summary = %s, last_rolling_success_at = memory.now(),"
            " last_rolling_error = null where being_id = %s",
            [summary, being_id],
        )
    tx.execute(
        "update memory.messages set rolling_version = coalesce((select max(version) from memory.rolling_summaries"
        " where being_id = %(being)s), 0) where being_id = %(being)s and message_id = any(%(messages)s)",
        {"being": being_id, "messages": list(message_ids)},
    )


def note_attempt(tx: Transaction, being_id: UUID) -> None:
    """Write down that a summary is attempted now."""
    tx.execute(
        "update memory.session_states set last_rolling_attempt_at = memory.now() where being_id = %s", [being_id]
    )


def note_error(tx: Transaction, being_id: UUID, reason: str, detail: str) -> None:
    """Write down why an attempt came to nothing, or not to all."""
    tx.execute(
        "update memory.session_states set last_rolling_error = %s where being_id = %s",
        [Jsonb({"reason": reason, "detail": detail}), being_id],
    )


def versions(tx: Transaction, being_id: UUID, *, before: int | None, limit: int) -> list[KeptRolling]:
    """The versions of the summary, newest first; those before one, where it is said."""
    with tx.cursor(row_factory=class_row(KeptRolling)) as cursor:
        return cursor.execute(
            "select * from memory.rolling_summaries where being_id = %(being)s"
            " and (%(before)s::integer is null or version < %(before)s) order by version desc limit %(limit)s",
            {"being": being_id, "before": before, "limit": limit},
        ).fetchall()


def current(tx: Transaction, being_id: UUID) -> str | None:
    """The summary as it is now."""
    found: str | None = value(tx, "select rolling_summary from memory.session_states where being_id = %s", [being_id])
    return found


def state(tx: Transaction, being_id: UUID) -> StateRow:
    """How the user and the Being stand; where they have never spoken, all is at its beginning."""
    with tx.cursor(row_factory=class_row(StateRow)) as cursor:
        (found,) = cursor.execute(
            "select s.*, coalesce(s.message_count, 0) as message_count, k.last_run_at,"
            " coalesce(k.last_memory_count_at_run, 0) as last_memory_count_at_run"
            " from memory.beings as b left join memory.session_states as s using (being_id)"
            " left join memory.fact_keeping as k using (user_id) where b.being_id = %s",
            [being_id],
        )
    return found


def wait_for_key(tx: Transaction, being_id: UUID, *, waits: bool) -> None:
    """Note that this Being's summaries wait until somebody can think, or that they do no longer."""
    tx.execute(
        "update memory.session_states set waits_for_key = %(waits)s where being_id = %(being)s"
        " and waits_for_key <> %(waits)s",
        {"waits": waits, "being": being_id},
    )


def beings_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Beings whose summaries wait for somebody to think, and for whose user somebody may; in no order, as sessions."""
    rows = tx.execute(
        "select being_id from memory.session_states join memory.beings as b using (being_id)"
        " where waits_for_key and memory.may_think(b.user_id, %s, %s) order by random() limit %s",
        [platform, REFUSAL_HOLDS, limit],
    )
    return sorted(row["being_id"] for row in rows)
