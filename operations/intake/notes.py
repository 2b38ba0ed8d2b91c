"""Notes, after they were handed in."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.intake.notes import accept_notes
from memory.text.errors import InvalidRequest
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, Flag, Tool, operation
from operations.parameters import Cursor, Limit, NoteId
from schemas.accounts.accounts import Being
from schemas.errors import Refused, existing
from schemas.intake.inputs import SceneToRemember
from schemas.intake.notes import Note, NoteChanges, NotePage, NoteState, RememberedScene
from schemas.limits import LONGEST_PAGE, PAGE_NODES
from store.intake import kept_notes, notes
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation(
    None,
    scope="ingest",
    tool=Tool(
        "remember",
        hints={
            "action": "What happened, in one or two sentences, with names, not pronouns.",
            "actors": "Who was there or is meant.",
            "when": "ISO dates, such as 2026-03-02; today's, if it happened today.",
            "dialogue": "Words worth keeping, as they were said.",
            "feeling": "Your own impression of it, in the first person.",
            "importance": "0.2 small talk, 0.5 usual, 0.9 changes a life.",
            "themes": "One to three tags.",
            "emotion": "How it felt to you: six numbers from -1 to 1, all of them or none.",
        },
    ),
)
def remember_scene(on: Resources, being: Being, scene: SceneToRemember) -> RememberedScene:
    """Store a scene that will matter later; it becomes memory in the background, within minutes.

    One scene a call, when it has happened: an event, a decision, a promise. Not for each turn of talk.
    """
    content = scene.model_dump(mode="json", exclude={"id"}, exclude_unset=True)
    note = {"type": "scene", "content": content} | ({} if scene.id is None else {"id": scene.id})
    receipt = accept_notes(on.store, on.settings, being.being_id, [note], origin="mcp")
    for trouble in receipt.rejected:
        raise InvalidRequest(trouble.reason)
    for trouble in receipt.conflicts:
        raise Refused(trouble.reason)
    erased = bool(receipt.erased)
    return RememberedScene(note_id=receipt.ids[0], known_already=receipt.accepted == 0 and not erased, erased=erased)


@operation("GET /v1/beings/{being}/notes/{note_id}", scope="read")
def show_note(tx: Transaction, being: Being, muted: FindsMuted, note_id: NoteId) -> Note:
    """Show a note. The scope `manage` also shows a muted one."""
    return existing(notes.get(tx, being.being_id, note_id, muted=muted), f"This Being has no note {note_id}.")


@operation(
    "PATCH /v1/beings/{being}/notes/{note_id}",
    scope="manage",
    conflicts=True,
    body="document",
    commands=[
        Command(
            "change",
            takes=("content", "title", "due_at"),
            flags={
                "read": Flag("Mark it as read.", {"read": True}),
                "unread": Flag("Mark it as unread.", {"read": False}),
                "in_snapshot": Flag("Let a knowledge note stand in the snapshot of contexts.", {"in_snapshot": True}),
                "out_of_snapshot": Flag("Keep it out of the snapshot.", {"in_snapshot": False}),
            },
            done="Changed",
        )
    ],
)
def change_note(tx: Transaction, being: Being, note_id: NoteId, changes: NoteChanges) -> Note:
    """Mark a todo or a reminder as read or unread, or change a todo, reminder or knowledge note.

    Notes that were read leave the snapshot, and knowledge does with `in_snapshot` false. A scene note can't be changed:
    correct the memory that was made from it.
    """
    return kept_notes.change(tx, being.being_id, note_id, changes.model_dump())


@operation(
    "DELETE /v1/beings/{being}/notes/{note_id}",
    scope="manage",
    removes_answers=True,
    status=HTTPStatus.NO_CONTENT,
    conflicts=True,
    commands=[Command("remove", done="Removed")],
)
def remove_note(tx: Transaction, being: Being, note_id: NoteId) -> None:
    """Remove a todo, a reminder or a knowledge note."""
    kept_notes.remove(tx, being.being_id, note_id)


@operation(
    "GET /v1/beings/{being}/notes",
    scope="read",
    commands=[
        Command("list"),
        Command(
            "kept",
            "List todos, reminders and knowledge notes.",
            fixed={"state": "kept"},
            defaults={"limit": LONGEST_PAGE},
        ),
    ],
)
def list_notes(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    state: Annotated[
        NoteState | None,
        Field(description="Only notes in this state; `parse_failed`: scenes that could not be parsed."),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NotePage:
    """List notes with their state and outcome. The scope `manage` also lists muted ones."""
    after = parse_cursor(cursor, UUID)
    found = notes.page(tx, being.being_id, state=state, muted=muted, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda note: note.note_id)
    return NotePage(notes=shown, cursor=end)


@operation(None, scope="read", commands=[Command("failed")])
def list_failed_notes(tx: Transaction, being: Being, *, limit: Limit = LONGEST_PAGE) -> NotePage:
    """List scene notes marked [PARSE_FAILED] or [EMBED_FAILED], oldest first, with the reasons."""
    return NotePage(notes=notes.failed(tx, being.being_id, limit), cursor=None)
