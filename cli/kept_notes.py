"""`patrol notes` beside handing in: todos, reminders and things to know, listed, read, changed, removed."""

from typing import Annotated
from uuid import UUID

from typer import Argument, BadParameter, Option

from cli.intake import notes
from cli.ledger import find_being, opened
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import day, remark, say, say_json, table, words
from cli.typed import read
from memory.browsing import note_page
from schemas.kept_notes import NoteChanges
from schemas.limits import LONGEST_PAGE
from store import kept_notes

NoteArgument = Annotated[str, Argument(metavar="NOTE", help="The note's id.")]


@notes.command("kept")
def list_kept(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """List todos, reminders and things to know, up to 200, oldest first."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        found = note_page(on.store, whose.being_id, state="kept", cursor=None, limit=LONGEST_PAGE).notes
    if as_json:
        return say_json(found)
    shown = table("note", "type", "due", "read", "*says")
    for note in found:
        said = ": ".join(filter(None, (note.title, str(note.content))))
        shown.add_row(str(note.note_id), note.type, day(note.due_at), day(note.read_at), words(said))
    if found:
        say(shown)
    else:
        remark("There are none.")
    return None


@notes.command("change")
def change_note(
    note: NoteArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    read_: Annotated[bool | None, Option("--read/--unread", help="Whether it was read.", show_default=False)] = None,
    content: Annotated[str | None, Option(help="What it says.", show_default=False)] = None,
    title: Annotated[str | None, Option(help="The title of something to know.", show_default=False)] = None,
    due_at: Annotated[
        str | None, Option(help="When a reminder is due, as 2026-05-02T09:00:00+02:00.", show_default=False)
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Mark a todo or a reminder as read, or change what a kept note says."""
    said = {"read": read_, "content": content, "title": title, "due_at": due_at}
    changes: NoteChanges = read(NoteChanges, said)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            changed = kept_notes.change(tx, whose.being_id, _id(note), changes.model_dump())
    if as_json:
        say_json(changed)
    else:
        say(f"Changed: {words(str(changed.content))}")


@notes.command("remove")
def remove_note(note: NoteArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Remove a todo, a reminder or something to know."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            kept_notes.remove(tx, whose.being_id, _id(note))
    say("Removed.")


def _id(note: str) -> UUID:
    try:
        return UUID(note)
    except ValueError:
        raise BadParameter("a note goes by its whole id; see `patrol notes kept`.") from None
