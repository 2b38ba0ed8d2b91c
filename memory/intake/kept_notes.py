"""Use cases of todos, reminders and knowledge notes, which no patrol processes."""

from uuid import UUID

from schemas.accounts.accounts import Being
from schemas.errors import existing
from schemas.intake.notes import Note
from store.intake import notes
from store.transaction import Transaction


def show(tx: Transaction, being: Being, note_id: UUID, *, muted: bool) -> Note:
    """A note of any type; a muted one with `muted`.

    Raises:
        NotFound: The Being has no such note.
    """
    return existing(notes.get(tx, being.being_id, note_id, muted=muted), f"This Being has no note {note_id}.")
