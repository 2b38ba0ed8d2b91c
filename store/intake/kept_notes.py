"""Changes to todos, reminders and knowledge notes, which no patrol processes."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.errors import Refused, existing
from schemas.intake.notes import Note
from store.intake import notes
from store.transaction import Transaction


def change(tx: Transaction, being_id: UUID, note_id: UUID, changes: Mapping[str, Any]) -> Note:
    """Set the fields of a note that are not None in `changes`, the fields of `NoteChanges`.

    Raises:
        NotFound: The Being has no such note.
        Refused: It is a scene, or its type has no such field.
    """
    note = _kept(tx, being_id, note_id)
    if note.key is not None:
        raise Refused("A program keeps this knowledge under a key: replace it under its key, or remove it.")
    for field, type_ in (("title", "knowledge"), ("in_snapshot", "knowledge"), ("due_at", "reminder")):
        if changes[field] is not None and note.type != type_:
            raise Refused(f"Only a {type_} note has `{field}`, and this is a {note.type} note.")
    if changes["read"] is not None and note.type == "knowledge":
        raise Refused("A knowledge note can't be marked as read: remove it when it is wrong.")
    return tx.one(
        Note,
        """
        update memory.notes
        set content = coalesce(%(content)s, content), title = coalesce(%(title)s, title),
            due_at = coalesce(%(due_at)s, due_at), in_snapshot = coalesce(%(in_snapshot)s, in_snapshot),
            updated_at = case
                when coalesce(%(content)s::text, %(title)s) is null then updated_at
                else memory.now()
            end,
            read_at = case %(read)s::boolean
                when true then coalesce(read_at, memory.now())
                when false then null
                else read_at
            end
        where being_id = %(being)s and note_id = %(note)s
        returning *
        """,
        {
            **changes,
            "content": None if changes["content"] is None else Jsonb(changes["content"]),
            "being": being_id,
            "note": note_id,
        },
    )


def remove(tx: Transaction, being_id: UUID, note_id: UUID) -> None:
    """Delete a todo, a reminder or a knowledge note.

    Raises:
        NotFound: The Being has no such note.
        Refused: It is a scene.
    """
    _kept(tx, being_id, note_id)
    tx.execute("delete from memory.notes where being_id = %s and note_id = %s", [being_id, note_id])


def _kept(tx: Transaction, being_id: UUID, note_id: UUID) -> Note:
    note = existing(notes.get(tx, being_id, note_id), f"This Being has no note {note_id}.")
    if note.type == "scene":
        raise Refused("A scene note can't be changed: correct or forget the memory that was made from it.")
    return note
