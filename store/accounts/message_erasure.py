"""The facts and todos that an erasure of messages changes. Triggers remove rows that rest on the messages alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SupportedItems:
    """Facts by id with their content, and todos by id with their status, that have evidence in some messages."""

    facts: dict[UUID, str]
    todos: dict[UUID, str]


def supported_by(tx: Transaction, user_id: UUID, being_id: UUID, message_ids: Sequence[UUID]) -> SupportedItems:
    """Return the facts and todos that have evidence in these messages, whether or not they have other evidence."""
    facts = tx.execute(
        """
        select distinct f.fact_id, f.content
        from memory.fact_evidence as e
        join memory.fact_statements as s using (user_id, statement_id)
        join memory.facts as f using (user_id, fact_id)
        where e.user_id = %s and e.being_id = %s and e.message_id = any(%s)
        """,
        [user_id, being_id, list(message_ids)],
    )
    todos = tx.execute(
        """
        select distinct todo_id, status
        from memory.todo_evidence
        join memory.todos using (being_id, todo_id)
        where being_id = %s and message_id = any(%s)
        """,
        [being_id, list(message_ids)],
    )
    return _supported(facts.fetchall(), todos.fetchall())


def remaining(tx: Transaction, user_id: UUID, being_id: UUID, before: SupportedItems) -> SupportedItems:
    """Return the facts and todos of `before` that still exist, in their present state."""
    facts = tx.execute(
        "select fact_id, content from memory.facts where user_id = %s and fact_id = any(%s)",
        [user_id, list(before.facts)],
    )
    todos = tx.execute(
        "select todo_id, status from memory.todos where being_id = %s and todo_id = any(%s)",
        [being_id, list(before.todos)],
    )
    return _supported(facts.fetchall(), todos.fetchall())


def _supported(facts: list[dict[str, Any]], todos: list[dict[str, Any]]) -> SupportedItems:
    return SupportedItems(
        {row["fact_id"]: row["content"] for row in facts}, {row["todo_id"]: row["status"] for row in todos}
    )
