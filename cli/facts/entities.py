"""`patrol entities`: the entities that facts name, and merges of them."""

from typing import Any

from cli.console.declared import Group, by_ending
from cli.console.output import likeness, short, table, words
from operations.facts import entities as operations
from schemas.facts.fact_answers import EntityPage, Proposals
from schemas.facts.fact_rows import EntityMerge

RELATION = {"merged": "is", "proposed": "may be"}


def _page(page: EntityPage) -> list[Any]:
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
    operations,
    "The entities that facts name.",
    finders={"merge_id": by_ending("merge", "patrol entities merges")},
    views={EntityPage: _page, Proposals: _merges, EntityMerge: _decided},
).commands
