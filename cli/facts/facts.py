"""`patrol facts`: facts about the user."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import ValidationError
from rich.table import Table
from rich.text import Text
from typer import Argument, FileBinaryRead

from cli.console.declared import Group, by_ending
from cli.console.failures import Failure
from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import count, day, likeness, remark, say_answer, short, table, words
from cli.intake.intake import read_lines
from operations.facts import facts as operations
from schemas.facts.fact_answers import FactDetail, FactPage, RetrievedFacts
from schemas.facts.fact_requests import Seed
from schemas.facts.fact_rows import Fact
from schemas.limits import BATCH_ITEMS
from schemas.text.validation_messages import validation_messages


def _retrieved(found: RetrievedFacts) -> Iterator[Any]:
    if found.degraded:
        remark("The query could not be embedded, or no fact has a vector yet: these facts were found by words.")
    for card in found.cards:
        yield Text(words(card.text), style="cyan")
    rows = (
        (*map(likeness, (why.score, why.similarity, why.recency, why.frequency)), short(fact.fact_id), fact.content)
        for fact, why in zip(found.facts, found.explanation or [], strict=True)
    )
    yield table(">score", ">similarity", ">recency", ">frequency", "fact", "*content", rows=rows)


def _detail(detail: FactDetail) -> Iterator[Any]:
    yield Text(words(detail.fact.content), style="bold")
    yield _table([detail.fact])
    rows = []
    for one in detail.statements:
        spans = " … ".join(evidence.span for evidence in one.evidence)
        rows.append((one.created_at, one.content, spans, "no" if one.replaced_by else "yes"))
    yield table("date", "*statement", "*quotation", "current", rows=rows)
    for event in detail.history:
        yield f"{day(event.happened_at)} {event.event}"


facts = Group(
    operations,
    "Facts about the user.",
    finders={"fact_id": by_ending("fact", "patrol facts list")},
    views={
        FactPage: lambda page: [_table(page.facts)],
        Fact: lambda fact: words(fact.content),
        RetrievedFacts: _retrieved,
        FactDetail: _detail,
    },
).commands


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
    with open_ledger() as on:
        seeded = operations.add_facts.perform(on, being=find_being(on, being, owner), seeds=seeds)
    new = f"{count(seeded.facts, 'fact')}, {seeded.told_again} added to known facts, {count(seeded.todos, 'todo')}"
    say_answer(seeded, f"{new}, {seeded.repeated} repeated", as_json=as_json)


def _seed(number: int, item: Any) -> Seed:
    if isinstance(item, Exception):
        raise Failure(f"Line {number}: {item}. No fact was added.")
    try:
        return Seed.model_validate(item)
    except ValidationError as fault:
        raise Failure(f"Line {number}: {'; '.join(validation_messages(fault))}. No fact was added.") from None


def _table(shown: Sequence[Fact]) -> Table:
    rows = []
    for fact in shown:
        weight = Text(f"{fact.importance}{' pinned' if fact.pinned else ''}", style="cyan" if fact.pinned else "")
        columns = fact.mentions, fact.last_told_at, fact.entity_label, fact.content
        rows.append((short(fact.fact_id), fact.type, weight, *columns))
    return table("fact", "type", ">importance", ">mentions", "last mention", "*about", "*content", rows=rows)
