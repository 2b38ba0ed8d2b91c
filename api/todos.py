"""Todos: what the user means to do, does, has left open, or is at odds with."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.auth import ManagedBeing, ReadBeing
from api.bodies import JsonRoute
from api.openapi import problems
from api.pages import Cursor, Limit
from api.resources import On
from memory import todos
from schemas.fact_answers import TodoPage
from schemas.fact_requests import TodoChanges
from schemas.facts import Todo, TodoKind, TodoStatus
from schemas.limits import PAGE_NODES

router = APIRouter(prefix="/v1/beings/{being}/todos", tags=["Todos"], route_class=JsonRoute)


@router.get("")
def list_todos(
    on: On,
    being: ReadBeing,
    status: Annotated[TodoStatus, Query(description="Only those.")] = "OPEN",
    kind: Annotated[TodoKind | None, Query(description="Only those.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> TodoPage:
    """List what the user told this Being of commitments, habits, open threads and frictions, newest first.

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
    """Erase a todo. The messages that it rests on stay.

    Scope `manage`.
    """
    todos.erase(on.store, being, todo_id)
