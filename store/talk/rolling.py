"""Rolling summaries: messages that wait to be taken in, versions, and the state of the last attempt."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.talk.messages import Message
from schemas.talk.summaries import KeptRolling, StateRow
from store.llm import keys
from store.transaction import Transaction


def due(tx: Transaction, being_id: UUID, *, every: int) -> bool:
    """Whether at least `every` messages wait to be taken in.

    While the Being waits for a key, only messages that came with a live key of their own count.
    """
    return tx.value(
        """
        select count(*) >= %(every)s
        from (
            select
            from memory.tellable_messages
            join memory.session_states as s using (being_id)
            where being_id = %(being)s and rolling_version is null and role <> 'other'
                and (not s.waits_for_key or memory.key_lives(being_id, request_key_id))
            limit %(every)s
        ) as waiting
        """,
        {"being": being_id, "every": every},
    )


def pending(tx: Transaction, being_id: UUID, *, until: datetime, limit: int) -> list[Message]:
    """User and assistant messages received by `until` that no rolling summary has taken in, oldest first.

    While the Being waits for a key, only messages that came with a live key of their own.
    """
    return tx.rows(
        Message,
        """
        select m.*
        from memory.tellable_messages as m
        join memory.session_states as s using (being_id)
        where being_id = %(being)s and m.rolling_version is null and m.role <> 'other'
            and m.received_at <= %(until)s
            and (not s.waits_for_key or memory.key_lives(being_id, m.request_key_id))
        order by m.created_at, m.message_id
        limit %(limit)s
        """,
        {"being": being_id, "until": until, "limit": limit},
    )


def pass_over(tx: Transaction, being_id: UUID, *, until: datetime, newest: int, limit: int) -> int:
    """Mark pending messages of ended sessions as taken in by no version, except the newest; returns how many.

    Args:
        tx: The transaction; it holds the Being's session state until it ends.
        until: Only messages that were received by then.
        newest: How many of the newest messages stay pending; of the others, those of sessions that go on do too.
        limit: The most messages to mark, the oldest first.
    """
    lock(tx, being_id)
    done = tx.execute(
        """
        update memory.messages
        set rolling_version = 0
        where being_id = %(being)s and message_id = any(array(
            select m.message_id
            from memory.tellable_messages as m
            join memory.sessions as s using (being_id, session_id)
            where m.being_id = %(being)s and m.rolling_version is null and m.role <> 'other'
                and m.received_at <= %(until)s and s.ended_at is not null
                and (m.created_at, m.message_id) < (
                    select created_at, message_id
                    from memory.tellable_messages
                    where being_id = %(being)s and rolling_version is null and role <> 'other'
                        and received_at <= %(until)s
                    order by created_at desc, message_id desc
                    offset %(newest)s - 1 limit 1
                )
            order by m.created_at, m.message_id
            limit %(limit)s
        ))
        """,
        {"being": being_id, "until": until, "newest": newest, "limit": limit},
    )
    return done.rowcount


def keep(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], summary: str | None) -> None:
    """Insert a new version that took these messages in; with None they are marked, and the summary is unchanged."""
    if summary is not None:
        tx.execute(
            """
            insert into memory.rolling_summaries (being_id, version, content, message_count)
            select
                being_id,
                coalesce((select max(version) from memory.rolling_summaries as r where r.being_id = s.being_id), 0) + 1,
                %s,
                message_count
            from memory.session_states as s
            where being_id = %s
            """,
            [summary, being_id],
        )
        tx.execute(
            """
            update memory.session_states
            set rolling_summary = %s, last_rolling_success_at = memory.now(), last_rolling_error = null
            where being_id = %s
            """,
            [summary, being_id],
        )
    tx.execute(
        """
        update memory.messages
        set rolling_version =
            coalesce((select max(version) from memory.rolling_summaries where being_id = %(being)s), 0)
        where being_id = %(being)s and message_id = any(%(messages)s)
        """,
        {"being": being_id, "messages": list(message_ids)},
    )


def note_attempt(tx: Transaction, being_id: UUID) -> None:
    """Record the time of an attempt in the session state."""
    tx.execute(
        "update memory.session_states set last_rolling_attempt_at = memory.now() where being_id = %s", [being_id]
    )


def note_error(tx: Transaction, being_id: UUID, reason: str, detail: str) -> None:
    """Record why an attempt failed, wholly or for some messages; `detail` holds no content."""
    tx.execute(
        "update memory.session_states set last_rolling_error = %s where being_id = %s",
        [Jsonb({"reason": reason, "detail": detail}), being_id],
    )


def versions(tx: Transaction, being_id: UUID, *, before: int | None, limit: int) -> list[KeptRolling]:
    """A page of the summary's versions, newest first, starting after version `before`."""
    return tx.rows(
        KeptRolling,
        """
        select *
        from memory.rolling_summaries
        where being_id = %(being)s and (%(before)s::integer is null or version < %(before)s)
        order by version desc
        limit %(limit)s
        """,
        {"being": being_id, "before": before, "limit": limit},
    )


def current(tx: Transaction, being_id: UUID) -> str | None:
    """The newest version's text; None before the first."""
    return tx.value("select rolling_summary from memory.session_states where being_id = %s", [being_id])


def state(tx: Transaction, being_id: UUID, *, muted: bool) -> StateRow:
    """A Being's session state, with the curator's state of its user; counts are 0 before the first message.

    The user's last message is in it only with `muted`, if it is muted.
    """
    return tx.one(
        StateRow,
        """
        select s.*, coalesce(s.message_count, 0) as message_count, k.last_run_at,
            coalesce(k.last_memory_count_at_run, 0) as last_memory_count_at_run,
            case
                when %(muted)s or not exists (
                    select from memory.messages as m
                    where m.being_id = b.being_id and m.role = 'user' and m.created_at = s.last_user_at
                        and memory.is_muted(m.being_id, 'message', m.message_id)
                )
                then s.last_user_message
            end as last_user_message
        from memory.beings as b
        left join memory.session_states as s using (being_id)
        left join memory.fact_states as k using (user_id)
        where b.being_id = %(being)s
        """,
        {"being": being_id, "muted": muted},
    )


def lock(tx: Transaction, being_id: UUID) -> None:
    """Lock the Being's session state: intake and erasure of its messages wait until this transaction ends."""
    tx.execute("select memory.lock_session_state(%s)", [being_id])


def wait_for_key(tx: Transaction, being_id: UUID, *, waits: bool) -> bool:
    """Set whether this Being's summaries wait for a usable key of its user's; returns whether that changed."""
    return tx.changes(
        """
        update memory.session_states
        set waits_for_key = %(waits)s
        where being_id = %(being)s and waits_for_key <> %(waits)s
        """,
        {"waits": waits, "being": being_id},
    )


def beings_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Beings whose summaries wait for a key, and whose user may use one now."""
    waiting: LiteralString = """
        select being_id, user_id from memory.session_states join memory.beings using (being_id) where waits_for_key
    """
    return keys.waiting(tx, waiting, platform=platform, limit=limit)
