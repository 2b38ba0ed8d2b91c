"""`patrol facts`: facts about the user."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import ValidationError
from rich.table import Table
from rich.text import Text
from typer import Argument, FileBinaryRead, Option, Typer

from cli.console.failures import Failure
from cli.console.ledger import find_being, only, opened
from cli.console.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.console.output import count, day, likeness, remark, say, say_json, say_list, say_page, short, table, words
from cli.intake.intake import read_lines
from memory.facts import editing, retrieval, seeding
from schemas.accounts.accounts import Being
from schemas.facts.requests import FactChanges, Seed
from schemas.facts.rows import Fact
from schemas.limits import BATCH_ITEMS, FACT_CANDIDATES, FACTS_RETRIEVED, PAGE_NODES
from schemas.text.validation_messages import validation_messages
from store.facts import facts as ledger
from workers.runtime.resources import Resources

facts = Typer(help="Facts about the user.", no_args_is_help=True)

FactArgument = Annotated[str, Argument(metavar="FACT", help="The fact: its id, or the end of it.")]


@facts.command("list")
def list_facts(
    being: BeingOption = None,
    owner: OwnerOption = None,
    archived: Annotated[bool, Option("--archived", help="List archived facts instead.")] = False,
    entity: Annotated[
        str | None, Option(help="Only facts that name this entity, as person:john.", show_default=False)
    ] = None,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List the facts that a Being knows, newest first."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        page = editing.page(
            on.store,
            target,
            type=None,
            status="ARCHIVED" if archived else "ACTIVE",
            entity=entity,
            cursor=cursor,
            limit=limit,
        )
    say_page(page, _table(page.facts), as_json=as_json)


@facts.command("retrieve")
def retrieve(
    query: Annotated[str, Argument(metavar="QUERY", help="A sentence or a few words.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: Annotated[
        int, Option("--limit", "-n", min=1, max=FACT_CANDIDATES, help="The most facts to show.")
    ] = FACTS_RETRIEVED,
    *,
    as_json: JsonOption = False,
) -> None:
    """Find the facts that are relevant to a query, with the parts of each score."""
    wanted = retrieval.FactQuery(query, limit, explain=True)
    with opened() as on:
        found = retrieval.retrieve(on.store, on.embedders, on.settings, find_being(on.store, being, owner), wanted)
    if as_json:
        return say_json(found)
    if found.degraded:
        remark("The query could not be embedded, or no fact has a vector yet: these facts were found by words.")
    for card in found.cards:
        say(Text(words(card.text), style="cyan"))
    shown = table(">score", ">similarity", ">recency", ">frequency", "fact", "*content")
    for fact, why in zip(found.facts, found.explanation or [], strict=True):
        shown.add_row(
            *(likeness(part) for part in (why.score, why.similarity, why.recency, why.frequency)),
            short(fact.fact_id),
            words(fact.content),
        )
    return say(shown)


@facts.command("seed")
def seed(
    file: Annotated[FileBinaryRead, Argument(metavar="FILE|-", help="One JSON object a line; - reads from stdin.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Add facts about the user from a file, one JSON object a line.

    For example {"type": "PROFILE", "content": "Lives in Austin.", "entity_refs": ["thing:home"]}. A line that was added
    before changes nothing. If any line is invalid, no fact is added.
    """
    seeds = [_seed(line.number, line.item) for line in read_lines(file)]
    if not 0 < len(seeds) <= BATCH_ITEMS:
        raise Failure(f"The file has {count(len(seeds), 'line')}. It may have 1 to {BATCH_ITEMS}.")
    with opened() as on:
        seeded = seeding.seed(on.store, on.settings, find_being(on.store, being, owner), seeds)
    if as_json:
        return say_json(seeded)
    return say(
        f"{count(seeded.facts, 'fact')}, {seeded.told_again} added to known facts, {count(seeded.todos, 'todo')}, "
        f"{seeded.repeated} repeated"
    )


@facts.command("show")
def show(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Show a fact with its statements, the quotations that support them, and its history."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        detail = editing.detail(on.store, target, _find(on, target, fact))
    if as_json:
        return say_json(detail)
    say(Text(words(detail.fact.content), style="bold"), _table([detail.fact]))
    shown = table("date", "*statement", "*quotation", "current")
    for one in detail.statements:
        spans = " … ".join(words(evidence.span) for evidence in one.evidence)
        shown.add_row(day(one.created_at), words(one.content), spans, "no" if one.replaced_by else "yes")
    say(shown)
    return say(*(f"{day(event.happened_at)} {event.event}" for event in detail.history))


@facts.command("correct")
def correct(
    fact: FactArgument,
    content: Annotated[str | None, Option(help="The corrected content.", show_default=False)] = None,
    importance: Annotated[int | None, Option(min=0, max=3, help="Its importance.", show_default=False)] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Correct a fact's content or importance; earlier statements stay in its history."""
    _change(fact, {"content": content, "importance": importance}, being, owner, "Corrected", as_json=as_json)


@facts.command("pin")
def pin(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Pin a fact: it is in every context, and the curator never archives it."""
    _change(fact, {"pinned": True}, being, owner, "Pinned", as_json=as_json)


@facts.command("unpin")
def unpin(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Unpin a fact."""
    _change(fact, {"pinned": False}, being, owner, "Unpinned", as_json=as_json)


@facts.command("archive")
def archive(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Hide a fact; `patrol facts restore` brings it back."""
    _change(fact, {"status": "ARCHIVED"}, being, owner, "Archived", as_json=as_json)


@facts.command("restore")
def restore(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Bring an archived fact back."""
    _change(fact, {"status": "ACTIVE"}, being, owner, "Restored", as_json=as_json)


@facts.command("unfold")
def unfold(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Undo a fold of the curator: the facts that it folded are active again."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        active = editing.unfold(on.store, target, _find(on, target, fact))
    if as_json:
        return say_list("facts", active)
    return say(_table(active))


@facts.command("erase")
def erase(fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Erase a fact with all its statements, for good."""
    with opened() as on:
        target = find_being(on.store, being, owner)
        editing.erase(on.store, target, _find(on, target, fact))
    say("Erased.")


def _change(
    fact: str, changes: dict[str, Any], being: str | None, owner: str | None, done: str, *, as_json: bool
) -> None:
    wanted = {name: value for name, value in changes.items() if value is not None}
    try:
        accepted = FactChanges.model_validate(wanted)
    except ValidationError as fault:
        raise Failure("; ".join(validation_messages(fault))) from None
    with opened() as on:
        target = find_being(on.store, being, owner)
        changed = editing.change(on.store, target, _find(on, target, fact), accepted)
    if as_json:
        say_json(changed)
    else:
        say(Text.assemble((f"{done}: ", "bold"), words(changed.content)))


def _seed(number: int, item: Any) -> Seed:
    if isinstance(item, Exception):
        raise Failure(f"Line {number}: {item}. No fact was added.")
    try:
        return Seed.model_validate(item)
    except ValidationError as fault:
        raise Failure(f"Line {number}: {'; '.join(validation_messages(fault))}. No fact was added.") from None


def _find(on: Resources, being: Being, name: str) -> UUID:
    with on.store.transaction() as tx:
        found = ledger.named(tx, being.user_id, being.being_id, name)
    return only(name, found, "fact", "patrol facts list")


def _table(shown: Sequence[Fact]) -> Table:
    made = table("fact", "type", ">importance", ">mentions", "last mention", "*about", "*content")
    for fact in shown:
        made.add_row(
            short(fact.fact_id),
            fact.type,
            Text(f"{fact.importance}{' pinned' if fact.pinned else ''}", style="cyan" if fact.pinned else ""),
            str(fact.mentions),
            day(fact.last_told_at),
            words(fact.entity_label),
            words(fact.content),
        )
    return made
