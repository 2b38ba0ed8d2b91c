"""Messages and their sessions."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.accounts.erasure_keys import ErasureKey
from schemas.ledger.kinds import WorkKind
from schemas.limits import FIRST_WORDS, ROLLING_BACKLOG
from schemas.talk.messages import Message, Session
from store.llm.keys import REFUSAL_HOLDS
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class NewMessage:
    """A message to insert. Messages with the same `producer_id` are inserted once."""

    message_id: UUID
    producer_id: str | None
    role: str
    speaker: str | None
    conversation: str | None
    content: str
    created_at: datetime
    metadata: dict[str, Any]
    content_hash: bytes


@dataclass(frozen=True, slots=True)
class IntakeStart:
    """The first step of the intake of messages.

    Attributes:
        began_at: The domain's time at the start of the transaction.
        message_ids: As many new ids as requested; they sort in the order of the list, and after all earlier ids.
        may_think: Whether a model is available to the Being, as far as stored rows show.
        erasure_key: The key of the user's digests, if items of the Being were erased.
        off_the_record: Whether the whole Being is off the record.
        off_the_record_in: The conversations that are.
    """

    began_at: datetime
    message_ids: list[UUID]
    may_think: bool
    erasure_key: ErasureKey | None
    off_the_record: bool
    off_the_record_in: Collection[str]


def begin(tx: Transaction, being_id: UUID, count: int, *, rolling: WorkKind, platform: bool) -> IntakeStart:
    """Begin the intake of `count` messages; it must be the first statement of the transaction that takes a lock.

    It blocks erasures of the Being's items, and locks the work row of rewrites of its rolling summary, which must be
    locked before the session state, as a finishing rewrite does.

    Args:
        tx: The transaction; the key of the request that it serves counts.
        count: How many ids are needed.
        rolling: The kind of work of these rewrites.
        platform: Whether the platform's key serves users without one.
    """
    (row,) = tx.execute(
        "select * from memory.begin_messages(%s, %s, %s, %s, %s)",
        [being_id, rolling.name, count, platform, REFUSAL_HOLDS],
    )
    key = ErasureKey(row["user_id"], row["key"], row["sealed"]) if row["user_id"] else None
    return IntakeStart(
        row["began_at"],
        row["message_ids"],
        tx.request_key_id is not None or row["may_think"],
        key,
        bool(row["off_the_record"]),
        row["off_the_record_in"] or (),
    )


def insert(tx: Transaction, being_id: UUID, messages: Sequence[NewMessage]) -> dict[UUID, UUID | None]:
    """Insert the messages whose producer ids are new; returns the ids of those inserted, each with its session's.

    A message whose id was retracted before it came is stored as retracted, without a session.
    """
    return tx.pairs(
        "select kept_id, kept_in from memory.keep_messages(%s, %s, %s, %s)",
        [
            being_id,
            Jsonb(
                [
                    {
                        "message_id": str(message.message_id),
                        "producer_id": message.producer_id,
                        "role": message.role,
                        "speaker": message.speaker,
                        "conversation": message.conversation,
                        "content": message.content,
                        "metadata": message.metadata,
                        "content_hash": message.content_hash.hex(),
                        "created_at": message.created_at.isoformat(),
                    }
                    for message in messages
                ]
            ),
            tx.request_key_id,
            ROLLING_BACKLOG,
        ],
    )


def known(tx: Transaction, being_id: UUID, producer_ids: Sequence[str]) -> dict[str, dict[bytes, UUID]]:
    """By producer id the ids of its versions, by content hash: first the one that stands, then retracted ones."""
    if not producer_ids:
        return {}
    rows = tx.execute(
        """
        select producer_id, message_id, content_hash
        from memory.message_versions
        where being_id = %(being)s and producer_id = any(%(ids)s)
        order by retracted_at is null desc, message_id desc
        """,
        {"being": being_id, "ids": list(producer_ids)},
    )
    found: dict[str, dict[bytes, UUID]] = {}
    for row in rows:
        found.setdefault(row["producer_id"], {})[row["content_hash"]] = row["message_id"]
    return found


def sessions(tx: Transaction, being_id: UUID, *, before: UUID | None, limit: int) -> list[Session]:
    """A page of the Being's sessions, the one opened last first, starting after `before`."""
    return tx.rows(
        Session,
        """
        select listed.*,
            memory.pause_before(being_id, conversation, started_at) as pause,
            (
                select said.content ->> 'one_liner'
                from memory.session_summaries as said
                where said.being_id = listed.being_id and said.session_id = listed.session_id
                order by said.version desc
                limit 1
            ) as one_liner,
            (
                select left(first.content, %(words)s)
                from memory.messages as first
                where first.being_id = listed.being_id and first.session_id = listed.session_id
                order by first.created_at, first.message_id
                limit 1
            ) as first_words
        from memory.sessions as listed
        where being_id = %(being)s and (%(before)s::uuid is null or session_id < %(before)s)
        order by session_id desc
        limit %(limit)s
        """,
        {"being": being_id, "before": before, "limit": limit, "words": FIRST_WORDS},
    )


def of_others(tx: Transaction, being_id: UUID, *, muted: bool, before: UUID | None, limit: int) -> list[Message]:
    """A page of third speakers' messages, muted ones with `muted`, the last received first, starting after `before`."""
    return tx.rows(
        Message,
        """
        select *
        from memory.party_messages
        where being_id = %(being)s and (%(before)s::uuid is null or message_id < %(before)s)
            and (%(muted)s or not memory.is_muted(being_id, 'message', message_id))
        order by message_id desc
        limit %(limit)s
        """,
        {"being": being_id, "muted": muted, "before": before, "limit": limit},
    )


def of_session(
    tx: Transaction,
    being_id: UUID,
    session_id: UUID,
    *,
    until: datetime | None = None,
    after: tuple[datetime, UUID] | None = None,
    limit: int | None = None,
    sure: bool = False,
    muted: bool = True,
) -> list[Message]:
    """A session's messages, ordered by their own time, then by arrival.

    Args:
        until: Only messages that were received by then.
        after: Only messages behind this place: the created_at and message_id of the message before.
        limit: The most messages to return.
        sure: Only messages from which facts may be concluded.
        muted: Whether to list messages that may not be shown.
    """
    moment, message_id = after or (None, None)
    return tx.rows(
        Message,
        """
        select *
        from memory.messages
        where being_id = %(being)s and session_id = %(session)s
            and (%(until)s::timestamptz is null or received_at <= %(until)s)
            and not (%(sure)s and memory.marked_unsure(metadata))
            and (%(muted)s or not memory.is_muted(being_id, 'message', message_id))
            and (%(moment)s::timestamptz is null or (created_at, message_id) > (%(moment)s, %(message)s::uuid))
        order by created_at, message_id
        limit %(limit)s
        """,
        {
            "being": being_id,
            "session": session_id,
            "until": until,
            "moment": moment,
            "message": message_id,
            "limit": limit,
            "sure": sure,
            "muted": muted and not sure,
        },
    )


def standing(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], as_of: datetime | None) -> list[Message]:
    """Those of these messages that stand, may be shown, and were known `as_of` a time, ordered by time."""
    return tx.rows(
        Message,
        """
        select *
        from memory.tellable_messages
        where being_id = %(being)s and message_id = any(%(messages)s)
            and (%(as_of)s::timestamptz is null or least(created_at, received_at) <= %(as_of)s)
        order by created_at, message_id
        """,
        {"being": being_id, "messages": list(message_ids), "as_of": as_of},
    )


def mark_aged(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Have the scenes that will be drawn from these messages age from the messages' time on."""
    tx.execute(
        """
        with standing as (
            update memory.messages set aged = true where being_id = %(being)s and message_id = any(%(messages)s)
        )
        update memory.retracted_messages set aged = true where being_id = %(being)s and message_id = any(%(messages)s)
        """,
        {"being": being_id, "messages": list(message_ids)},
    )


def keep_from_erasure(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], *, tellable: bool = True) -> bool:
    """Lock these messages against withdrawal until the transaction ends; returns whether all of them still stand.

    With `tellable`, for an answer that will cite them, also whether none is muted.
    """
    return tx.value("select memory.keep_from_erasure(%s, %s, %s)", [being_id, list(message_ids), tellable])


def end_idle_sessions(tx: Transaction, limit: int) -> list[tuple[UUID, UUID]]:
    """End sessions that have been idle for 30 minutes of domain time; returns (being_id, session_id) of each."""
    rows = tx.execute("select being_id, session_id from memory.close_idle_sessions(%s)", [limit])
    return [(row["being_id"], row["session_id"]) for row in rows]
