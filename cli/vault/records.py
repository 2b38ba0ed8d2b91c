"""`patrol vault`: durable statements of one Being, or shared by all Beings of its user."""

from collections.abc import Sequence
from typing import Annotated, Any

from rich.table import Table
from typer import Argument, Option, confirm

from cli.console.declared import Group
from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, day, remark, say, say_json, table, words
from cli.console.typed import read
from cli.vault import exchange
from memory.vault import records as vault_writing
from operations.vault import records as operations
from schemas.vault.answers import CandidatePage, Deleted, HitPage, ProposalPage, VaultStats
from schemas.vault.records import SHARED, RecordPage, VaultRecord
from schemas.vault.requests import NewRecord


def _records(page: RecordPage) -> list[Any]:
    return [_table(page.records) if page.records else "No record matches. Add one: patrol vault add TEXT"]


def _record(record: VaultRecord) -> list[Any]:
    return [_table([record])]


def _hits(page: HitPage) -> list[Any]:
    if not page.hits:
        return ["No record shares a word with the query."]
    return [_table([hit.record for hit in page.hits], [hit.score for hit in page.hits])]


def _candidates(page: CandidatePage) -> list[Any]:
    shown = table(">similarity", "first", "*text", "second", "*text")
    for pair in page.candidates:
        first, second = pair.first, pair.second
        shown.add_row(f"{pair.similarity:.2f}", first.id, words(first.text), second.id, words(second.text))
    return [shown if page.candidates else "No two records are similar."]


def _proposals(page: ProposalPage) -> list[Any]:
    shown = table("record", "*text", "*because it")
    for proposal in page.proposals:
        shown.add_row(proposal.record.id, words(proposal.record.text), words("; ".join(proposal.reasons)))
    return [shown if page.proposals else "No record is proposed for deletion."]


def _stats(found: VaultStats) -> list[Any]:
    shown = table("", "*")
    for name, value in found.model_dump().items():
        parts = (
            ", ".join(f"{words(key)} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        )
        shown.add_row(name.replace("_", " "), str(parts))
    return [shown]


def _deleted(done: Deleted) -> list[Any]:
    for record_id in done.missing:
        remark(f"This vault has no live record {words(record_id)}.")
    return [f"{count(len(done.deleted), 'record')} deleted."]


vault = Group(
    operations,
    "Durable statements, gated and versioned, that every prompt shows.",
    finders={},
    views={
        RecordPage: _records,
        VaultRecord: _record,
        HitPage: _hits,
        CandidatePage: _candidates,
        ProposalPage: _proposals,
        VaultStats: _stats,
        Deleted: _deleted,
    },
).commands
exchange.add_to(vault)

RecordsArgument = Annotated[list[str], Argument(metavar="ID …", help="The records' ids.")]


@vault.command("add")
def add(
    text: Annotated[str, Argument(metavar="TEXT", help="The statement, at most 1200 characters.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: Annotated[
        str | None,
        Option(help="`shared`, for all Beings of the user, or the Being's slug.", show_default=False),
    ] = None,
    category: Annotated[
        str | None, Option("--category", "-c", help="Bio, mission, project, goal or another kind.", show_default=False)
    ] = None,
    tier: Annotated[
        str, Option(metavar="canon|register", help="Canon is durable; a register holds the current state of a topic.")
    ] = "canon",
    topic: Annotated[str | None, Option(help="The topic of a register.", show_default=False)] = None,
    tag: Annotated[
        list[str] | None, Option(help="A tag to filter by; repeat the option for several.", show_default=False)
    ] = None,
    source: Annotated[
        str, Option(metavar="chat|manual|tool|operator|promotion", help="The origin.", show_default=False)
    ] = "operator",
    force: Annotated[bool, Option("--force", help="Add it though the vault holds a near-duplicate.")] = False,
    *,
    as_json: JsonOption = False,
) -> None:
    """Add a record, or a new version of its topic's register. Eight gates check it."""
    given = {"scope": scope, "category": category, "topic_id": topic, "tags": tag}
    chosen = {name: value for name, value in given.items() if value}
    new: NewRecord = read(NewRecord, {"text": text, "tier": tier, "source": source, "force": force, **chosen})
    with opened() as on:
        added = vault_writing.add_memory(on.store, on.settings, find_being(on, being, owner), new)
    if as_json:
        say_json(added)
    else:
        say(_table([added]))


@vault.command("erase")
def erase(
    records: RecordsArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    yes: Annotated[bool, Option("--yes", "-y", help="Erase without confirmation.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Permanently erase records with all their versions; no import restores them."""
    with opened() as on:
        target = find_being(on, being, owner)
        if not yes:
            confirm(
                f"Permanently erase {count(len(records), 'record')} of {target.slug}'s vault?", abort=True, err=True
            )
        erased = vault_writing.erase_memory(on.store, on.settings, target, records)
    if as_json:
        return say_json(erased)
    return say(f"Erased: {count(erased.records, 'version')}.")


def _table(records: Sequence[VaultRecord], scores: Sequence[float] = ()) -> Table:
    shown = table(*((">score",) if scores else ()), "record", "scope", "tier", ">version", "since", "*text")
    for place, record in enumerate(records):
        score = (f"{scores[place]:.2f}",) if scores else ()
        scope = SHARED if record.scope == SHARED else "own"
        text = f"{record.topic_id}: {record.text}" if record.topic_id else record.text
        shown.add_row(*score, record.id, scope, record.tier, str(record.version), day(record.touched_at), words(text))
    return shown
