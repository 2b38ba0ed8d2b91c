"""Erasure of messages, and which facts and todos change with it. Triggers remove what rests on the messages alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Supported:
    """Facts by id with their content, and todos by id with their status, that have evidence in some messages."""

    facts: dict[UUID, str]
    todos: dict[UUID, str]


def supported_by(tx: Transaction, user_id: UUID, being_id: UUID, message_ids: Sequence[UUID]) -> Supported:
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


def remaining(tx: Transaction, user_id: UUID, being_id: UUID, before: Supported) -> Supported:
    """Return the facts and todos of `before` that still exist, as they are now."""
    facts = tx.execute(
        "select fact_id, content from memory.facts where user_id = %s and fact_id = any(%s)",
        [user_id, list(before.facts)],
    )
    todos = tx.execute(
        "select todo_id, status from memory.todos where being_id = %s and todo_id = any(%s)",
        [being_id, list(before.todos)],
    )
    return _supported(facts.fetchall(), todos.fetchall())


def _supported(facts: list[dict[str, Any]], todos: list[dict[str, Any]]) -> Supported:
    return Supported(
        {row["fact_id"]: row["content"] for row in facts}, {row["todo_id"]: row["status"] for row in todos}
    )


def erase_messages(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> int:
    """Erase messages and model responses about them; returns the number of erased messages.

    The times and counts of their sessions are computed again; sessions without messages are deleted.
    """
    tx.execute("select memory.forget_in_summaries(%s, %s)", [being_id, list(message_ids)])
    rows = tx.execute(
        "delete from memory.messages where being_id = %s and message_id = any(%s) returning session_id",
        [being_id, list(message_ids)],
    ).fetchall()
    sessions = list({row["session_id"] for row in rows})
    tx.execute(
        "delete from memory.model_responses where being_id = %s and key = any(%s) and not retained",
        [being_id, [str(session) for session in sessions]],
    )
    tx.execute(
        """
        delete from memory.sessions as s
        where s.being_id = %s and s.session_id = any(%s) and not exists (
            select from memory.messages as m where m.being_id = s.being_id and m.session_id = s.session_id
        )
        """,
        [being_id, sessions],
    )
    tx.execute(
        """
        update memory.sessions as s
        set started_at = remaining.first, last_activity_at = remaining.last, turn_count = remaining.turns,
            ended_at = case when s.ended_at is not null then remaining.last end
        from (
            select session_id, min(created_at) as first, max(created_at) as last,
                count(*) filter (where role <> 'other') as turns
            from memory.messages
            where being_id = %(being)s and session_id = any(%(sessions)s)
            group by session_id
        ) as remaining
        where s.being_id = %(being)s and s.session_id = remaining.session_id
        """,
        {"being": being_id, "sessions": sessions},
    )
    return len(rows)
