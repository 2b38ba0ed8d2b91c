"""Use cases of todos, reminders and knowledge notes, which no patrol processes."""

from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.intake.notes import Note, NoteChanges
from store.database import Store
from store.intake import kept_notes, notes


def show(store: Store, being: Being, note_id: UUID) -> Note:
    """A note of any type.

    Raises:
        NotFound: The Being has no such note.
    """
    with store.transaction() as tx:
        note = notes.get(tx, being.being_id, note_id)
    if note is None:
        raise NotFound(f"This Being has no note {note_id}.")
    return note


def change(store: Store, being: Being, note_id: UUID, changes: NoteChanges) -> Note:
    """Change a note, or mark it as read or unread.

    Raises:
        NotFound: The Being has no such note.
        Refused: It is a scene, or its type has no such field.
    """
    with store.transaction() as tx:
        return kept_notes.change(tx, being.being_id, note_id, changes.model_dump())


def remove(store: Store, being: Being, note_id: UUID) -> None:
    """Delete a note.

    Raises:
        NotFound: The Being has no such note.
        Refused: It is a scene.
    """
    with store.transaction() as tx:
        kept_notes.remove(tx, being.being_id, note_id)
