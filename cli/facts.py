"""`patrol facts`: what is known of the user."""

from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import ValidationError
from rich.table import Table
from rich.text import Text
from typer import Argument, FileBinaryRead, Option, Typer

from cli.failures import Failure
from cli.intake import read_lines
from cli.ledger import find_being, only, opened, ring
from cli.options import BeingOption, CursorOption, JsonOption, LimitOption, OwnerOption
from cli.output import count, day, likeness, remark, say, say_json, say_page, short, table, words
from memory import fact_retrieval, seeding
from memory import facts as tending
from schemas.complaints import complaints
from schemas.fact_requests import FactChanges, Seed
from schemas.facts import Fact
from schemas.limits import BATCH_ITEMS, FACT_CANDIDATES, FACTS_RETRIEVED, PAGE_NODES
from schemas.rows import Being
from store import facts as ledger
from workers.resources import Resources

facts = Typer(help="What is known of the user.", no_args_is_help=True)

FactArgument = Annotated[str, Argument(metavar="FACT", help="The fact: its id, or the end of it.")]


@facts.command("list")
def list_facts(
    being: BeingOption = None,
    owner: OwnerOption = None,
    archived: Annotated[bool, Option("--archived", help="Show what was put away instead.")] = False,
    entity: Annotated[
        str | None, Option(help="Only what names this entity, as person:john.", show_default=False)
    ] = None,
    limit: LimitOption = PAGE_NODES,
    cursor: CursorOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """List what a Being knows, newest first."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        page = tending.page(
            on.store,
            whose,
            type=None,
            status="ARCHIVED" if archived else "ACTIVE",
            entity=entity,
            cursor=cursor,
            limit=limit,
        )
    say_page(page, _table(page.facts), as_json=as_json)


@facts.command("retrieve")
def retrieve(
    query: Annotated[str, Argument(metavar="QUERY", help="What they are wanted for.")],
    being: BeingOption = None,
    owner: OwnerOption = None,
    limit: Annotated[
        int, Option("--limit", "-n", min=1, max=FACT_CANDIDATES, help="How many at most.")
    ] = FACTS_RETRIEVED,
    *,
    as_json: JsonOption = False,
) -> None:
    """Find the facts that matter for a query, and say what each scored."""
    asked = fact_retrieval.Asked(query, limit, explain=True)
    with opened() as on:
        found = fact_retrieval.retrieve(on.store, on.embedders, on.settings, find_being(on.store, being, owner), asked)
    if as_json:
        return say_json(found)
    if found.degraded:
        remark("Nothing is embedded, or nobody can embed: these were found by words.")
    for card in found.cards:
        say(Text(words(card.text), style="cyan"))
    shown = table(">score", ">alike", ">recent", ">frequent", "fact", "*says")
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
    """Introduce the user: hand in facts, one JSON object a line.

    Such as {"type": "PROFILE", "content": "Lives in Austin.", "entity_refs": ["thing:home"]}. The same line again
    changes nothing. Nothing is taken unless every line is right.
    """
    seeds = [_seed(line.number, line.item) for line in read_lines(file)]
    if not 0 < len(seeds) <= BATCH_ITEMS:
        raise Failure(f"The file holds {count(len(seeds), 'line')}: send 1 to {BATCH_ITEMS}.")
    with opened() as on:
        seeded, rings = seeding.seed(on.store, find_being(on.store, being, owner), seeds)
        ring(rings)
    if as_json:
        return say_json(seeded)
    return say(
        f"{count(seeded.facts, 'fact')}, {seeded.told_again} told again, {count(seeded.todos, 'todo')}, "
        f"{seeded.repeated} known already"
    )


@facts.command("show")
def show(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Show what a fact says and said, on whose words, and what happened to it."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        story = tending.story(on.store, whose, _find(on, whose, fact))
    if as_json:
        return say_json(story)
    say(Text(words(story.fact.content), style="bold"), _table([story.fact]))
    shown = table("said", "*statement", "*in the words", "stands")
    for one in story.statements:
        spans = " … ".join(words(evidence.span) for evidence in one.evidence)
        shown.add_row(day(one.created_at), words(one.content), spans, "no" if one.replaced_by else "yes")
    say(shown)
    return say(*(f"{day(event.happened_at)} {event.event}" for event in story.history))


@facts.command("correct")
def correct(
    fact: FactArgument,
    content: Annotated[str | None, Option(help="What it says instead.", show_default=False)] = None,
    importance: Annotated[int | None, Option(min=0, max=3, help="What it weighs.", show_default=False)] = None,
    being: BeingOption = None,
    owner: OwnerOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Replace what a fact says or weighs; what it said stays in its history."""
    _change(fact, {"content": content, "importance": importance}, being, owner, "Corrected", as_json=as_json)


@facts.command("pin")
def pin(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Always show a fact, and never archive it."""
    _change(fact, {"pinned": True}, being, owner, "Pinned", as_json=as_json)


@facts.command("unpin")
def unpin(
    fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None, *, as_json: JsonOption = False
) -> None:
    """Let a pinned fact be one among others."""
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


@facts.command("erase")
def erase(fact: FactArgument, being: BeingOption = None, owner: OwnerOption = None) -> None:
    """Erase a fact with all that it said; it does not come back."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        tending.erase(on.store, whose, _find(on, whose, fact))
    say("Erased.")


def _change(
    fact: str, changes: dict[str, Any], being: str | None, owner: str | None, done: str, *, as_json: bool
) -> None:
    wanted = {name: value for name, value in changes.items() if value is not None}
    try:
        asked = FactChanges.model_validate(wanted)
    except ValidationError as fault:
        raise Failure("; ".join(complaints(fault))) from None
    with opened() as on:
        whose = find_being(on.store, being, owner)
        changed, rings = tending.change(on.store, whose, _find(on, whose, fact), asked)
        ring(rings)
    if as_json:
        say_json(changed)
    else:
        say(Text.assemble((f"{done}: ", "bold"), words(changed.content)))


def _seed(number: int, item: Any) -> Seed:
    if isinstance(item, Exception):
        raise Failure(f"Line {number}: {item}. Nothing was taken.")
    try:
        return Seed.model_validate(item)
    except ValidationError as fault:
        raise Failure(f"Line {number}: {'; '.join(complaints(fault))}. Nothing was taken.") from None


def _find(on: Resources, being: Being, name: str) -> UUID:
    with on.store.transaction() as tx:
        found = ledger.named(tx, being.user_id, being.being_id, name)
    return only(name, found, "fact", "patrol facts list")


def _table(shown: Sequence[Fact]) -> Table:
    made = table("fact", "type", ">weighs", ">told", "last told", "*about", "*says")
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
