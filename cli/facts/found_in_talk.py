"""`patrol entities`, `due` and `judgements`: people and things in talk, due items, and the results of judging."""

from collections.abc import Iterable, Iterator
from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import count, likeness, listing, short, table, words
from operations.facts import due as of_due
from operations.facts import entities as of_entities
from operations.talk import judgements as of_judgements
from schemas.facts.due import DueItem, DueNotices, DuePage
from schemas.facts.fact_answers import EntityPage, Proposals
from schemas.facts.fact_rows import EntityMerge
from schemas.llm.drops import Judgements

RELATION = {"merged": "is", "proposed": "may be"}


def _entities(page: EntityPage) -> list[Any]:
    rows = ((one.facts, one.entity_ref, one.label, ", ".join(one.aliases)) for one in page.entities)
    return [table(">facts", "*entity", "*name", "*also", rows=rows)]


def _merges(page: Proposals) -> list[Any]:
    rows = (
        (short(one.merge_id), one.state, likeness(one.similarity), one.kept_ref, one.merged_ref)
        for one in page.proposals
    )
    return [table("merge", "state", ">similarity", "*entity", "*merged with it", rows=rows)]


def _decided(merge: EntityMerge) -> list[str]:
    return [f"{words(merge.merged_ref)} {RELATION.get(merge.state, 'is not')} {words(merge.kept_ref)}."]


entities = Group(
    of_entities,
    "The entities that facts name.",
    finders={"merge_id": by_ending("merge", "patrol entities merges")},
    views={EntityPage: _entities, Proposals: _merges, EntityMerge: _decided},
).commands


def _due(items: Iterable[DueItem]) -> list[Any]:
    rows = []
    for one in items:
        secret = "yes" if one.in_confidence else ""
        rows.append((short(one.item_id), one.kind, f"{one.due_at:%Y-%m-%d %H:%M %Z}", secret, one.content))
    return [table("item", "kind", "due", "in confidence", "*content", rows=rows)]


due = Group(
    of_due,
    "Due todos, promises and reminders.",
    views={DuePage: lambda page: _due(page.due), DueNotices: lambda found: _due(found.notices)},
).commands


def _judgements(found: Judgements) -> Iterator[Any]:
    judged = found.judged
    found_in = f"{count(judged.facts, 'fact')} and {count(judged.todos, 'todo')}"
    yield f"{count(judged.messages, 'message')} judged: {found_in}."
    rows = ((each.purpose, each.items, each.last_at, each.reason) for each in found.dropped)
    yield listing("Nothing was dropped of models' answers.", "purpose", ">items dropped", "last", "*reason", rows=rows)


judgements = Group(of_judgements, "Counts of the items in models' answers.", views={Judgements: _judgements})[
    "judgements"
]
