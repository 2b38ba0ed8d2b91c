"""Seeds, and their statements that wait to be compared with the others of their facts, with the results."""

from collections.abc import Sequence
from typing import Any, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from store.llm import keys
from store.transaction import Transaction


def retell(tx: Transaction, user_id: UUID, scope: UUID | None, content: Any) -> bool:
    """Date a known seed anew if another seed has replaced its statement since; returns whether one had."""
    return tx.value("select memory.retell_seed(%s, %s, %s)", [user_id, scope, Jsonb(content)])


def mark_compared(tx: Transaction, user_id: UUID, statement_ids: Sequence[UUID], *, compared: bool) -> None:
    """Mark statements as compared, or let them wait to be."""
    tx.execute(
        "update memory.fact_statements set compared = %s where user_id = %s and statement_id = any(%s)",
        [compared, user_id, list(statement_ids)],
    )


def uncompared(tx: Transaction, user_id: UUID, limit: int) -> dict[UUID, list[UUID]]:
    """Up to `limit` facts with statements that wait to be compared, each with these statements."""
    return tx.pairs(
        """
        select fact_id, array_agg(statement_id order by statement_id) as statement_ids
        from memory.fact_statements
        where user_id = %s and not compared
        group by fact_id
        order by fact_id
        limit %s
        """,
        [user_id, limit],
    )


def add_conflict(tx: Transaction, user_id: UUID, statement_id: UUID, other_id: UUID) -> None:
    """Store that two statements contradict each other; nothing if they are no longer of one fact."""
    tx.execute("select memory.add_conflicts(%s, %s, %s)", [user_id, statement_id, [other_id]])


def users_waiting(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Users with statements that wait to be compared, who may use a model now."""
    waiting: LiteralString = "select distinct user_id, user_id from memory.fact_statements where not compared"
    return keys.waiting(tx, waiting, platform=platform, limit=limit)


def add_seed(tx: Transaction, user_id: UUID, scope: UUID | None, content: Any) -> UUID | None:
    """Insert a seed; returns its id, or None if this scope has a seed of equal content.

    Args:
        scope: The Being that alone may know it; None: all of the user's Beings.
        content: The seed as the producer sent it, as JSON.
    """
    return tx.value(
        """
        insert into memory.user_seeds (user_id, being_id, content, content_hash)
        select %(user)s, %(scope)s, seed.content, sha256(convert_to(seed.content::text, 'UTF8'))
        from (select %(content)s::jsonb) as seed (content)
        on conflict (user_id, being_id, content_hash) do nothing
        returning seed_id
        """,
        {"user": user_id, "scope": scope, "content": Jsonb(content)},
    )


def link_todo(tx: Transaction, user_id: UUID, seed_id: UUID, todo_id: UUID) -> None:
    """Link a seed to the todo that it became; the seed is deleted with the todo."""
    tx.execute(
        "update memory.user_seeds set todo_id = %s where user_id = %s and seed_id = %s", [todo_id, user_id, seed_id]
    )
