"""`patrol vault`: durable statements, of one Being or shared by all of its user's."""

from collections.abc import Sequence
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel
from rich.table import Table
from typer import Argument, Option, Typer

from cli import vault_exchange
from cli.ledger import find_being, opened
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import count, day, remark, say, say_json, table, words
from cli.typed import read
from memory import vault as vault_writing
from memory import vault_reading
from schemas.limits import CANDIDATE_SIMILARITY, VAULT_ITEMS
from schemas.vault import SHARED, NewRecord, RecordChanges, Tier, TopicText, VaultQuestion, VaultRecord

M = TypeVar("M", bound=BaseModel)

vault = Typer(help="What a Being must know: durable statements, gated and versioned.", no_args_is_help=True)
vault_exchange.add_to(vault)

TextArgument = Annotated[str, Argument(metavar="TEXT", help="What is to be kept, at most 1200 characters.")]
IdArgument = Annotated[str, Argument(metavar="ID", help="The record's id.")]
ScopeOption = Annotated[
    str | None,
    Option("--scope", help="`shared`, for all of the user's Beings, or the Being's slug.", show_default=False),
]
CategoryOption = Annotated[
    str | None, Option("--category", "-c", help="Bio, mission, project, goal and the like.", show_default=False)
]
TagOption = Annotated[
    list[str] | None, Option("--tag", help="To find it by; each in an option of its own.", show_default=False)
]
SourceOption = Annotated[
    str | None,
    Option("--source", metavar="chat|manual|tool|operator|promotion", help="Where it comes from.", show_default=False),
]


@vault.command("add")
def add(
    text: TextArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    category: CategoryOption = None,
    tier: Annotated[
        str, Option(metavar="canon|register", help="Canon hardly ever changes; a register is written again.")
    ] = "canon",
    topic: Annotated[str | None, Option(help="What a register is about.", show_default=False)] = None,
    tag: TagOption = None,
    source: SourceOption = "operator",
    *,
    as_json: JsonOption = False,
) -> None:
    """Add a record, or write to the register of its topic. Eight gates may stop it, and say why."""
    new = _said(
        NewRecord, text=text, scope=scope, category=category, tier=tier, topic_id=topic, tags=tag, source=source
    )
    with opened() as on:
        whose = find_being(on.store, being, owner)
        _show(vault_writing.add_memory(on.store, on.settings, whose, new), as_json=as_json)


@vault.command("topic")
def topic(
    topic_id: Annotated[str, Argument(metavar="TOPIC", help="What the register is about.")],
    text: TextArgument,
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    category: CategoryOption = None,
    tag: TagOption = None,
    source: SourceOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Write to the register of a topic, or make it."""
    said = _said(TopicText, text=text, scope=scope, category=category, tags=tag, source=source)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        _show(vault_writing.update_by_topic(on.store, on.settings, whose, topic_id, said), as_json=as_json)


@vault.command("update")
def update(
    record: IdArgument,
    text: Annotated[str | None, Option(help="What it says from now on.", show_default=False)] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    category: CategoryOption = None,
    tag: TagOption = None,
    source: SourceOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Change what a record says."""
    changes = _said(RecordChanges, text=text, category=category, tags=tag, source=source)
    with opened() as on:
        whose = find_being(on.store, being, owner)
        _show(vault_writing.update_memory(on.store, on.settings, whose, record, changes), as_json=as_json)


@vault.command("promote")
def promote(
    record: IdArgument,
    text: Annotated[str | None, Option(help="What it says as canon.", show_default="as it did")] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Make a register canon."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        _show(vault_writing.promote_to_canon(on.store, on.settings, whose, record, text), as_json=as_json)


@vault.command("delete")
def delete(
    records: Annotated[list[str], Argument(metavar="ID …", help="The records' ids.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Delete records; each ends in a tombstone."""
    with opened() as on:
        deleted = vault_writing.bulk_delete(on.store, on.settings, find_being(on.store, being, owner), records)
    if as_json:
        return say_json(deleted)
    say(f"{count(len(deleted.deleted), 'record')} deleted.")
    for record_id in deleted.missing:
        remark(f"No record {words(record_id)} lives here.")
    return None


@vault.command("list")
def list_records(
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    tier: Annotated[Tier | None, Option(help="Only this tier.", show_default=False)] = None,
    category: CategoryOption = None,
    tag: Annotated[str | None, Option("--tag", help="Only what has this tag.", show_default=False)] = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List what lives in the vault: canon, then registers."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        found = vault_reading.listed(on.store, whose, scope=scope, tier=tier, category=category, tag=tag)
    if as_json:
        say_json(found)
    elif found:
        say(_table(found))
    else:
        remark("There is nothing. Add something: patrol vault add TEXT")


@vault.command("show")
def show(record: IdArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Show every version of a record that is kept, as JSON."""
    with opened() as on:
        say_json(vault_reading.versions(on.store, find_being(on.store, being, owner), record))


@vault.command("search")
def search(
    query: Annotated[str, Argument(metavar="QUERY", help="What to look for.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    limit: Annotated[int, Option("--limit", "-n", min=1, max=100, help="How many at most.")] = VAULT_ITEMS,
    *,
    as_json: JsonOption = False,
) -> None:
    """Search the vault by words, the best answer first."""
    question = _said(VaultQuestion, query=query, scopes=[scope] if scope else None, limit=limit)
    with opened() as on:
        found = vault_reading.search(on.store, find_being(on.store, being, owner), question)
    if as_json:
        say_json(found)
    elif found:
        say(_table([hit.record for hit in found], [hit.score for hit in found]))
    else:
        remark("Nothing speaks of that.")


@vault.command("candidates")
def candidates(
    being: BeingOption = None,
    owner: OwnerOption = None,
    scope: ScopeOption = None,
    floor: Annotated[float, Option(min=0.01, max=1.0, help="How alike at least.")] = CANDIDATE_SIMILARITY,
    *,
    as_json: JsonOption = False,
) -> None:
    """List pairs of records that may say the same, the most alike first."""
    with opened() as on:
        found = vault_reading.find_consolidation_candidates(on.store, find_being(on.store, being, owner), scope, floor)
    if as_json:
        return say_json(found)
    shown = table(">alike", "first", "*says", "second", "*says")
    for pair in found:
        first, second = pair.first, pair.second
        shown.add_row(f"{pair.similarity:.2f}", first.id, words(first.text), second.id, words(second.text))
    say(shown if found else "No two records are much alike.")
    return None


@vault.command("proposals")
def proposals(
    being: BeingOption = None, owner: OwnerOption = None, scope: ScopeOption = None, *, as_json: JsonOption = False
) -> None:
    """List records that might go, each with the reasons. Nothing is deleted."""
    with opened() as on:
        found = vault_reading.propose_deletions(on.store, find_being(on.store, being, owner), scope)
    if as_json:
        return say_json(found)
    shown = table("record", "*says", "*because it")
    for proposal in found:
        shown.add_row(proposal.record.id, words(proposal.record.text), words("; ".join(proposal.reasons)))
    say(shown if found else "Everything has its place.")
    return None


@vault.command("stats")
def stats(being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False) -> None:
    """Show how full the vault is, and how much a compaction would remove."""
    with opened() as on:
        found = vault_reading.vault_stats(on.store, on.settings, find_being(on.store, being, owner))
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


def _said(model: type[M], **said: Any) -> M:
    """What was said, as the doors read it; what was left out is left out."""
    return read(model, {name: value for name, value in said.items() if value not in (None, [])})


def _show(record: VaultRecord, *, as_json: bool) -> None:
    if as_json:
        say_json(record)
    else:
        say(_table([record]))


def _table(records: Sequence[VaultRecord], scores: Sequence[float] = ()) -> Table:
    """Records, one a line."""
    shown = table(*((">score",) if scores else ()), "record", "scope", "tier", ">version", "since", "*says")
    for place, record in enumerate(records):
        score = (f"{scores[place]:.2f}",) if scores else ()
        scope = SHARED if record.scope == SHARED else "own"
        says = f"{record.topic_id}: {record.text}" if record.topic_id else record.text
        shown.add_row(*score, record.id, scope, record.tier, str(record.version), day(record.touched_at), words(says))
    return shown
