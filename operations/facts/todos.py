"""Todos: the user's commitments, habits, open threads and frictions, and the Being's promises."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.talk import confidences
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, operation, sets
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import TodoPage
from schemas.facts.fact_requests import TodoChanges
from schemas.facts.fact_rows import Todo, TodoKind, TodoStatus
from schemas.limits import PAGE_NODES
from store.facts import todos
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/todos", scope="read", commands=[Command("list")])
def list_todos(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    status: Annotated[TodoStatus, Field(description="Only todos of this status.")] = "OPEN",
    kind: Annotated[TodoKind | None, Field(description="Only todos of this kind.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> TodoPage:
    """List the user's commitments, habits, open threads and frictions from talk to this Being, newest first.

    The scope `manage` also lists muted ones.
    """
    before = parse_cursor(cursor, UUID)
    found = todos.page(tx, being.being_id, status=status, kind=kind, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda todo: todo.todo_id)
    return TodoPage(todos=shown, cursor=end)


@operation(
    "PATCH /v1/beings/{being}/todos/{todo_id}",
    scope="manage",
    conflicts=True,
    commands=[
        Command("correct", "Correct a todo.", takes=("content", "due"), done="Corrected"),
        sets("done", "Close a todo.", "Done", status="DONE"),
        sets("archive", "Hide a todo; `patrol todos reopen` brings it back.", "Archived", status="ARCHIVED"),
        sets("reopen", "Open a todo that is done or archived.", "Open", status="OPEN"),
        sets("pin", "Keep a todo from being archived.", "Pinned", pinned=True),
        sets("unpin", "Unpin a todo.", "Unpinned", pinned=False),
        sets("confide", "Set the messages that a todo rests on in confidence.", "In confidence", in_confidence=True),
        sets(
            "share",
            "Lift the confidence of the messages that a todo rests on.",
            "No longer in confidence",
            in_confidence=False,
        ),
    ],
)
def change_todo(on: Resources, being: Being, todo_id: UUID, changes: TodoChanges) -> Todo:
    """Correct a todo, pin, close, archive or reopen it, set or lift the confidence of the messages that it rests on."""
    return confidences.change_todo(on.store, being, todo_id, changes)


@operation(
    "DELETE /v1/beings/{being}/todos/{todo_id}",
    scope="manage",
    status=HTTPStatus.NO_CONTENT,
    removes_answers=True,
    commands=[Command("erase", done="Erased")],
)
def erase_todo(tx: Transaction, being: Being, todo_id: UUID) -> None:
    """Erase a todo. The messages that support it stay."""
    todos.get(tx, being.being_id, todo_id)
    todos.erase(tx, being.being_id, [todo_id])
