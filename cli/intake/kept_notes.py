"""`patrol notes kept|change|remove`: todos, reminders and knowledge notes."""

from typing import Annotated
from uuid import UUID

from typer import Argument, BadParameter, Option

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import day, remark, say, say_json, say_page, table, words
from cli.console.typed import read
from cli.intake.intake import notes
from memory.intake import kept_notes
from memory.nodes.browsing import note_page
from schemas.intake.notes import NoteChanges
from schemas.limits import LONGEST_PAGE

NoteArgument = Annotated[str, Argument(metavar="NOTE", help="The note's id.")]


@notes.command("kept")
def list_kept(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: LimitOption = LONGEST_PAGE,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List todos, reminders and knowledge notes, oldest first."""
    with opened() as on:
        target = find_being(on, being, owner)
        page = note_page(on.store, target.being_id, state="kept", cursor=cursor, limit=limit)
    if not page.notes and not as_json:
        return remark("This Being has no todos, reminders or knowledge notes.")
    shown = table("note", "type", "due", "read", "*says")
    for note in page.notes:
        said = ": ".join(filter(None, (note.title, str(note.content))))
        shown.add_row(str(note.note_id), note.type, day(note.due_at), day(note.read_at), words(said))
    return say_page(page, shown, as_json=as_json)


@notes.command("change")
def change_note(
    note: NoteArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    read_: Annotated[
        bool | None, Option("--read/--unread", help="Mark it as read or unread.", show_default=False)
    ] = None,
    content: Annotated[str | None, Option(help="Its new text.", show_default=False)] = None,
    title: Annotated[str | None, Option(help="The new title of a knowledge note.", show_default=False)] = None,
    due_at: Annotated[
        str | None, Option(help="When a reminder is due, such as 2026-05-02T09:00:00+02:00.", show_default=False)
    ] = None,
    in_snapshot: Annotated[
        bool | None,
        Option(
            "--in-snapshot/--out-of-snapshot",
            help="Whether a knowledge note stands in the snapshot of contexts.",
            show_default=False,
        ),
    ] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Mark a todo or a reminder as read, or change a todo, reminder or knowledge note."""
    said = {"read": read_, "content": content, "title": title, "due_at": due_at, "in_snapshot": in_snapshot}
    changes: NoteChanges = read(NoteChanges, said)
    with opened() as on:
        target = find_being(on, being, owner)
        changed = kept_notes.change(on.store, target, _id(note), changes)
    if as_json:
        say_json(changed)
    else:
        say(f"Changed: {words(str(changed.content))}")


@notes.command("remove")
def remove_note(note: NoteArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Delete a todo, a reminder or a knowledge note."""
    with opened() as on:
        target = find_being(on, being, owner)
        kept_notes.remove(on.store, target, _id(note))
    say("Removed.")


def _id(note: str) -> UUID:
    try:
        return UUID(note)
    except ValueError:
        raise BadParameter("give the note's whole id, as `patrol notes kept` shows it.") from None
