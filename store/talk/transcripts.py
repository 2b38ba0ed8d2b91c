"""Places of messages in the transcripts of chat frontends (sql/functions/90_talk/40_transcripts.sql)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from schemas.wire.fields import Role
from store.transaction import Transaction

# Of digests that many conversations begin with, the newest are enough to decide on a conversation.
SAME_WORDS = 32
# The newest turns among which the newest conversations are looked for.
NEWEST_TURNS = 500
# The most messages with words of a transcript that it is aligned with, beside the newest, and of those after them.
SAME_KIND = 2000


@dataclass(frozen=True, slots=True)
class PlacedMessage:
    """A message and its place in a conversation.

    Attributes:
        parent_id: The message before it; None for the first that is known.
        digest: That of its role and words.
        role: Its speaker's role.
        speaker: The speaker's name, if another than the user and the Being speaks.
        created_at: Its time.
        stands: Whether it is not retracted, and the conversation has not gone on past another version of it.
    """

    message_id: UUID
    parent_id: UUID | None
    digest: bytes
    role: Role
    speaker: str | None
    created_at: datetime
    stands: bool


@dataclass(frozen=True, slots=True)
class NewPlace:
    """The place of a message in a conversation that had none there."""

    message_id: UUID
    parent_id: UUID | None
    digest: bytes


def conversations_with(
    tx: Transaction, being_id: UUID, digests: Collection[bytes], *, prefix: str = "", limit: int
) -> list[tuple[str, int]]:
    """The conversations that know the most of these digests, of equal ones first the one with the latest message.

    Each comes with the number of digests that it knows. Only conversations count whose ids begin with the prefix.
    """
    rows = tx.execute(
        """
        select found.conversation, count(distinct said.digest) as known
        from unnest(%(digests)s::bytea[]) as said (digest),
        lateral (
            select conversation, message_id
            from memory.transcript_turns as t
            where t.being_id = %(being)s and t.digest = said.digest and starts_with(t.conversation, %(prefix)s)
            order by message_id desc
            limit %(each)s
        ) as found
        group by found.conversation
        order by known desc, (array_agg(found.message_id order by found.message_id desc))[1] desc
        limit %(limit)s
        """,
        {
            "being": being_id,
            "digests": list(set(digests)),
            "prefix": prefix,
            "each": SAME_WORDS,
            "limit": limit,
        },
    )
    return [(row["conversation"], row["known"]) for row in rows]


def without_ids(tx: Transaction, being_id: UUID, conversation: str) -> Counter[bytes]:
    """The digests of a conversation's messages that came in without a producer's id, with their numbers."""
    rows = tx.execute(
        """
        select t.digest, count(*) as number
        from memory.transcript_turns as t join memory.message_versions as m using (being_id, message_id)
        where t.being_id = %s and t.conversation = %s and m.producer_id is null
        group by t.digest
        """,
        [being_id, conversation],
    )
    return Counter({row["digest"]: row["number"] for row in rows})


def newest_conversations(tx: Transaction, being_id: UUID, *, prefix: str, limit: int) -> list[str]:
    """The conversations with the latest messages, the newest first; their ids begin with the prefix."""
    return tx.column(
        """
        select conversation
        from (
            select conversation, message_id
            from memory.transcript_turns
            where being_id = %(being)s
            order by message_id desc
            limit %(turns)s
        ) as newest
        where starts_with(conversation, %(prefix)s)
        group by conversation
        order by (array_agg(message_id order by message_id desc))[1] desc
        limit %(limit)s
        """,
        {"being": being_id, "prefix": prefix, "limit": limit, "turns": NEWEST_TURNS},
    )


def messages_near(
    tx: Transaction,
    being_id: UUID,
    conversation: str,
    digests: Collection[bytes],
    *,
    newest: int,
    question_id: UUID | None = None,
) -> list[PlacedMessage]:
    """The messages of a conversation that a transcript can touch, oldest first.

    These are the `newest` ones, those with any of the digests, that with `question_id`, and those directly after
    one of the latter two, of each kind the newest `SAME_KIND`.
    """
    return tx.rows(
        PlacedMessage,
        """
        with same as (
            (
                select message_id
                from memory.transcript_turns
                where being_id = %(being)s and digest = any(%(digests)s) and conversation = %(conversation)s
                order by message_id desc
                limit %(same_kind)s
            )
            union all
            select %(asked)s::uuid where %(asked)s::uuid is not null
        ),
        chosen as (
            table same
            union
            (
                select message_id
                from memory.transcript_turns
                where being_id = %(being)s and conversation = %(conversation)s
                order by message_id desc
                limit %(newest)s
            )
            union
            (
                select message_id
                from memory.transcript_turns
                where being_id = %(being)s and parent_id = any(array(table same)) and conversation = %(conversation)s
                order by message_id desc
                limit %(same_kind)s
            )
        )
        select t.message_id, t.parent_id, t.digest, m.role, m.speaker, m.created_at,
            m.retracted_at is null and not t.abandoned as stands
        from chosen
        join memory.transcript_turns as t on t.being_id = %(being)s and t.message_id = chosen.message_id
            and t.conversation = %(conversation)s
        join memory.message_versions as m on m.being_id = %(being)s and m.message_id = chosen.message_id
        order by t.message_id
        """,
        {
            "being": being_id,
            "conversation": conversation,
            "digests": list(set(digests)),
            "newest": newest,
            "same_kind": SAME_KIND,
            "asked": question_id,
        },
    )


def digests_in(tx: Transaction, being_ids: Sequence[UUID], conversation: str, digests: Collection[bytes]) -> set[bytes]:
    """Those of the digests that a message of any of these Beings in a conversation has."""
    return tx.distinct(
        """
        select distinct digest
        from memory.transcript_turns
        where being_id = any(%s) and digest = any(%s) and conversation = %s
        """,
        [list(being_ids), list(digests), conversation],
    )


def contents(tx: Transaction, being_id: UUID, message_ids: Collection[UUID]) -> dict[UUID, str]:
    """The texts of messages, standing or retracted."""
    if not message_ids:
        return {}
    return tx.pairs(
        """
        select message_id, content from memory.message_versions
        where being_id = %s and message_id = any(%s)
        """,
        [being_id, list(message_ids)],
    )


def standing_descendants(
    tx: Transaction, being_id: UUID, conversation: str, message_ids: Sequence[UUID], apart_from: Collection[UUID]
) -> list[UUID]:
    """These messages and all that follow them, as far as they stand; nothing at or behind `apart_from`.

    All of it as the conversation has it.
    """
    return tx.column(
        """
        with recursive below as (
            select message_id from unnest(%(ids)s::uuid[]) as top (message_id) where message_id <> all(%(apart)s)
            union
            select t.message_id
            from below
            join memory.transcript_turns as t on t.being_id = %(being)s and t.parent_id = below.message_id
            where t.message_id <> all(%(apart)s) and t.conversation = %(conversation)s
        )
        select message_id
        from below
        join memory.messages as m using (message_id)
        join memory.transcript_turns as t using (being_id, message_id)
        where m.being_id = %(being)s and t.conversation = %(conversation)s and not t.abandoned
        order by message_id
        """,
        {"being": being_id, "conversation": conversation, "ids": list(message_ids), "apart": list(apart_from)},
    )


def add(tx: Transaction, being_id: UUID, conversation: str, places: Sequence[NewPlace]) -> None:
    """Record the places of messages.

    Until a migration's last part is done, a message has a place in one conversation alone, and gets no second one.
    """
    tx.execute(
        """
        insert into memory.transcript_turns (being_id, conversation, message_id, parent_id, digest)
        select %s, %s, message_id, parent_id, digest
        from unnest(%s::uuid[], %s::uuid[], %s::bytea[]) as new (message_id, parent_id, digest)
        on conflict do nothing
        """,
        [
            being_id,
            conversation,
            [place.message_id for place in places],
            [place.parent_id for place in places],
            [place.digest for place in places],
        ],
    )


def held_elsewhere(tx: Transaction, being_id: UUID, conversation: str, message_ids: Collection[UUID]) -> set[UUID]:
    """Those of the messages that another conversation has, which has not gone on past another version of them."""
    if not message_ids:
        return set()
    return tx.distinct(
        """
        select distinct message_id
        from memory.transcript_turns
        where being_id = %s and message_id = any(%s) and conversation <> %s and not abandoned
        """,
        [being_id, list(message_ids), conversation],
    )


def set_abandoned(
    tx: Transaction, being_id: UUID, conversation: str, message_ids: Collection[UUID], *, abandoned: bool
) -> None:
    """Record that a conversation continues without messages, or that it continues from them again."""
    if not message_ids:
        return
    tx.execute(
        """
        update memory.transcript_turns set abandoned = %s
        where being_id = %s and message_id = any(%s) and conversation = %s and abandoned <> %s
        """,
        [abandoned, being_id, list(message_ids), conversation, abandoned],
    )


def move(tx: Transaction, being_id: UUID, conversation: str, parents: Mapping[UUID, UUID]) -> None:
    """Place messages of a conversation after other ones than before: by message the new parent."""
    if not parents:
        return
    tx.execute(
        """
        update memory.transcript_turns as t
        set parent_id = moved.parent_id
        from unnest(%s::uuid[], %s::uuid[]) as moved (message_id, parent_id)
        where t.being_id = %s and t.message_id = moved.message_id and t.conversation = %s
        """,
        [list(parents), list(parents.values()), being_id, conversation],
    )
