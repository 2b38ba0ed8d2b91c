"""`patrol notes failed | retry`: scene notes that no patrol could turn into memories."""

from typing import Annotated
from uuid import UUID

from typer import Argument, BadParameter, Option

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import count, remark, say, say_json, say_list, table, words
from cli.intake.intake import notes
from memory.patrol import failed_notes
from schemas.limits import LONGEST_PAGE

MARKS = {"parse_failed": "[PARSE_FAILED]", "embed_failed": "[EMBED_FAILED]"}


@notes.command("failed")
def list_failed(
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: LimitOption = LONGEST_PAGE,
    *,
    as_json: JsonOption = False,
) -> None:
    """List scene notes marked [PARSE_FAILED] or [EMBED_FAILED], oldest first, with the reasons."""
    with opened() as on:
        target = find_being(on, being, owner)
        found = failed_notes.listed(on.store, target.being_id, limit)
    if not found and not as_json:
        return remark("No note has failed.")
    shown = table("note", "*why", "*content")
    for note in found:
        shown.add_row(str(note.note_id), words(f"{MARKS[note.state]} {note.reason}"), words(str(note.content)))
    return say_list("notes", found, shown, as_json=as_json)


@notes.command("retry")
def retry(
    note: Annotated[list[str] | None, Argument(metavar="NOTE...", help="The notes' ids; see `notes failed`.")] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    every: Annotated[bool, Option("--all", help="All failed notes of the Being.")] = False,
    *,
    as_json: JsonOption = False,
) -> None:
    """Let the next patrol try failed notes again; with a key a model is asked again to repair them."""
    if bool(note) == every:
        raise BadParameter("name notes, or give --all.", param_hint="NOTE...")
    try:
        note_ids = None if every else [UUID(each) for each in note or []]
    except ValueError:
        raise BadParameter("a note goes by its whole id; see `patrol notes failed`.", param_hint="NOTE...") from None
    with opened() as on:
        target = find_being(on, being, owner)
        retried = failed_notes.retry(on.store, on.settings, target.being_id, note_ids)
    if as_json:
        say_json({"retried": retried})
    else:
        say(f"{count(retried, 'note')} will be tried again by the next patrol.")
