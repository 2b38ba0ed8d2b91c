"""`patrol export` and `patrol import`: a Being as a file."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

from typer import Argument, BadParameter, Exit, Option

from cli.accounts.foreign_export import import_foreign
from cli.console.failures import Failure
from cli.console.ledger import every_right, find_being, find_user, open_ledger
from cli.console.options import JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_document, say_json, words
from cli.console.typed import read
from memory.accounts import lookup
from memory.accounts.being_export import export_lines
from memory.accounts.being_import import import_being
from operations.accounts.beings import create_being
from schemas.accounts.accounts import Being, NewBeing, User
from schemas.intake.foreign_exports import Program
from workers.runtime.resources import Resources


def export(
    being: Annotated[str, Argument(metavar="BEING", help="The Being's slug or id.")],
    file: Annotated[Path | None, Argument(metavar="FILE", help="The file to write; stdout if omitted.")] = None,
    owner: OwnerOption = None,
    *,
    vectors: Annotated[
        bool, Option("--vectors", help="Include embeddings; without them the import computes new ones.")
    ] = False,
) -> None:
    """Export all that a Being knows, as of one moment, one JSON object a line, without keys and tokens."""
    with open_ledger() as on:
        lines = export_lines(on.store, find_being(on, being, owner), vectors=vectors)
        if file is None:
            say_document(lines)
            return
        file.touch(mode=0o600)
        with file.open("wb") as to:
            to.writelines(lines)
    remark(f"Written to {file}.")


def import_file(
    file: Annotated[
        Path,
        Argument(
            metavar="FILE|-",
            allow_dash=True,
            help="An export; - reads from stdin. With --from also a folder, or the ZIP archive as it was downloaded.",
        ),
    ],
    being: Annotated[
        str | None,
        Option("--being", "-b", metavar="SLUG", help="The Being; without --from a new or empty one."),
    ] = None,
    owner: OwnerOption = None,
    source: Annotated[
        Program | None, Option("--from", help="The program that wrote the export.", show_default="this one")
    ] = None,
    me: Annotated[
        str | None,
        Option(metavar="NAME", help="With --from: the user's name in the export, where its format leaves it open."),
    ] = None,
    companion: Annotated[
        str | None,
        Option(metavar="NAME", help="With --from: the Being's speaker name; others are then third persons."),
    ] = None,
    set_aside: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="With --from: where entries that can't be imported are written.",
            show_default="FILE.set-aside.jsonl",
        ),
    ] = None,
    *,
    rooms: Annotated[
        bool,
        Option(
            "--rooms",
            help="With --from sillytavern, in place of --being: each group becomes a room, and its members Beings.",
        ),
    ] = False,
    aged: Annotated[
        bool,
        Option("--aged", help="With --from: memories are born with the age that daily patrols would have given them."),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Import an exported Being, or with --from the conversations and memories of another program.

    An exported Being is imported in one transaction; invalid lines do not prevent the import of the others. An import
    from another program goes entry by entry, with their own times: after an interruption the same command goes on.
    Importing the same file again changes nothing. The exit code is 1 if something could not be imported.
    """
    if rooms == (being is not None) or (rooms and (source != "sillytavern" or companion or aged)):
        raise BadParameter("Name --being; or give --rooms with --from sillytavern, and without --companion and --aged.")
    if source is not None or being is None:
        if str(file) == "-":
            raise BadParameter("With --from the export is a file, a folder or an archive.")
        with open_ledger() as on:
            target = _owner(on, owner) if being is None else _found_or_made(on, being, owner)
            # A folder may be called by no name, as `.` and `..` are.
            named = file if file.name.strip(".") else file.resolve()
            aside = set_aside or Path(f"{named}.set-aside.jsonl")
            import_foreign(
                on,
                target,
                file,
                source or "sillytavern",
                user=me,
                companion=companion,
                aside=aside,
                aged=aged,
                as_json=as_json,
            )
        return
    if me or companion or set_aside or aged:
        raise BadParameter("--me, --companion, --set-aside and --aged belong to --from.")
    with open_ledger() as on, nullcontext(sys.stdin.buffer) if str(file) == "-" else file.open("rb") as content:
        target = _found_or_made(on, being, owner)
        done = import_being(on.store, on.settings, on.embedders, target, content)
    if as_json:
        say_json(done)
    elif done.known:
        say(f"This file was imported into {target.slug} before: nothing was changed.")
    else:
        say(f"{count(sum(done.taken.values()), 'line')} taken, {len(done.rejected)} rejected")
    if done.erased:
        taken_out = ", ".join(count(number, kind.replace("_", " ")) for kind, number in done.erased.items())
        remark(f"Not kept, because it was erased before: {taken_out}, and what derives from it.")
    for trouble in done.rejected:
        remark(f"line {trouble.line}: {trouble.reason}")
    if done.rejected:
        raise Exit(1)


def _found_or_made(on: Resources, being: str, owner: str | None) -> Being:
    user = find_user(on, owner) if owner is not None else None
    found = lookup.beings_named(on.store, being, None if user is None else user.user_id)
    if found:
        if len(found) > 1:
            raise Failure(f"Several users have a Being {words(being)}: name the user with --user.")
        return found[0]
    user = user or _owner(on, owner)
    new: NewBeing = read(NewBeing, {"slug": being, "name": being})
    return create_being.perform(on, caller=every_right(user), new=new)


def _owner(on: Resources, owner: str | None) -> User:
    if owner is not None:
        return find_user(on, owner)
    known = lookup.all_users(on.store)
    if len(known) != 1:
        raise Failure("A new Being needs a user: name the user with --user.")
    return known[0]
