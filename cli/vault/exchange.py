"""`patrol vault snapshot | profile | compact | import | export`: the vault as a whole."""

from typing import Annotated

from typer import Argument, Exit, FileBinaryRead, FileText, Option, Typer

from cli.console.declared import Group
from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, remark, say, say_document, say_json
from memory.vault.config import config_of, read_config, set_config, write_config
from memory.vault.vault_file import export_lines, import_lines
from operations.vault import vault as operations
from schemas.vault.vault_answers import Block, Compacted

ScopeOption = Annotated[
    str | None, Option("--scope", help="Only this scope: `shared` or the Being's slug.", show_default=False)
]


def _block(block: Block) -> list[str]:
    if not block.text:
        remark("The snapshot is empty: the vault has no canon and no register with a topic.")
    return block.text.splitlines()


_made = Group(
    operations,
    "The vault as a whole.",
    views={Block: _block, Compacted: lambda done: f"{count(done.removed, 'version')} removed."},
)


def add_to(commands: Typer) -> None:
    """Register these commands."""
    commands.command("snapshot")(_made["snapshot"])
    commands.command("profile")(profile)
    commands.command("compact")(_made["compact"])
    commands.command("import")(import_file)
    commands.command("export")(export)


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
