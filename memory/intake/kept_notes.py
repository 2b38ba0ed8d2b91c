"""Use cases of todos, reminders and knowledge notes, which no patrol processes."""

from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.intake.notes import Note, NoteChanges
from store.accounts import request_answers
from store.database import Store
from store.intake import kept_notes


def change(store: Store, being: Being, note_id: UUID, changes: NoteChanges) -> Note:
    """Change a note, or mark it as read or unread.

    Raises:
        NotFound: The Being has no such note.
        Refused: It is a scene, or its type has no such field.
    """
    with store.transaction() as tx:
        return kept_notes.change(tx, being.being_id, note_id, changes.model_dump())


def remove(store: Store, being: Being, note_id: UUID) -> None:
    """Delete a note, and the answers stored for repeated requests, which may show it.

    Raises:
        NotFound: The Being has no such note.
        Refused: It is a scene.
    """
    with store.transaction() as tx:
        kept_notes.remove(tx, being.being_id, note_id)
        request_answers.forget(tx, being.user_id)
