"""Routes of todos: the user's commitments, habits, open threads and frictions."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.facts import todos
from schemas.facts.answers import TodoPage
from schemas.facts.requests import TodoChanges
from schemas.facts.rows import Todo, TodoKind, TodoStatus
from schemas.limits import PAGE_NODES

router = APIRouter(prefix="/v1/beings/{being}/todos", tags=["Todos"], route_class=JsonRoute)


@router.get("")
def list_todos(
    on: On,
    being: ReadBeing,
    status: Annotated[TodoStatus, Query(description="Only todos of this status.")] = "OPEN",
    kind: Annotated[TodoKind | None, Query(description="Only todos of this kind.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> TodoPage:
    """List the user's commitments, habits, open threads and frictions, as told to this Being, newest first.

    Scope `read`.
    """
    return todos.page(on.store, being, status=status, kind=kind, cursor=cursor, limit=limit)


@router.patch("/{todo_id}", responses=problems(409))
def change_todo(on: On, being: ManagedBeing, todo_id: UUID, changes: TodoChanges) -> Todo:
    """Correct a todo, pin, close, archive or reopen it.

    Scope `manage`.
    """
    return todos.change(on.store, being, todo_id, changes)


@router.delete("/{todo_id}", status_code=HTTPStatus.NO_CONTENT)
def erase_todo(on: On, being: ManagedBeing, todo_id: UUID) -> None:
    """Erase a todo. The messages that support it stay.

    Scope `manage`.
    """
    todos.erase(on.store, being, todo_id)
