"""What people do to todos: list, correct, pin, close, archive, restore, erase."""

from uuid import UUID

from memory.pages import cut, read_id
from schemas.fact_answers import TodoPage
from schemas.fact_requests import TodoChanges
from schemas.facts import Todo, TodoKind, TodoStatus
from schemas.rows import Being
from store import todos
from store.database import Store
from store.errors import Refused


def page(
    store: Store, being: Being, *, status: TodoStatus | None, kind: TodoKind | None, cursor: str | None, limit: int
) -> TodoPage:
    """A Being's todos, newest first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    before = read_id(cursor)
    with store.transaction() as tx:
        found = todos.page(tx, being.being_id, status=status, kind=kind, before=before, limit=limit + 1)
    shown, end = cut(found, limit, lambda todo: str(todo.todo_id))
    return TodoPage(todos=shown, cursor=end)


def change(store: Store, being: Being, todo_id: UUID, changes: TodoChanges) -> Todo:
    """Correct, pin, close, archive or reopen a todo.

    Raises:
        NotFound: This Being has no such todo.
        Refused: A pinned todo is to be archived.
    """
    with store.transaction() as tx:
        todo = todos.get(tx, being.being_id, todo_id)
        pinned = todo.pinned if changes.pinned is None else changes.pinned
        if pinned and (changes.status or todo.status) == "ARCHIVED":
            raise Refused(
                "A pinned todo is not archived, and an archived one not pinned: take one of the two back first."
            )
        todos.change(tx, being.being_id, todo_id, changes.model_dump(exclude_none=True))
        return todos.get(tx, being.being_id, todo_id)


def erase(store: Store, being: Being, todo_id: UUID) -> None:
    """Remove a todo; the messages that it rests on stay.

    Raises:
        NotFound: This Being has no such todo.
    """
    with store.transaction() as tx:
        todos.get(tx, being.being_id, todo_id)
        todos.erase(tx, being.being_id, [todo_id])
