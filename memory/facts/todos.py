"""Use cases of a Being's todos: correct, pin, close, archive, restore."""

from uuid import UUID

from memory.grounding import setting
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.facts.fact_requests import TodoChanges
from store import clock
from store.facts import todos
from store.transaction import Transaction


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
