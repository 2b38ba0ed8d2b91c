"""Spines: the long line of a user's conversations with all Beings, and the words that it has yet to take in."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.rows import Message
from schemas.summaries import Spine, SummarySpine
from store.keys import REFUSAL_HOLDS
from store.transaction import Transaction, value

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Heard:
    """A message that waits to be taken in: to which Being it was said, and whether it may be shown to others."""

    being_id: UUID
    message: Message
    shared: bool


def due(tx: Transaction, user_id: UUID, *, every: int) -> bool:
    """Whether so many messages of this user's wait, and somebody can think, as far as is known.

    The key that came with the request which this transaction serves ends the waiting for one.
    """
    return bool(
        value(
            tx,
            "select count(*) >= %(every)s from (select from memory.messages join memory.beings using (being_id)"
            " left join memory.fact_keeping as k using (user_id) where user_id = %(user)s and spine_version is null"
            " and role <> 'other' and (judged or role = 'assistant')"
            " and (k.spine_waits_for_key is not true or memory.payer() is not null) limit %(every)s) as waiting",
            {"user": user_id, "every": every},
        )
    )


def unspun(tx: Transaction, user_id: UUID, *, until: datetime, limit: int) -> list[Heard]:
    """Messages that no spine has taken in, of those that are in by then, oldest first.

    What may be shown are the user's own words that a judge has heard and found not to be said in confidence: a Being's
    may repeat what was.
    """
    rows = tx.execute(
        "select m.*, role = 'user' and unjudgeable is null and not in_confidence as shared"
        " from memory.messages as m join memory.beings as b using (being_id)"
        " where b.user_id = %(user)s and spine_version is null and role <> 'other' and (judged or role = 'assistant')"
        " and received_at <= %(until)s order by m.created_at, message_id limit %(limit)s",
        {"user": user_id, "until": until, "limit": limit},
    )
    return [Heard(row["being_id"], Message.model_validate(row), row["shared"]) for row in rows]


def keep(tx: Transaction, user_id: UUID, message_ids: Sequence[UUID], content: SummarySpine | None) -> None:
    """Keep a new version, which takes these messages in; None: they are passed over, and the spine stays."""
    version = int(
        value(
            tx,
            "select coalesce(max(version), 0) from memory.summary_spines where user_id = %s and conversation_id = %s",
            [user_id, DEFAULT],
        )
    )
    if content is not None:
        version += 1
        tx.execute(
            "insert into memory.summary_spines (user_id, conversation_id, version, content, message_count)"
            " values (%s, %s, %s, %s, %s)",
            [user_id, DEFAULT, version, Jsonb(content.model_dump()), len(message_ids)],
        )
    tx.execute(
        "update memory.messages set spine_version = %s where message_id = any(%s)"
        " and being_id in (select being_id from memory.beings where user_id = %s)",
        [version, list(message_ids), user_id],
    )


def versions(tx: Transaction, user_id: UUID, *, before: int | None, limit: int) -> list[Spine]:
    """The versions, newest first; those before one, where it is said."""
    with tx.cursor(row_factory=class_row(Spine)) as cursor:
        return cursor.execute(
            "select * from memory.summary_spines where user_id = %(user)s and conversation_id = %(conversation)s"
            " and (%(before)s::integer is null or version < %(before)s) order by version desc limit %(limit)s",
            {"user": user_id, "conversation": DEFAULT, "before": before, "limit": limit},
        ).fetchall()


def newest(tx: Transaction, user_id: UUID) -> Spine | None:
    """The newest version."""
    return next(iter(versions(tx, user_id, before=None, limit=1)), None)


def wait_for_key(tx: Transaction, user_id: UUID, *, waits: bool) -> None:
    """Note that the spine waits until somebody can think for the user, or that it does no longer."""
    tx.execute(
        "insert into memory.fact_keeping as k (user_id, spine_waits_for_key) values (%s, %s) on conflict (user_id)"
        " do update set spine_waits_for_key = excluded.spine_waits_for_key"
        " where k.spine_waits_for_key <> excluded.spine_waits_for_key",
        [user_id, waits],
    )


def users_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Users whose spine waits for somebody to think, and for whom somebody may; in no order, as sessions."""
    rows = tx.execute(
        "select user_id from memory.fact_keeping where spine_waits_for_key and memory.may_think(user_id, %s, %s)"
        " order by random() limit %s",
        [platform, REFUSAL_HOLDS, limit],
    )
    return sorted(row["user_id"] for row in rows)
