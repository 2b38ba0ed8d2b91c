"""Messages without a place in a transcript: they came in by other doors than the proxy."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.wire.fields import Role
from store.transaction import Transaction

# Of words that occur often, the newest are enough to decide on a conversation.
SAME_WORDS = 32


@dataclass(frozen=True, slots=True)
class WordsFound:
    """A message with the words of a turn; the session is None if it is retracted."""

    key: UUID
    message_id: UUID
    conversation: str | None
    session_id: UUID | None


@dataclass(frozen=True, slots=True)
class UnplacedMessage:
    """A message without a place."""

    message_id: UUID
    conversation: str | None
    role: Role
    speaker: str | None
    content: str
    created_at: datetime
    stands: bool


def with_words(tx: Transaction, being_id: UUID, keys: Collection[UUID]) -> list[WordsFound]:
    """The messages without a place that have any of these words, of each the newest, standing or retracted."""
    return tx.rows(
        WordsFound,
        """
        select said.key, found.message_id, found.conversation, found.session_id
        from unnest(%(keys)s::uuid[]) as said (key)
        cross join lateral memory.messages_of_words(%(being)s, said.key, %(each)s) as same (message_id)
        join memory.message_versions as found on found.being_id = %(being)s and found.message_id = same.message_id
        order by found.message_id
        """,
        {"being": being_id, "keys": sorted(keys), "each": SAME_WORDS},
    )


def of_sessions(
    tx: Transaction,
    being_id: UUID,
    session_ids: Collection[UUID],
    message_ids: Collection[UUID],
    *,
    since: datetime | None,
    limit: int,
) -> list[UnplacedMessage]:
    """The messages of these sessions, and these retracted ones, that have no place, in their order.

    Args:
        message_ids: Retracted messages.
        since: Only messages from then on; None: all.
        limit: If there are more, the newest are returned.
    """
    newest = tx.rows(
        UnplacedMessage,
        """
        select message_id, conversation, role, speaker, content, created_at, stands
        from (
            select message_id, conversation, role, speaker, content, created_at, true as stands
            from memory.messages
            where being_id = %(being)s and session_id = any(%(sessions)s)
            union all
            select message_id, conversation, role, speaker, content, created_at, false
            from memory.retracted_messages
            where being_id = %(being)s and message_id = any(%(retracted)s)
        ) as m
        where (%(since)s::timestamptz is null or created_at >= %(since)s)
            and not exists (
                select from memory.transcript_turns where being_id = %(being)s and message_id = m.message_id
            )
        order by created_at desc, message_id desc
        limit %(limit)s
        """,
        {
            "being": being_id,
            "sessions": list(session_ids),
            "retracted": list(message_ids),
            "since": since,
            "limit": limit,
        },
    )
    return newest[::-1]


def conversations_of(tx: Transaction, being_id: UUID, message_ids: Collection[UUID]) -> set[str | None]:
    """The conversations that these messages came in under; None stands for messages that named none."""
    return tx.distinct(
        """
        select distinct conversation from memory.message_versions
        where being_id = %s and message_id = any(%s)
        """,
        [being_id, list(message_ids)],
    )
