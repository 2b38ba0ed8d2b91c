"""`patrol vault snapshot | profile | compact | import | export`: the vault as a whole."""

from typing import Annotated

from typer import Argument, Exit, FileBinaryRead, FileText, Option, Typer

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_document, say_json
from memory.vault.config import config_of, read_config, set_config, write_config
from memory.vault.exchange import export_lines, import_lines
from operations.vault import vault as operations

ScopeOption = Annotated[
    str | None, Option("--scope", help="Only this scope: `shared` or the Being's slug.", show_default=False)
]


def add_to(commands: Typer) -> None:
    """Register these commands."""
    commands.command("snapshot")(snapshot)
    commands.command("profile")(profile)
    commands.command("compact")(compact)
    commands.command("import")(import_file)
    commands.command("export")(export)


def snapshot(
    being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None, *, as_json: JsonOption = False
) -> None:
    """Show the block that every prompt of the Being contains."""
    with opened() as on:
        target = find_being(on, being, owner)
        block = operations.show_snapshot.perform(on, being=target, scope=[scope] if scope else None)
    if as_json:
        say_json(block)
    elif block.text:
        say(*block.text.splitlines())
    else:
        remark("The snapshot is empty: the vault has no canon and no register with a topic.")


def profile(
    file: Annotated[
        FileText | None,
        Argument(metavar="FILE|-", help="YAML with a section `memory`; without a file the configuration is shown."),
    ] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Show the Being's vault configuration, or replace it: enabled, scopes, max_items, similarity_threshold."""
    with opened() as on:
        target = find_being(on, being, owner)
        config = config_of(on.store, target) if file is None else set_config(on.store, target, read_config(file.read()))
    if as_json:
        say_json(config)
    else:
        say_document([write_config(config).encode()])


def compact(
    being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None, *, as_json: JsonOption = False
) -> None:
    """Remove superseded versions and old tombstones. Live records stay the same. It can be interrupted at any point."""
    with opened() as on:
        done = operations.compact_vault.perform(on, being=find_being(on, being, owner), scope=scope)
    if as_json:
        say_json(done)
    else:
        say(f"{count(done.removed, 'version')} removed.")


def import_file(
    file: Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="A vault.jsonl; - reads from stdin.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Import a vault.jsonl, one version a line.

    Invalid lines are reported and the others imported. Importing the same file again changes nothing. The exit code
    is 1 if a line was rejected.
    """
    with opened() as on:
        done = import_lines(on.store, on.settings, find_being(on, being, owner), file)
    if as_json:
        say_json(done)
    else:
        say(f"{count(done.imported, 'line')} imported, {done.known} known already, {len(done.rejected)} rejected")
        if done.erased:
            remark(f"{count(len(done.erased), 'line')} left out: permanently erased before.")
        for line in done.rejected:
            remark(f"line {line.line}: {line.reason}")
        if done.stopped_at is not None:
            remark(
                f"Stopped at line {done.stopped_at} after too many invalid lines. Correct the file and import it again."
            )
    if done.rejected:
        raise Exit(1)


def export(being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None) -> None:
    """Write all versions in the Being's scopes to stdout, as the lines of a vault.jsonl."""
    with opened() as on:
        say_document(line.encode() for line in export_lines(on.store, find_being(on, being, owner), scope))
