"""`patrol vault`: durable statements of one Being, or shared by all Beings of its user."""

from collections.abc import Sequence
from typing import Annotated, Any

from rich.table import Table
from typer import Argument, Exit, FileBinaryRead, FileText, Option

from cli.console.declared import Group
from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, listing, remark, say, say_document, say_json, table, words
from memory.vault.config import config_of, read_config, set_config, write_config
from memory.vault.vault_file import export_lines, import_lines
from operations.vault import records
from operations.vault import vault as whole
from schemas.vault.records import SHARED, RecordPage, VaultRecord
from schemas.vault.vault_answers import (
    Block,
    CandidatePage,
    CompactionOutcome,
    DeletionOutcome,
    HitPage,
    ProposalPage,
    VaultErased,
    VaultStats,
)

ScopeOption = Annotated[
    str | None, Option("--scope", help="Only this scope: `shared` or the Being's slug.", show_default=False)
]


def _records(page: RecordPage) -> list[Any]:
    return [_table(page.records) if page.records else "No record matches. Add one: patrol vault add TEXT"]


def _hits(page: HitPage) -> list[Any]:
    found = _table([hit.record for hit in page.hits], [hit.score for hit in page.hits])
    return [found if page.hits else "No record shares a word with the query."]


def _candidates(page: CandidatePage) -> list[Any]:
    rows = (
        (f"{pair.similarity:.2f}", pair.first.id, pair.first.text, pair.second.id, pair.second.text)
        for pair in page.candidates
    )
    return [listing("No two records are similar.", ">similarity", "first", "*text", "second", "*text", rows=rows)]


def _proposals(page: ProposalPage) -> list[Any]:
    rows = ((one.record.id, one.record.text, "; ".join(one.reasons)) for one in page.proposals)
    return [listing("No record is proposed for deletion.", "record", "*text", "*because it", rows=rows)]


def _stats(found: VaultStats) -> list[Any]:
    rows = []
    for name, value in found.model_dump().items():
        counted = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        rows.append((name.replace("_", " "), counted))
    return [table("", "*", rows=rows)]


def _deleted(done: DeletionOutcome) -> list[Any]:
    for record_id in done.missing:
        remark(f"This vault has no live record {words(record_id)}.")
    return [f"{count(len(done.deleted), 'record')} deleted."]


def _block(block: Block) -> list[str]:
    if not block.text:
        remark("The snapshot is empty: the vault has no canon and no register with a topic.")
    return block.text.splitlines()


vault = Group(
    records,
    "Durable statements, gated and versioned, that every prompt shows.",
    views={
        RecordPage: _records,
        VaultRecord: lambda record: [_table([record])],
        HitPage: _hits,
        CandidatePage: _candidates,
        ProposalPage: _proposals,
        VaultStats: _stats,
        DeletionOutcome: _deleted,
        VaultErased: lambda erased: f"{count(erased.records, 'version')}.",
    },
).commands
_whole = Group(
    whole,
    "The vault as a whole.",
    views={Block: _block, CompactionOutcome: lambda done: f"{count(done.removed, 'version')} removed."},
)
vault.command("snapshot")(_whole["snapshot"])


@vault.command("profile")
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
    with open_ledger() as on:
        target = find_being(on, being, owner)
        config = config_of(on.store, target) if file is None else set_config(on.store, target, read_config(file.read()))
    if as_json:
        say_json(config)
    else:
        say_document([write_config(config).encode()])


vault.command("compact")(_whole["compact"])


@vault.command("import")
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
    with open_ledger() as on:
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


@vault.command("export")
def export(being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None) -> None:
    """Write all versions in the Being's scopes to stdout, as the lines of a vault.jsonl."""
    with open_ledger() as on:
        say_document(line.encode() for line in export_lines(on.store, find_being(on, being, owner), scope))


def _table(records: Sequence[VaultRecord], scores: Sequence[float] = ()) -> Table:
    rows = []
    for place, record in enumerate(records):
        score = (f"{scores[place]:.2f}",) if scores else ()
        scope = SHARED if record.scope == SHARED else "own"
        text = f"{record.topic_id}: {record.text}" if record.topic_id else record.text
        rows.append((*score, record.id, scope, record.tier, record.version, record.touched_at, text))
    columns = *((">score",) if scores else ()), "record", "scope", "tier", ">version", "since", "*text"
    return table(*columns, rows=rows)
