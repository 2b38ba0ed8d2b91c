"""`patrol vault`: durable statements of one Being, or shared by all Beings of its user."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel
from rich.table import Table
from typer import Argument, Option, Typer, confirm

from cli.console.ledger import find_being, opened
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, day, remark, say, say_json, say_list, table, words
from cli.console.typed import read
from cli.vault import exchange
from memory.vault import reading
from memory.vault import records as vault_writing
from schemas.limits import CANDIDATE_SIMILARITY, VAULT_ITEMS
from schemas.vault.records import SHARED, Tier, VaultRecord
from schemas.vault.requests import NewRecord, RecordChanges, TopicText, VaultSearch

M = TypeVar("M", bound=BaseModel)

vault = Typer(help="Durable statements, gated and versioned, that every prompt shows.", no_args_is_help=True)
exchange.add_to(vault)

TextArgument = Annotated[str, Argument(metavar="TEXT", help="The statement, at most 1200 characters.")]
IdArgument = Annotated[str, Argument(metavar="ID", help="The record's id.")]
ScopeOption = Annotated[
    str | None,
    Option("--scope", help="`shared`, for all Beings of the user, or the Being's slug.", show_default=False),
]
CategoryOption = Annotated[
    str | None, Option("--category", "-c", help="Bio, mission, project, goal or another kind.", show_default=False)
]
TagOption = Annotated[
    list[str] | None, Option("--tag", help="A tag to filter by; repeat the option for several.", show_default=False)
]
ForceOption = Annotated[bool, Option("--force", help="Add it though the vault holds a near-duplicate.")]
SourceOption = Annotated[
    str | None,
    Option("--source", metavar="chat|manual|tool|operator|promotion", help="The origin.", show_default=False),
]


@vault.command("add")
def add(
    text: TextArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    category: CategoryOption = None,
    tier: Annotated[
        str, Option(metavar="canon|register", help="Canon is durable; a register holds the current state of a topic.")
    ] = "canon",
    topic: Annotated[str | None, Option(help="The topic of a register.", show_default=False)] = None,
    tag: TagOption = None,
    source: SourceOption = "operator",
    force: ForceOption = False,
    *,
    as_json: JsonOption = False,
) -> None:
    """Add a record, or a new version of its topic's register. Eight gates check it."""
    new = _given(
        NewRecord,
        text=text,
        scope=scope,
        category=category,
        tier=tier,
        topic_id=topic,
        tags=tag,
        source=source,
        force=force,
    )
    with opened() as on:
        target = find_being(on.store, being, owner)
        _show(vault_writing.add_memory(on.store, on.settings, target, new), as_json=as_json)


@vault.command("topic")
def topic(
    topic_id: Annotated[str, Argument(metavar="TOPIC", help="The topic of the register.")],
    text: TextArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    category: CategoryOption = None,
    tag: TagOption = None,
    source: SourceOption = None,
    force: ForceOption = False,
    *,
    as_json: JsonOption = False,
) -> None:
    """Write a new version of a topic's register, or create it."""
    new_text = _given(TopicText, text=text, scope=scope, category=category, tags=tag, source=source, force=force)
    with opened() as on:
        target = find_being(on.store, being, owner)
        _show(vault_writing.update_by_topic(on.store, on.settings, target, topic_id, new_text), as_json=as_json)


@vault.command("update")
def update(
    record: IdArgument,
    text: Annotated[str | None, Option(help="The new text.", show_default=False)] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    category: CategoryOption = None,
    tag: TagOption = None,
    source: SourceOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Change a record; gates 1 to 5 check the change."""
    changes = _given(RecordChanges, text=text, category=category, tags=tag, source=source)
    with opened() as on:
        target = find_being(on.store, being, owner)
        _show(vault_writing.update_memory(on.store, on.settings, target, record, changes), as_json=as_json)


@vault.command("promote")
def promote(
    record: IdArgument,
    text: Annotated[str | None, Option(help="The text as canon.", show_default="unchanged")] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Make a register canon."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        _show(vault_writing.promote_to_canon(on.store, on.settings, target, record, text), as_json=as_json)


@vault.command("delete")
def delete(
    records: Annotated[list[str], Argument(metavar="ID …", help="The records' ids.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Delete records; each ends in a tombstone without text. Earlier versions stay until `patrol vault compact`."""
    with opened() as on:
        deleted = vault_writing.bulk_delete(on.store, on.settings, find_being(on.store, being, owner), records)
    if as_json:
        return say_json(deleted)
    say(f"{count(len(deleted.deleted), 'record')} deleted.")
    for record_id in deleted.missing:
        remark(f"This vault has no live record {words(record_id)}.")
    return None


@vault.command("erase")
def erase(
    records: Annotated[list[str], Argument(metavar="ID …", help="The records' ids.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    yes: Annotated[bool, Option("--yes", "-y", help="Erase without confirmation.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Permanently erase records with all their versions; no import restores them."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        if not yes:
            confirm(
                f"Permanently erase {count(len(records), 'record')} of {target.slug}'s vault?", abort=True, err=True
            )
        erased = vault_writing.erase_memory(on.store, on.settings, target, records)
    if as_json:
        return say_json(erased)
    return say(f"Erased: {count(erased.records, 'version')}.")


@vault.command("list")
def list_records(
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    tier: Annotated[Tier | None, Option(help="Only this tier.", show_default=False)] = None,
    category: CategoryOption = None,
    tag: Annotated[str | None, Option("--tag", help="Only records with this tag.", show_default=False)] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the live records: canon, then registers."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        found = reading.listed(on.store, target, scope=scope, tier=tier, category=category, tag=tag)
    if as_json:
        say_list("records", found)
    elif found:
        say(_table(found))
    else:
        remark("No record matches. Add one: patrol vault add TEXT")


@vault.command("show")
def show(record: IdArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Show the stored versions of a record as JSON."""
    with opened() as on:
        say_list("records", reading.versions(on.store, find_being(on.store, being, owner), record))


@vault.command("search")
def search(
    query: Annotated[str, Argument(metavar="QUERY", help="Words to search for.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    limit: Annotated[int, Option("--limit", "-n", min=1, max=100, help="The most results.")] = VAULT_ITEMS,
    *,
    as_json: JsonOption = False,
) -> None:
    """Search the vault by words, the highest score first."""
    request = _given(VaultSearch, query=query, scopes=[scope] if scope else None, limit=limit)
    with opened() as on:
        found = reading.search(on.store, find_being(on.store, being, owner), request)
    if as_json:
        say_list("hits", found)
    elif found:
        say(_table([hit.record for hit in found], [hit.score for hit in found]))
    else:
        remark("No record shares a word with the query.")


@vault.command("candidates")
def candidates(
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    floor: Annotated[float, Option(min=0.01, max=1.0, help="The least similarity.")] = CANDIDATE_SIMILARITY,
    *,
    as_json: JsonOption = False,
) -> None:
    """List pairs of similar records, the most similar first."""
    with opened() as on:
        found = reading.find_consolidation_candidates(on.store, find_being(on.store, being, owner), scope, floor)
    if as_json:
        return say_list("candidates", found)
    shown = table(">similarity", "first", "*text", "second", "*text")
    for pair in found:
        first, second = pair.first, pair.second
        shown.add_row(f"{pair.similarity:.2f}", first.id, words(first.text), second.id, words(second.text))
    say(shown if found else "No two records are similar.")
    return None


@vault.command("proposals")
def proposals(
    being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None, *, as_json: JsonOption = False
) -> None:
    """List records proposed for deletion, each with its reasons. Nothing is deleted."""
    with opened() as on:
        found = reading.propose_deletions(on.store, on.settings, find_being(on.store, being, owner), scope)
    if as_json:
        return say_list("proposals", found)
    shown = table("record", "*text", "*because it")
    for proposal in found:
        shown.add_row(proposal.record.id, words(proposal.record.text), words("; ".join(proposal.reasons)))
    say(shown if found else "No record is proposed for deletion.")
    return None


@vault.command("stats")
def stats(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show how full the vault is, and how much a compaction would remove."""
    with opened() as on:
        found = reading.vault_stats(on.store, on.settings, find_being(on.store, being, owner))
    if as_json:
        return say_json(found)
    shown = table("", "*")
    for name, value in found.model_dump().items():
        parts = (
            ", ".join(f"{words(key)} {number}" for key, number in value.items()) if isinstance(value, dict) else value
        )
        shown.add_row(name.replace("_", " "), str(parts))
    say(shown)
    return None


def _given(model: type[M], **options: Any) -> M:
    """A request made of the given options; omitted ones keep the model's defaults."""
    return read(model, {name: value for name, value in options.items() if value not in (None, [])})


def _show(record: VaultRecord, *, as_json: bool) -> None:
    if as_json:
        say_json(record)
    else:
        say(_table([record]))


def _table(records: Sequence[VaultRecord], scores: Sequence[float] = ()) -> Table:
    shown = table(*((">score",) if scores else ()), "record", "scope", "tier", ">version", "since", "*text")
    for place, record in enumerate(records):
        score = (f"{scores[place]:.2f}",) if scores else ()
        scope = SHARED if record.scope == SHARED else "own"
        text = f"{record.topic_id}: {record.text}" if record.topic_id else record.text
        shown.add_row(*score, record.id, scope, record.tier, str(record.version), day(record.touched_at), words(text))
    return shown
