"""Single notes: looked at, marked as read, changed, removed."""

from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter

from api.auth import ManagedBeing, ReadBeing
from api.bodies import JsonRoute
from api.openapi import problems
from api.resources import On
from schemas.kept_notes import NoteChanges
from schemas.rows import Note
from store import kept_notes, notes
from store.errors import NotFound

router = APIRouter(prefix="/v1/beings/{being}/notes/{note_id}", tags=["Notes"], route_class=JsonRoute)


@router.get("")
def show_note(on: On, being: ReadBeing, note_id: UUID) -> Note:
    """Show a note.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        note = notes.get(tx, being.being_id, note_id)
    if note is None:
        raise NotFound(f"This Being has no note {note_id}.")
    return note


@router.patch("", responses=problems(409))
def change_note(on: On, being: ManagedBeing, note_id: UUID, changes: NoteChanges) -> Note:
    """Mark a todo or a reminder as read or unread, or change what a kept note says.

    Scope `manage`.

    What is read leaves the snapshot. A scene stays as it was handed in: correct the memory that was made of it.
    """
    with on.store.transaction() as tx:
        return kept_notes.change(tx, being.being_id, note_id, changes.model_dump())


@router.delete("", status_code=HTTPStatus.NO_CONTENT, responses=problems(409))
def remove_note(on: On, being: ManagedBeing, note_id: UUID) -> None:
    """Remove a todo, a reminder or something to know.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        kept_notes.remove(tx, being.being_id, note_id)
