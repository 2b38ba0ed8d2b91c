"""`patrol export` and `patrol import`: a Being as a file, taken away and brought along."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Exit, FileBinaryRead, Option

from cli.failures import Failure
from cli.ledger import find_being, find_user, opened, ring
from cli.options import JsonOption, OwnerOption
from cli.output import count, remark, say, say_json, words
from cli.typed import read
from memory.being_export import export_lines
from memory.being_import import import_being
from schemas.requests import NewBeing
from schemas.rows import Being
from store import users
from store.database import Store


def export(
    being: Annotated[str, Argument(metavar="BEING", help="The Being's slug or id.")],
    file: Annotated[Path | None, Argument(metavar="FILE", help="Where to; without, to stdout.")] = None,
    owner: OwnerOption = None,
    *,
    vectors: Annotated[bool, Option("--vectors", help="Take embeddings along; else they are made anew.")] = False,
) -> None:
    """Write down all that a Being knows, as of one moment, a JSON object a line. Keys and tokens stay here."""
    with opened() as on:
        lines = export_lines(on.store, find_being(on.store, being, owner), vectors=vectors)
        if file is None:
            sys.stdout.buffer.writelines(lines)
            return
        file.touch(mode=0o600)
        with file.open("wb") as to:
            to.writelines(lines)
    remark(f"Written to {file}.")


def import_file(
    file: Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="An export; - reads from stdin.")],
    being: Annotated[
        str, Option("--being", "-b", metavar="SLUG", help="Who it becomes: a new Being, or one that is empty.")
    ],
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Bring a Being in from an export, all at once; embeddings are made in the background.

    Good lines are taken whatever stands in the others, and the same file again changes nothing. Ends with 1 if a line
    was rejected.
    """
    with opened() as on:
        whose = _found_or_made(on.store, being, owner)
        done, rings = import_being(on.store, on.settings, on.embedders, whose, file)
        ring(rings)
    if as_json:
        say_json(done)
    elif done.known:
        say(f"{whose.slug} was brought in with this very file before: nothing was changed.")
    else:
        say(f"{count(sum(done.taken.values()), 'line')} taken, {len(done.rejected)} rejected")
    for trouble in done.rejected:
        remark(f"line {trouble.line}: {trouble.reason}")
    if done.rejected:
        raise Exit(1)


def _found_or_made(store: Store, being: str, owner: str | None) -> Being:
    with store.transaction() as tx:
        user = find_user(tx, owner) if owner is not None else None
        found = [one for one in users.beings_named(tx, being) if user is None or one.user_id == user.user_id]
        if found:
            if len(found) > 1:
                raise Failure(f"Several users have a Being {words(being)}: say whose with --user.")
            return found[0]
        if user is None:
            everybody = users.all_users(tx)
            if len(everybody) != 1:
                raise Failure(f"There is no Being {words(being)} yet: say with --user whose it is to be.")
            (user,) = everybody
        asked: NewBeing = read(NewBeing, {"slug": being, "name": being})
        return users.add_being(tx, user.user_id, asked.slug, asked.name)
