"""Memories and notes, erased for good."""

from uuid import UUID

from memory.nodes import node_erasure
from operations.declaration import Command, operation
from operations.parameters import NoteId
from schemas.accounts.accounts import Being
from schemas.accounts.portability import NodeErased
from workers.runtime.resources import Resources


@operation(
    "POST /v1/beings/{being}/nodes/{node_id}/erase",
    scope="manage",
    conflicts=True,
    repeated="done again",
    commands=[Command("node", confirm="Erase memory {node_id} of {being}'s for good?")],
)
def erase_node(on: Resources, being: Being, node_id: UUID) -> NodeErased:
    """Erase a memory for good, with its note and all memories that it absorbed. This can't be undone.

    Memories that had absorbed it return to the words of their own notes, and other memories that these had absorbed are
    active again. Diary pages about it are erased as a whole.
    """
    return node_erasure.erase_node(on.store, on.settings, on.embedders, being, node_id)


@operation(
    "POST /v1/beings/{being}/notes/{note_id}/erase",
    scope="manage",
    conflicts=True,
    repeated="done again",
    commands=[Command("note", confirm="Erase note {note_id} of {being}'s for good?")],
)
def erase_note(on: Resources, being: Being, note_id: NoteId) -> NodeErased:
    """Erase a note for good, with the memory that was made from it. This can't be undone."""
    return node_erasure.erase_note(on.store, on.settings, on.embedders, being, note_id)
