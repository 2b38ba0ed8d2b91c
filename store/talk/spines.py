"""Spines: the versions of long-term summaries, and the messages that they have yet to take in.

A spine belongs to a user. Its scope is a Being, if it has the user's messages in confidence to that Being, or None:
it has the rest, and all of the user's Beings see it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.talk.messages import Message
from schemas.talk.summaries import Spine, SummarySpine
from store.llm import keys
from store.transaction import Transaction

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class PendingMessage:
    """A message that no spine has taken in; `telling` is true if it is the user's own and was judged."""

    being_id: UUID
    message: Message
    telling: bool


def due(tx: Transaction, user_id: UUID, least: int) -> list[UUID | None]:
    """The scopes of a user's spines for which at least `least` messages wait.

    While the spines wait for a key, only messages that came with a live key of their own count.
    """
    return tx.column(
        """
        select scope.being_id
        from (
            select null::uuid as being_id
            union all
            select being_id from memory.beings where user_id = %(user)s
        ) as scope
        where (
            select count(*) = %(least)s
            from (
                select
                from memory.beings as b
                join memory.tellable_messages as m using (being_id)
                left join memory.fact_states as k using (user_id)
                where user_id = %(user)s and being_id = coalesce(scope.being_id, being_id)
                    and spine_version is null and in_confidence = (scope.being_id is not null)
                    and role <> 'other' and (judged or role = 'assistant')
                    and (k.spine_waits_for_key is not true or memory.key_lives(being_id, request_key_id))
                limit %(least)s
            ) as waiting
        )
        """,
        {"user": user_id, "least": least},
    )


def pending(
    tx: Transaction, user_id: UUID, scope: UUID | None, *, until: datetime, own: int, limit: int
) -> list[PendingMessage]:
    """Messages of a scope received by `until` that no spine has taken in, oldest first: `limit`, the user's `own`.

    An assistant's message is never telling, since it may repeat a confidence.
    """
    rows = tx.execute(
        """
        select *, role = 'user' and judging_error is null as telling
        from (
            select oldest.*, count(*) filter (where role = 'user') over (order by created_at, message_id) as own
            from (
                select m.*
                from memory.beings as b
                join memory.tellable_messages as m using (being_id)
                left join memory.fact_states as k using (user_id)
                where user_id = %(user)s and being_id = coalesce(%(scope)s, being_id)
                    and spine_version is null and in_confidence = (%(scope)s::uuid is not null)
                    and role <> 'other' and (judged or role = 'assistant') and received_at <= %(until)s
                    -- While the spines wait for a key, only messages that came with a live key of their own.
                    and (k.spine_waits_for_key is not true or memory.key_lives(being_id, request_key_id))
                order by m.created_at, message_id
                limit %(limit)s
            ) as oldest
        ) as counted
        where own <= %(own)s
        order by created_at, message_id
        """,
        {"user": user_id, "scope": scope, "until": until, "own": own, "limit": limit},
    )
    return [PendingMessage(row["being_id"], Message.model_validate(row), row["telling"]) for row in rows]


def keep(
    tx: Transaction, user_id: UUID, scope: UUID | None, message_ids: Sequence[UUID], content: SummarySpine | None
) -> None:
    """Insert a new version that took these messages in; with None they are marked, and the spine is unchanged."""
    newest_one = newest(tx, user_id, scope)
    version = newest_one.version if newest_one else 0
    if content is not None:
        version += 1
        tx.execute(
            """
            insert into memory.summary_spines (user_id, being_id, conversation_id, version, content, message_count)
            values (%s, %s, %s, %s, %s, %s)
            """,
            [user_id, scope, _conversation(scope), version, Jsonb(content.model_dump()), len(message_ids)],
        )
    tx.execute(
        """
        update memory.messages
        set spine_version = %(version)s
        where message_id = any(%(ids)s) and in_confidence = (%(scope)s::uuid is not null)
            and (in_confidence or not follows) and being_id in (
                select being_id from memory.beings where user_id = %(user)s and being_id = coalesce(%(scope)s, being_id)
            )
        """,
        {"version": version, "ids": list(message_ids), "scope": scope, "user": user_id},
    )


def versions(tx: Transaction, user_id: UUID, scope: UUID | None, *, before: int | None, limit: int) -> list[Spine]:
    """A page of a spine's versions, newest first, starting after version `before`."""
    return tx.rows(
        Spine,
        """
        select *
        from memory.summary_spines
        where user_id = %(user)s and conversation_id = %(conversation)s
            and (%(before)s::integer is null or version < %(before)s)
        order by version desc
        limit %(limit)s
        """,
        {"user": user_id, "conversation": _conversation(scope), "before": before, "limit": limit},
    )


def newest(tx: Transaction, user_id: UUID, scope: UUID | None = None) -> Spine | None:
    """The newest version; None before the first."""
    return next(iter(versions(tx, user_id, scope, before=None, limit=1)), None)


def _conversation(scope: UUID | None) -> str:
    return str(scope or DEFAULT)


def wait_for_key(tx: Transaction, user_id: UUID, *, waits: bool) -> bool:
    """Set whether the user's spines wait for a usable key; returns whether that changed."""
    return tx.changes(
        """
        insert into memory.fact_states as k (user_id, spine_waits_for_key)
        values (%s, %s)
        on conflict (user_id) do update
            set spine_waits_for_key = excluded.spine_waits_for_key
            where k.spine_waits_for_key <> excluded.spine_waits_for_key
        """,
        [user_id, waits],
    )


def users_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Users whose spines wait for a key, and who may use one now."""
    waiting: LiteralString = "select user_id, user_id from memory.fact_states where spine_waits_for_key"
    return keys.waiting(tx, waiting, platform=platform, limit=limit)
