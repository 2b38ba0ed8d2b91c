"""Routes of single notes."""

from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.openapi import problems
from api.http.resources import On
from memory.intake import kept_notes
from schemas.intake.notes import Note, NoteChanges
from store.errors import NotFound
from store.intake import notes

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
@body_limit("document")
def change_note(on: On, being: ManagedBeing, note_id: UUID, changes: NoteChanges) -> Note:
    """Mark a todo or a reminder as read or unread, or change a todo, reminder or knowledge note.

    Scope `manage`.

    Notes that were read leave the snapshot, and knowledge does with `in_snapshot` false. A scene note can't be changed:
    correct the memory that was made from it.
    """
    return kept_notes.change(on.store, being, note_id, changes)


@router.delete("", status_code=HTTPStatus.NO_CONTENT, responses=problems(409))
def remove_note(on: On, being: ManagedBeing, note_id: UUID) -> None:
    """Delete a todo, a reminder or a knowledge note.

    Scope `manage`.
    """
    kept_notes.remove(on.store, being, note_id)
