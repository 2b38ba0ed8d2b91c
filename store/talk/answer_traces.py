"""Ids of answers and words that they handed on, by digest (memory/proxy/taking/answer_traces.py)."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from schemas.wire.fields import Role
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Trace:
    """The values stored with an id: the conversation, the message, and the tokens of prompt and answer."""

    digest: bytes
    conversation: str | None
    message_id: UUID | None
    tokens: int


@dataclass(frozen=True, slots=True)
class SaidBefore:
    """A message on the way to another one: its speaker, and its text."""

    role: Role
    speaker: str | None
    content: str


def find(tx: Transaction, being_id: UUID, digests: Collection[bytes]) -> dict[bytes, Trace]:
    """Return the traces of ids."""
    rows = tx.rows(
        Trace,
        """
        select digest, conversation, message_id, tokens
        from memory.answer_traces
        where being_id = %s and digest = any(%s) and conversation is not null
        """,
        [being_id, list(digests)],
    )
    return {row.digest: row for row in rows}


def handed_on(tx: Transaction, being_id: UUID, words: Collection[tuple[bytes, bytes]], within: timedelta) -> set[bytes]:
    """Return the digests of texts that an answer handed on lately, and that no turn of the user's has.

    Args:
        words: For each text its digest as words that were handed on, and that of a turn of the user's.
        within: How long ago at most.
    """
    return tx.distinct(
        """
        select t.digest
        from unnest(%s::bytea[], %s::bytea[]) as said (digest, turn)
        join memory.answer_traces as t on t.being_id = %s and t.digest = said.digest
        where t.conversation is null and t.made_at > memory.now() - %s::interval and not exists (
            select from memory.transcript_turns as told where told.being_id = %s and told.digest = said.turn
        )
        """,
        [[one for one, _ in words], [turn for _, turn in words], being_id, within, being_id],
    )


def was_answer(
    tx: Transaction, being_id: UUID, *, trace: bytes | None, turn: bytes, users: bytes, within: timedelta
) -> bool:
    """Whether words are those of an answer given lately, which did not repeat the user's.

    Args:
        trace: Their digest as words of an answer that is no talk; None: such answers do not count.
        turn: Their digest as a turn of the Being's.
        users: Their digest as a turn of the user's.
        within: How long ago at most.
    """
    found = tx.value(
        """
        select exists (
            select from memory.answer_traces
            where being_id = %(being)s and digest = %(trace)s::bytea and conversation is null
                and made_at > memory.now() - %(within)s::interval
        ) or exists (
            select
            from memory.transcript_turns as t
            join memory.messages as m on m.being_id = %(being)s and m.message_id = t.message_id
            where t.being_id = %(being)s and t.digest = %(turn)s
                and m.received_at > memory.now() - %(within)s::interval
                and not exists (
                    select
                    from memory.transcript_turns as told
                    join memory.messages as before
                        on before.being_id = %(being)s and before.message_id = told.message_id
                    where told.being_id = %(being)s and told.digest = %(users)s and before.received_at < m.received_at
                )
        )
        """,
        {"being": being_id, "trace": trace, "turn": turn, "users": users, "within": within},
    )
    return bool(found)


def way_to(tx: Transaction, being_id: UUID, conversation: str, message_id: UUID, limit: int) -> list[SaidBefore]:
    """Return the messages that lead to one in a conversation, itself the last, at most `limit`."""
    return tx.rows(
        SaidBefore,
        """
        with recursive way as (
            select message_id, parent_id, 1 as steps
            from memory.transcript_turns
            where being_id = %(being)s and message_id = %(message)s and conversation = %(conversation)s
            union all
            select t.message_id, t.parent_id, way.steps + 1
            from way
            join memory.transcript_turns as t on t.being_id = %(being)s and t.message_id = way.parent_id
                and t.conversation = %(conversation)s
            where way.steps < %(limit)s
        )
        select m.role, m.speaker, m.content
        from way
        join memory.message_versions as m on m.being_id = %(being)s and m.message_id = way.message_id
        order by way.steps desc
        """,
        {"being": being_id, "conversation": conversation, "message": message_id, "limit": limit},
    )


def add(
    tx: Transaction,
    being_id: UUID,
    ids: Collection[bytes],
    words: Collection[bytes],
    *,
    conversation: str | None,
    message_id: UUID | None,
    tokens: int,
) -> None:
    """Record the marks by which an answer is recognised: ids, if its conversation is known, and words it handed on."""
    rows: list[tuple[bytes, str | None, UUID | None, int]] = [(digest, None, None, 0) for digest in words]
    if conversation is not None:
        rows += [(digest, conversation, message_id, tokens) for digest in ids]
    with tx.cursor() as cursor:
        cursor.executemany(
            """
            insert into memory.answer_traces (being_id, digest, conversation, message_id, tokens)
            values (%s, %s, %s, %s, %s)
            on conflict (being_id, digest) do update set
                conversation = excluded.conversation,
                message_id = excluded.message_id,
                tokens = excluded.tokens,
                made_at = excluded.made_at
            """,
            [(being_id, *row) for row in rows],
        )
