"""Use cases of a Being's todos: list, correct, pin, close, archive, restore, erase."""

from uuid import UUID

from memory.grounding import setting
from memory.text.pages import cut_page, parse_cursor
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.facts.fact_answers import TodoPage
from schemas.facts.fact_requests import TodoChanges
from schemas.facts.fact_rows import TodoKind, TodoStatus
from store import clock
from store.database import Store
from store.facts import todos
from store.transaction import Transaction


def page(
    store: Store,
    being: Being,
    *,
    status: TodoStatus | None,
    kind: TodoKind | None,
    muted: bool,
    cursor: str | None,
    limit: int,
) -> TodoPage:
    """A page of a Being's todos, newest first; muted ones with `muted`.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = todos.page(tx, being.being_id, status=status, kind=kind, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda todo: todo.todo_id)
    return TodoPage(todos=shown, cursor=end)


def change(tx: Transaction, being: Being, todo_id: UUID, changes: TodoChanges) -> None:
    """Correct, pin, close, archive or reopen a todo, or set its confidence if it rests on no message.

    Raises:
        NotFound: This Being has no such todo.
        Refused: A pinned todo is to be archived.
    """
    todo = todos.get(tx, being.being_id, todo_id)
    pinned = todo.pinned if changes.pinned is None else changes.pinned
    if pinned and (changes.status or todo.status) == "ARCHIVED":
        raise Refused("A pinned todo can't be archived, nor an archived one pinned. Unpin or restore it first.")
    changed = changes.model_dump(exclude_none=True)
    if changes.due:
        time = setting.of_being(tx, being, ()).time_of(changes.due, clock.now(tx), ahead=True)
        changed |= {"due_at": time and time.starts_at, "due_until": time and time.ends_at}
    todos.change(tx, being.being_id, todo_id, changed)


def erase(store: Store, being: Being, todo_id: UUID) -> None:
    """Remove a todo; its messages stay.

    Raises:
        NotFound: This Being has no such todo.
    """
    with store.transaction() as tx:
        todos.get(tx, being.being_id, todo_id)
        todos.erase(tx, being.being_id, [todo_id])
