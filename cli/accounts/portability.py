"""`patrol export` and `patrol import`: a Being as a file."""

from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, FileBinaryRead, Option

from cli.console.failures import Failure
from cli.console.ledger import find_being, find_user, opened
from cli.console.options import JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_document, say_json, words
from cli.console.typed import read
from memory.accounts.being_export import export_lines
from memory.accounts.being_import import import_being
from schemas.accounts.accounts import Being, NewBeing
from store.accounts import users
from store.database import Store


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
    with opened() as on:
        lines = export_lines(on.store, find_being(on.store, being, owner), vectors=vectors)
        if file is None:
            say_document(lines)
            return
        file.touch(mode=0o600)
        with file.open("wb") as to:
            to.writelines(lines)
    remark(f"Written to {file}.")


def import_file(
    file: Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="An export; - reads from stdin.")],
    being: Annotated[str, Option("--being", "-b", metavar="SLUG", help="The Being to import into: new or empty.")],
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Import an exported Being, in one transaction; missing embeddings are computed in the background.

    Invalid lines do not prevent the import of the others, and importing the same file again changes nothing. The exit
    code is 1 if a line was rejected.
    """
    with opened() as on:
        whose = _found_or_made(on.store, being, owner, on.settings.most_beings)
        done = import_being(on.store, on.settings, on.embedders, whose, file)
    if as_json:
        say_json(done)
    elif done.known:
        say(f"This file was imported into {whose.slug} before: nothing was changed.")
    else:
        say(f"{count(sum(done.taken.values()), 'line')} taken, {len(done.rejected)} rejected")
    if done.erased:
        taken_out = ", ".join(count(number, kind.replace("_", " ")) for kind, number in done.erased.items())
        remark(f"Not kept, because it was erased before: {taken_out}, and what derives from it.")
    for trouble in done.rejected:
        remark(f"line {trouble.line}: {trouble.reason}")
    if done.rejected:
        raise Exit(1)


def _found_or_made(store: Store, being: str, owner: str | None, most: int) -> Being:
    with store.transaction() as tx:
        user = find_user(tx, owner) if owner is not None else None
        found = [one for one in users.beings_named(tx, being) if user is None or one.user_id == user.user_id]
        if found:
            if len(found) > 1:
                raise Failure(f"Several users have a Being {words(being)}: name the user with --user.")
            return found[0]
        if user is None:
            everybody = users.all_users(tx)
            if len(everybody) != 1:
                raise Failure(f"There is no Being {words(being)} yet: name its user with --user.")
            (user,) = everybody
        asked: NewBeing = read(NewBeing, {"slug": being, "name": being})
        return users.add_being(tx, user.user_id, asked.slug, asked.name, most=most)
