"""Todos of a Being: the user's commitments, habits, open threads and frictions."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from schemas.errors import existing
from schemas.facts.fact_rows import Todo
from store.transaction import Transaction


def add(
    tx: Transaction,
    being_id: UUID,
    *,
    kind: str,
    content: str,
    source: str,
    confidence: float,
    due: str | None = None,
    pinned: bool = False,
    told_at: datetime | None = None,
) -> UUID:
    """Add a todo, or update the open one of the same kind and content; returns its id.

    `told_at` is the time of its message, None for now.
    """
    (row,) = tx.execute(
        """
        with repeated as (
            update memory.todos
            set last_told_at = greatest(last_told_at, coalesce(%(told)s, memory.now())), due = coalesce(%(due)s, due)
            where being_id = %(being)s and status = 'OPEN' and kind = %(kind)s and lower(content) = lower(%(content)s)
            returning todo_id
        ),
        added as (
            insert into memory.todos (being_id, kind, content, due, pinned, source, confidence, last_told_at)
            select %(being)s, %(kind)s, %(content)s, %(due)s, %(pinned)s, %(source)s, %(confidence)s,
                coalesce(%(told)s, memory.now())
            where not exists (select from repeated)
            returning todo_id
        )
        select todo_id from repeated union all select todo_id from added
        """,
        {
            "being": being_id,
            "kind": kind,
            "content": content,
            "due": due,
            "pinned": pinned,
            "source": source,
            "confidence": confidence,
            "told": told_at,
        },
    )
    todo_id: UUID = row["todo_id"]
    return todo_id


def add_evidence(
    tx: Transaction,
    being_id: UUID,
    todo_id: UUID,
    message_id: UUID,
    span: str,
    *,
    content: str,
    due: str | None,
    due_at: datetime | None = None,
    due_until: datetime | None = None,
    closes: bool = False,
) -> None:
    """Add the quotation that supports a todo, or with `closes` the one that closes it; nothing if the todo is gone.

    The todo's words are those of its first message that does not close it, by date, and its time the newest one.
    """
    tx.execute(
        """
        insert into memory.todo_evidence
            (being_id, todo_id, message_id, span, closes, content, due, due_at, due_until)
        select being_id, todo_id, %(message)s, %(span)s, %(closes)s,
            case when not %(closes)s then %(content)s::text end, case when not %(closes)s then %(due)s::text end,
            case when not %(closes)s then %(due_at)s::timestamptz end,
            case when not %(closes)s then %(due_until)s::timestamptz end
        from memory.todos
        where being_id = %(being)s and todo_id = %(todo)s
        -- Outdated evidence that is found again stays.
        on conflict (being_id, todo_id, message_id) do update
        set outdated = false, span = excluded.span, closes = excluded.closes, content = excluded.content,
            due = excluded.due, due_at = excluded.due_at, due_until = excluded.due_until
        where todo_evidence.outdated
        """,
        {
            "being": being_id,
            "todo": todo_id,
            "message": message_id,
            "span": span,
            "closes": closes,
            "content": content,
            "due": due,
            "due_at": due_at,
            "due_until": due_until,
        },
    )
    tx.execute("select memory.word_todos(%s, %s)", [being_id, [todo_id]])
    if closes:
        tx.execute(
            """
            update memory.todos
            set status = 'DONE', closed_at = memory.now()
            where being_id = %s and todo_id = %s and status = 'OPEN'
            """,
            [being_id, todo_id],
        )
    else:
        tx.execute(
            """
            update memory.todos as t
            set last_told_at = greatest(t.last_told_at, m.created_at)
            from memory.messages as m
            where t.being_id = %s and t.todo_id = %s and t.source <> 'shadow_extraction'
                and m.being_id = t.being_id and m.message_id = %s
            """,
            [being_id, todo_id, message_id],
        )


def found_again(
    tx: Transaction, being_id: UUID, message_id: UUID, *, kind: str, span: str, content: str
) -> UUID | None:
    """The todo that an earlier judging of this message found in the same words of it; None if there is none."""
    return tx.value(
        """
        select (
            select e.todo_id
            from memory.todo_evidence as e
            join memory.todos as n using (being_id, todo_id)
            where e.being_id = %(being)s and e.message_id = %(message)s and e.outdated and not e.closes
                and n.kind = %(kind)s and (e.span = %(span)s or lower(n.content) = lower(%(content)s))
            order by lower(n.content) = lower(%(content)s) desc, e.todo_id
            limit 1
        )
        """,
        {"being": being_id, "message": message_id, "kind": kind, "span": span, "content": content},
    )


def remove_outdated(tx: Transaction, being_id: UUID, message_ids: Sequence[UUID]) -> None:
    """Remove the evidence of messages that judging them again has not found again, with todos that had no other."""
    tx.execute(
        "delete from memory.todo_evidence where being_id = %s and message_id = any(%s) and outdated",
        [being_id, list(message_ids)],
    )


def supported(tx: Transaction, being_id: UUID, limit: int) -> list[Todo]:
    """Open todos, newest first, without those whose evidence is all outdated: their messages are judged again."""
    return tx.rows(
        Todo,
        """
        select *
        from memory.todos as t
        where being_id = %(being)s and status = 'OPEN' and (
            not exists (
                select from memory.todo_evidence as e
                where e.being_id = t.being_id and e.todo_id = t.todo_id and e.outdated
            )
            or exists (
                select from memory.todo_evidence as e
                where e.being_id = t.being_id and e.todo_id = t.todo_id and not e.outdated and not e.closes
            )
        )
        order by todo_id desc
        limit %(limit)s
        """,
        {"being": being_id, "limit": limit},
    )


def newest_open(tx: Transaction, being_id: UUID, limit: int, within: timedelta) -> list[Todo]:
    """Open todos: pinned ones, then the latest, without those last mentioned, or due, before `within`."""
    return tx.rows(
        Todo,
        """
        select *
        from memory.tellable_todos
        where being_id = %(being)s and status = 'OPEN'
            and (pinned or greatest(last_told_at, due_until) > memory.now() - %(within)s)
        order by pinned desc, last_told_at desc, todo_id desc
        limit %(limit)s
        """,
        {"being": being_id, "within": within, "limit": limit},
    )


def archive_old(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Archive open todos that were last mentioned, and due, `older_than` ago or more; returns how many.

    Pinned ones and habits stay.
    """
    return tx.execute(
        """
        update memory.todos
        set status = 'ARCHIVED', closed_at = memory.now()
        where (being_id, todo_id) in (
            select being_id, todo_id
            from memory.todos
            where status = 'OPEN' and not pinned and kind <> 'habit'
                and last_told_at < memory.now() - %(age)s
                and (due_until is null or due_until < memory.now() - %(age)s)
            limit %(limit)s
            for update skip locked
        )
        """,
        {"age": older_than, "limit": limit},
    ).rowcount


def get(tx: Transaction, being_id: UUID, todo_id: UUID) -> Todo:
    """One todo.

    Raises:
        NotFound: This Being has no such todo.
    """
    todo = tx.row(Todo, "select * from memory.todos where being_id = %s and todo_id = %s", [being_id, todo_id])
    return existing(todo, f"This Being has no todo {todo_id}.")


def page(
    tx: Transaction,
    being_id: UUID,
    *,
    status: str | None = "OPEN",
    kind: str | None = None,
    muted: bool = True,
    before: UUID | None = None,
    limit: int,
) -> list[Todo]:
    """A page of todos, newest first, starting after `before`; muted ones with `muted`."""
    return tx.rows(
        Todo,
        """
        select *
        from memory.todos
        where being_id = %(being)s
            and (%(status)s::text is null or status = %(status)s)
            and (%(kind)s::text is null or kind = %(kind)s)
            and (%(muted)s or not memory.is_muted(being_id, 'todo', todo_id))
            and (%(before)s::uuid is null or todo_id < %(before)s)
        order by todo_id desc
        limit %(limit)s
        """,
        {"being": being_id, "status": status, "kind": kind, "muted": muted, "before": before, "limit": limit},
    )


def change(tx: Transaction, being_id: UUID, todo_id: UUID, changes: dict[str, Any]) -> None:
    """Set some of a todo's `content`, `due`, `pinned`, `status` and `in_confidence`; those not in `changes` stay.

    With `due` come `due_at` and `due_until`, its time. A todo that is opened again counts as mentioned now.
    """
    tx.execute(
        """
        update memory.todos
        set content = coalesce(%(content)s, content),
            corrected = corrected or %(content)s is not null,
            due = coalesce(%(due)s, due),
            due_at = case when %(due)s is null then due_at else %(due_at)s end,
            due_until = case when %(due)s is null then due_until else %(due_until)s end,
            due_corrected = due_corrected or %(due)s is not null,
            last_told_at = case when status <> 'OPEN' and %(status)s = 'OPEN' then memory.now() else last_told_at end,
            pinned = coalesce(%(pinned)s, pinned),
            status = coalesce(%(status)s, status),
            in_confidence = coalesce(%(in_confidence)s, in_confidence),
            closed_at = case when coalesce(%(status)s, status) <> 'OPEN' then coalesce(closed_at, memory.now()) end
        where being_id = %(being)s and todo_id = %(todo)s
        """,
        {
            **dict.fromkeys(("content", "due", "due_at", "due_until", "pinned", "status", "in_confidence")),
            **changes,
            "being": being_id,
            "todo": todo_id,
        },
    )


def erase(tx: Transaction, being_id: UUID, todo_ids: Sequence[UUID]) -> None:
    """Remove todos with their evidence."""
    tx.execute("delete from memory.todos where being_id = %s and todo_id = any(%s)", [being_id, list(todo_ids)])
