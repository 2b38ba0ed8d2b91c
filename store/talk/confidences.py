"""Confidences: the messages that stay, with all that rests on them, with the Being that received them."""

from collections.abc import Sequence
from uuid import UUID

from schemas.talk.messages import Message
from store.transaction import Transaction


def keep(tx: Transaction, being_id: UUID, judged: Sequence[UUID], pairs: Sequence[tuple[UUID, UUID]]) -> bool:
    """Store the confidences that a judging found, and move facts and todos that rest on messages of changed confidence.

    Args:
        tx: The transaction, which has locked the Being's session state and the user's facts.
        judged: The judged messages.
        pairs: Pairs of a message in confidence and the message that requests it.

    Returns:
        Whether any statement was moved to another scope, so that names may have become unused.
    """
    parameters = [being_id, list(judged), [message for message, _ in pairs], [asking for _, asking in pairs]]
    return tx.value("select memory.keep_confidences(%s, %s, %s, %s)", parameters)


def decide(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], *, in_confidence: bool) -> None:
    """Store a person's decision about messages, and move facts and todos with them; locks as `keep` expects them."""
    tx.execute("select memory.decide_confidence(%s, %s, %s)", [being_id, list(message_ids), in_confidence])


def scope_fact(tx: Transaction, user_id: UUID, fact_id: UUID, seed_ids: Sequence[UUID], scope: UUID | None) -> None:
    """Move a fact's support besides messages, its seeds and corrections, to one Being, or to all of the user's."""
    tx.execute("select memory.scope_fact(%s, %s, %s, %s)", [user_id, fact_id, list(seed_ids), scope])


def are_kept(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID], *, in_confidence: bool) -> bool:
    """Whether each of these messages is in confidence, or none is."""
    return not tx.value(
        """
        select exists (
            select from memory.messages where being_id = %s and message_id = any(%s) and in_confidence <> %s
        )
        """,
        [being_id, list(message_ids), in_confidence],
    )


def messages(
    tx: Transaction, being_id: UUID, producer_ids: Sequence[str], message_ids: Sequence[UUID]
) -> list[Message]:
    """The standing messages of these producer's ids or message ids, in order."""
    return tx.rows(
        Message,
        """
        select *
        from memory.messages
        where being_id = %s and (producer_id = any(%s) or message_id = any(%s))
        order by created_at, message_id
        """,
        [being_id, list(producer_ids), list(message_ids)],
    )


def sources_of_fact(tx: Transaction, user_id: UUID, fact_id: UUID) -> tuple[dict[UUID, list[UUID]], list[UUID]]:
    """The messages that a fact rests on, by Being, and its seeds."""
    rows = tx.execute(
        """
        select distinct e.being_id, e.message_id, e.seed_id
        from memory.fact_statements as s
        join memory.fact_evidence as e using (user_id, statement_id)
        where s.user_id = %s and s.fact_id = %s
        """,
        [user_id, fact_id],
    ).fetchall()
    sources: dict[UUID, list[UUID]] = {}
    for row in rows:
        if row["message_id"] is not None:
            sources.setdefault(row["being_id"], []).append(row["message_id"])
    return sources, [row["seed_id"] for row in rows if row["seed_id"] is not None]


def sources_of_todo(tx: Transaction, being_id: UUID, todo_id: UUID) -> list[UUID]:
    """The messages that a todo rests on."""
    return tx.column(
        "select message_id from memory.todo_evidence where being_id = %s and todo_id = %s", [being_id, todo_id]
    )


def fact_of(
    tx: Transaction, user_id: UUID, being_id: UUID, fact_id: UUID, message_ids: Sequence[UUID], seed_ids: Sequence[UUID]
) -> UUID | None:
    """The fact of a Being's that rests on any of these messages and seeds: the named one, else the latest."""
    return tx.value(
        """
        select (
            select f.fact_id
            from memory.facts as f
            left join memory.fact_statements as s on s.user_id = f.user_id and s.fact_id = f.fact_id
            left join memory.fact_evidence as e on e.user_id = s.user_id and e.statement_id = s.statement_id
            where f.user_id = %(user)s and (f.being_id = %(being)s or f.being_id is null)
                and (f.fact_id = %(fact)s or e.message_id = any(%(messages)s) or e.seed_id = any(%(seeds)s))
            order by f.fact_id = %(fact)s desc, f.last_told_at desc, f.fact_id
            limit 1
        )
        """,
        {
            "user": user_id,
            "being": being_id,
            "fact": fact_id,
            "messages": list(message_ids),
            "seeds": list(seed_ids),
        },
    )
