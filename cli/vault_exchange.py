"""`patrol vault snapshot | profile | compact | import | export`: the vault as a whole."""

import sys
from typing import Annotated

from typer import Argument, Exit, FileBinaryRead, FileText, Option, Typer

from cli.ledger import find_being, opened
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import count, remark, say, say_json
from memory import vault
from memory.vault_blocks import build_snapshot_block
from memory.vault_exchange import export_lines, import_lines
from memory.vault_profile import profile_of, read_profile, use_profile, write_profile
from schemas.vault import Block

ScopeOption = Annotated[
    str | None, Option("--scope", help="Only this scope: `shared`, or the Being's slug.", show_default=False)
]


def add_to(commands: Typer) -> None:
    """Put these commands among the others."""
    commands.command("snapshot")(snapshot)
    commands.command("profile")(profile)
    commands.command("compact")(compact)
    commands.command("import")(import_file)
    commands.command("export")(export)


def snapshot(
    being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None, *, as_json: JsonOption = False
) -> None:
    """Show the block that stands in every prompt of the Being's."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        with on.store.transaction() as tx:
            block = Block(text=build_snapshot_block(tx, whose, [scope] if scope else None))
    if as_json:
        say_json(block)
    elif block.text:
        say(*block.text.splitlines())
    else:
        remark("There is nothing that every prompt should hold.")


def profile(
    file: Annotated[
        FileText | None,
        Argument(metavar="FILE|-", help="YAML with a part `memory`; without a file the profile is shown."),
    ] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show how the Being uses its vault, or say so from a file: enabled, scopes, max_items, similarity_threshold."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        used = profile_of(on.store, whose) if file is None else use_profile(on.store, whose, read_profile(file.read()))
    if as_json:
        say_json(used)
    else:
        sys.stdout.write(write_profile(used))


def compact(
    being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None, *, as_json: JsonOption = False
) -> None:
    """Remove superseded versions and old tombstones. What is read stays the same; it may be stopped anywhere."""
    with opened() as on:
        done = vault.compact(on.store, on.settings, find_being(on.store, being, owner), scope)
    if as_json:
        say_json(done)
    else:
        say(f"{count(done.removed, 'line')} removed.")


def import_file(
    file: Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="A vault.jsonl; - reads from stdin.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Take in a vault.jsonl, one version a line.

    Good lines are taken whatever stands in the others, and the same file again changes nothing. Ends with 1 if a line
    was rejected.
    """
    with opened() as on:
        done = import_lines(on.store, find_being(on.store, being, owner), file)
    if as_json:
        say_json(done)
    else:
        say(f"{count(done.imported, 'line')} imported, {done.known} known already, {len(done.rejected)} rejected")
        for trouble in done.rejected:
            remark(f"line {trouble.line}: {trouble.reason}")
    if done.rejected:
        raise Exit(1)


def export(being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None) -> None:
    """Write every version that the Being sees to stdout, as the lines of a vault.jsonl."""
    with opened() as on:
        for line in export_lines(on.store, find_being(on.store, being, owner), scope):
            sys.stdout.write(line)
