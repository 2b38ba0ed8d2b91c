"""Versions of messages that stand or were retracted, and how they change (sql/functions/90_talk/30_retraction.sql)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.talk.messages import RetractedMessage
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a message; `retracted_at` is None while it stands."""

    message_id: UUID
    producer_id: str | None
    conversation: str | None
    role: str
    content: str
    created_at: datetime
    retracted_at: datetime | None


@dataclass(frozen=True, slots=True)
class ChangedSession:
    """A session to process again: one that lost messages, was split off, or has messages to judge again."""

    session_id: UUID
    judged_again: int


@dataclass(frozen=True, slots=True)
class RestoredMessages:
    """Messages that were restored, and the sessions to process: theirs, and those that have others than before."""

    message_ids: list[UUID]
    session_ids: list[UUID]


@dataclass(frozen=True, slots=True)
class SummaryMembership:
    """Whether any of some messages is in the rolling summary, and in the spine."""

    rolling: bool
    spine: bool


def begin(tx: Transaction, being_id: UUID, request_id: str) -> bool:
    """Record a request that may be handed in again; returns false if it was applied before."""
    return tx.changes(
        """
        insert into memory.applied_retractions (being_id, request_id) values (%s, %s) on conflict do nothing
        """,
        [being_id, request_id],
    )


def note(tx: Transaction, being_id: UUID, request_ids: Sequence[str]) -> None:
    """Record several requests, those that were recorded before as well."""
    tx.execute(
        """
        insert into memory.applied_retractions (being_id, request_id)
        select %s, id from unnest(%s::text[]) as id order by id
        on conflict do nothing
        """,
        [being_id, list(request_ids)],
    )


def noted(tx: Transaction, being_id: UUID, request_ids: Sequence[str]) -> list[str]:
    """Return those of some requests that are recorded."""
    return tx.column(
        "select request_id from memory.applied_retractions where being_id = %s and request_id = any(%s)",
        [being_id, list(request_ids)],
    )


def remove_notes(tx: Transaction, being_id: UUID, request_ids: Sequence[str]) -> None:
    """Remove the records of requests."""
    tx.execute(
        "delete from memory.applied_retractions where being_id = %s and request_id = any(%s)",
        [being_id, list(request_ids)],
    )


def versions(tx: Transaction, being_id: UUID, ids: Sequence[str], message_ids: Sequence[UUID]) -> list[Version]:
    """The versions under these producer's ids or message ids: one that stands, then those retracted, latest first."""
    return tx.rows(
        Version,
        """
        select message_id, producer_id, conversation, role, content, created_at, retracted_at
        from memory.message_versions
        where being_id = %(being)s and (producer_id = any(%(ids)s) or message_id = any(%(messages)s))
        order by retracted_at desc nulls first, message_id desc
        """,
        {"being": being_id, "ids": list(ids), "messages": list(message_ids)},
    )


def standing_after(
    tx: Transaction, being_id: UUID, conversation: str, after: Version | None, keep: Sequence[str]
) -> list[UUID]:
    """The standing messages of a conversation behind this one, or all, apart from the ids `keep`.

    They are ordered by their own time, then by arrival.
    """
    return tx.column(
        """
        select message_id
        from memory.messages
        where being_id = %(being)s and conversation = %(conversation)s
            and (%(moment)s::timestamptz is null or (created_at, message_id) > (%(moment)s, %(message)s::uuid))
            and (producer_id is null or producer_id <> all(%(keep)s))
        order by created_at, message_id
        """,
        _behind(being_id, conversation, after, keep),
    )


def retracted_after(
    tx: Transaction, being_id: UUID, conversation: str, after: Version | None, keep: Sequence[str]
) -> list[Version]:
    """The retracted messages of a conversation behind this one, or all, apart from the ids `keep`.

    They are ordered by their own time, then by arrival.
    """
    return tx.rows(
        Version,
        """
        select message_id, producer_id, conversation, role, content, created_at, retracted_at
        from memory.retracted_messages
        where being_id = %(being)s and conversation = %(conversation)s
            and (%(moment)s::timestamptz is null or (created_at, message_id) > (%(moment)s, %(message)s::uuid))
            and (producer_id is null or producer_id <> all(%(keep)s))
        order by created_at, message_id
        """,
        _behind(being_id, conversation, after, keep),
    )


def _behind(being_id: UUID, conversation: str, after: Version | None, keep: Sequence[str]) -> dict[str, object]:
    return {
        "being": being_id,
        "conversation": conversation,
        "moment": after and after.created_at,
        "message": after and after.message_id,
        "keep": list(keep),
    }


def summarised(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> SummaryMembership:
    """Whether the rolling summary, and the spine, took any of these messages in."""
    return tx.one(
        SummaryMembership,
        """
        select coalesce(bool_or(rolling_version > 0), false) as rolling,
            coalesce(bool_or(spine_version > 0), false) as spine
        from memory.messages
        where being_id = %s and message_id = any(%s)
        """,
        [being_id, list(message_ids)],
    )


def retract(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[ChangedSession]:
    """Retract standing messages, and undo data derived from them; returns the sessions to process again."""
    return tx.rows(
        ChangedSession,
        "select session_id, judged_again from memory.retract_messages(%s, %s)",
        [being_id, list(message_ids)],
    )


def erase(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> list[ChangedSession]:
    """Erase messages, standing or retracted, as `retract` does but for good."""
    tx.execute(
        "delete from memory.retracted_messages where being_id = %s and message_id = any(%s)",
        [being_id, list(message_ids)],
    )
    return tx.rows(
        ChangedSession,
        "select session_id, judged_again from memory.withdraw_messages(%s, %s)",
        [being_id, list(message_ids)],
    )


def restore(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> RestoredMessages:
    """Hand retracted messages in again: one version of each message at most comes back."""
    return tx.one(
        RestoredMessages,
        "select message_ids, session_ids from memory.restore_messages(%s, %s)",
        [being_id, list(message_ids)],
    )


def await_messages(tx: Transaction, being_id: UUID, producer_ids: Sequence[str]) -> int:
    """Retract messages that have not arrived as soon as they do; returns how many were not awaited before."""
    return tx.execute(
        """
        insert into memory.awaited_retractions (being_id, producer_id)
        select %s, id from unnest(%s::text[]) as id
        on conflict do nothing
        """,
        [being_id, list(producer_ids)],
    ).rowcount


def no_longer_await(tx: Transaction, being_id: UUID, producer_ids: Sequence[str]) -> set[str]:
    """Let these messages stand when they arrive; returns the ids of those that were awaited."""
    return tx.distinct(
        "delete from memory.awaited_retractions where being_id = %s and producer_id = any(%s) returning producer_id",
        [being_id, list(producer_ids)],
    )


def page(
    tx: Transaction, being_id: UUID, *, conversation: str | None, before: UUID | None, limit: int
) -> list[RetractedMessage]:
    """A page of retracted messages, the one received last first, starting after `before`."""
    return tx.rows(
        RetractedMessage,
        """
        select *
        from memory.retracted_messages
        where being_id = %(being)s and (%(before)s::uuid is null or message_id < %(before)s)
            and (%(conversation)s::text is null or conversation = %(conversation)s)
        order by message_id desc
        limit %(limit)s
        """,
        {"being": being_id, "conversation": conversation, "before": before, "limit": limit},
    )
