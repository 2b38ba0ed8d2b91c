"""Notes, after they were handed in."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.intake import kept_notes
from memory.nodes.browsing import note_page
from operations.declaration import operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.intake.notes import Note, NoteChanges, NotePage, NoteState
from schemas.limits import PAGE_NODES
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/notes/{note_id}", scope="read")
def show_note(on: Resources, being: Being, note_id: UUID) -> Note:
    """Show a note."""
    return kept_notes.show(on.store, being, note_id)


@operation("PATCH /v1/beings/{being}/notes/{note_id}", scope="manage", conflicts=True, body="document")
def change_note(on: Resources, being: Being, note_id: UUID, changes: NoteChanges) -> Note:
    """Mark a todo or a reminder as read or unread, or change a todo, reminder or knowledge note.

    Notes that were read leave the snapshot, and knowledge does with `in_snapshot` false. A scene note can't be changed:
    correct the memory that was made from it.
    """
    return kept_notes.change(on.store, being, note_id, changes)


@operation(
    "DELETE /v1/beings/{being}/notes/{note_id}",
    scope="manage",
    forgets=True,
    status=HTTPStatus.NO_CONTENT,
    conflicts=True,
)
def remove_note(on: Resources, being: Being, note_id: UUID) -> None:
    """Delete a todo, a reminder or a knowledge note."""
    kept_notes.remove(on.store, being, note_id)


@operation("GET /v1/beings/{being}/notes", scope="read")
def list_notes(
    on: Resources,
    being: Being,
    *,
    state: Annotated[
        NoteState | None,
        Field(description="Only notes in this state; `parse_failed`: scenes that could not be parsed."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NotePage:
    """List notes with their state and outcome."""
    return note_page(on.store, being.being_id, state=state, cursor=cursor, limit=limit)
