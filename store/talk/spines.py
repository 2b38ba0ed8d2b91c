"""Spines: the versions of a user's long-term summary, and the messages that it has yet to take in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.talk.messages import Message
from schemas.talk.summaries import Spine, SummarySpine
from store.llm.keys import REFUSAL_HOLDS
from store.transaction import Transaction, value

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class PendingMessage:
    """A message that no spine has taken in; `shared` is true if all of the user's Beings may know it."""

    being_id: UUID
    message: Message
    shared: bool


def enough_wait(tx: Transaction, user_id: UUID, least: int) -> bool:
    """Whether at least so many messages of this user wait to be taken in.

    While the spine waits for a key, only messages that came with a live key of their own count.
    """
    return bool(
        value(
            tx,
            """
            select count(*) = %(least)s
            from (
                select
                from memory.tellable_messages
                join memory.beings using (being_id)
                left join memory.fact_states as k using (user_id)
                where user_id = %(user)s and spine_version is null
                    and role <> 'other' and (judged or role = 'assistant')
                    and (k.spine_waits_for_key is not true or memory.key_lives(being_id, request_key_id))
                limit %(least)s
            ) as waiting
            """,
            {"user": user_id, "least": least},
        )
    )


def pending(tx: Transaction, user_id: UUID, *, until: datetime, own: int, limit: int) -> list[PendingMessage]:
    """Messages received by `until` that no spine has taken in, oldest first: `limit`, with `own` of the user at most.

    Shared are the user's own messages that were judged and not found confidential; an assistant's message is never
    shared, since it may repeat a confidence.
    """
    rows = tx.execute(
        """
        select *, role = 'user' and judging_error is null and not in_confidence as shared
        from (
            select oldest.*, count(*) filter (where role = 'user') over (order by created_at, message_id) as own
            from (
                select m.*
                from memory.tellable_messages as m
                join memory.beings as b using (being_id)
                left join memory.fact_states as k using (user_id)
                where user_id = %(user)s and spine_version is null and role <> 'other'
                    and (judged or role = 'assistant') and received_at <= %(until)s
                    -- While the spine waits for a key, only messages that came with a live key of their own.
                    and (k.spine_waits_for_key is not true or memory.key_lives(being_id, request_key_id))
                order by m.created_at, message_id
                limit %(limit)s
            ) as oldest
        ) as counted
        where own <= %(own)s
        order by created_at, message_id
        """,
        {"user": user_id, "until": until, "own": own, "limit": limit},
    )
    return [PendingMessage(row["being_id"], Message.model_validate(row), row["shared"]) for row in rows]


def keep(tx: Transaction, user_id: UUID, message_ids: Sequence[UUID], content: SummarySpine | None) -> None:
    """Insert a new version that took these messages in; with None they are marked, and the spine stays as it is."""
    version = int(
        value(
            tx,
            """
            select coalesce(max(version), 0)
            from memory.summary_spines
            where user_id = %s and conversation_id = %s
            """,
            [user_id, DEFAULT],
        )
    )
    if content is not None:
        version += 1
        tx.execute(
            """
            insert into memory.summary_spines (user_id, conversation_id, version, content, message_count)
            values (%s, %s, %s, %s, %s)
            """,
            [user_id, DEFAULT, version, Jsonb(content.model_dump()), len(message_ids)],
        )
    tx.execute(
        """
        update memory.messages
        set spine_version = %s
        where message_id = any(%s) and not follows
            and being_id in (select being_id from memory.beings where user_id = %s)
        """,
        [version, list(message_ids), user_id],
    )


def versions(tx: Transaction, user_id: UUID, *, before: int | None, limit: int) -> list[Spine]:
    """A page of the spine's versions, newest first, starting after version `before`."""
    with tx.cursor(row_factory=class_row(Spine)) as cursor:
        return cursor.execute(
            """
            select *
            from memory.summary_spines
            where user_id = %(user)s and conversation_id = %(conversation)s
                and (%(before)s::integer is null or version < %(before)s)
            order by version desc
            limit %(limit)s
            """,
            {"user": user_id, "conversation": DEFAULT, "before": before, "limit": limit},
        ).fetchall()


def newest(tx: Transaction, user_id: UUID) -> Spine | None:
    """The newest version; None before the first."""
    return next(iter(versions(tx, user_id, before=None, limit=1)), None)


def wait_for_key(tx: Transaction, user_id: UUID, *, waits: bool) -> bool:
    """Set whether the user's spine waits for a usable key; returns whether that changed."""
    done = tx.execute(
        """
        insert into memory.fact_states as k (user_id, spine_waits_for_key)
        values (%s, %s)
        on conflict (user_id) do update
            set spine_waits_for_key = excluded.spine_waits_for_key
            where k.spine_waits_for_key <> excluded.spine_waits_for_key
        """,
        [user_id, waits],
    )
    return done.rowcount > 0


def users_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Users whose spine waits for a key, and who may use one now; picked at random, as sessions are."""
    rows = tx.execute(
        """
        select user_id
        from memory.fact_states
        where spine_waits_for_key and memory.thinks_now(user_id, %s, %s)
        order by random()
        limit %s
        """,
        [platform, REFUSAL_HOLDS, limit],
    )
    return sorted(row["user_id"] for row in rows)
