"""Facts: found, listed, handed in, corrected, pinned, archived, erased; and the entities that they are about."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query

from api.auth import ManagedBeing, ReadBeing
from api.bodies import JsonRoute
from api.openapi import problems
from api.pages import Cursor, Limit
from api.resources import On, ring
from memory import entities, fact_retrieval, facts, seeding
from schemas.fact_answers import FactPage, FactStory, Proposals, Retrieved, Seeded
from schemas.fact_requests import FactChanges, FactQuestion, Seed
from schemas.facts import Entity, EntityMerge, Fact, FactStatus, FactType, MergeState
from schemas.limits import PAGE_NODES

router = APIRouter(prefix="/v1/beings/{being}", tags=["Facts"], route_class=JsonRoute)

EntityRef = Annotated[
    str, Query(pattern=r"^[a-z]+:[^\x00]+$", description="Only what names this entity, as `person:john`.")
]
MOST_SEEDS = 1000


@router.post("/facts/retrieve")
def retrieve_facts(on: On, being: ReadBeing, asked: FactQuestion) -> Retrieved:
    """Find the facts that matter for a query, with cards of the entities that they name, and the pinned facts.

    Scope `read`.

    The 50 most similar facts are ranked by similarity, recency and frequency. Being found changes nothing.
    """
    question = fact_retrieval.Asked(asked.query, asked.limit, asked.explain)
    return fact_retrieval.retrieve(on.store, on.embedders, on.settings, being, question)


@router.get("/facts")
def list_facts(
    on: On,
    being: ReadBeing,
    type: Annotated[FactType | None, Query(description="Only those.")] = None,  # noqa: A002  # the field's name
    status: Annotated[FactStatus, Query(description="`ACTIVE`, or those that were put away.")] = "ACTIVE",
    entity: EntityRef | None = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> FactPage:
    """List the facts that a Being knows, newest first: the user's, and what was said to it in confidence.

    Scope `read`.
    """
    return facts.page(on.store, being, type=type, status=status, entity=entity, cursor=cursor, limit=limit)


@router.post("/facts", status_code=HTTPStatus.CREATED)
def introduce_user(
    on: On,
    being: ManagedBeing,
    seeds: Annotated[list[Seed], Body(min_length=1, max_length=MOST_SEEDS)],
) -> Seeded:
    """Introduce the user: hand in up to 1,000 facts, known to all of the user's Beings unless `in_confidence`.

    Scope `manage`.

    The same item again changes nothing. What is known under the same key already takes in what is new.
    """
    seeded, rings = seeding.seed(on.store, being, seeds)
    ring(rings)
    return seeded


@router.get("/facts/{fact_id}")
def show_fact(on: On, being: ReadBeing, fact_id: UUID) -> FactStory:
    """Show a fact with what it said before, the words that it rests on, and what happened to it.

    Scope `read`.
    """
    return facts.story(on.store, being, fact_id)


@router.patch("/facts/{fact_id}", responses=problems(409))
def change_fact(on: On, being: ManagedBeing, fact_id: UUID, changes: FactChanges) -> Fact:
    """Correct a fact, weigh, pin, archive or restore it.

    Scope `manage`.

    A pinned fact weighs 3 and can't be archived.
    """
    fact, rings = facts.change(on.store, being, fact_id, changes)
    ring(rings)
    return fact


@router.delete("/facts/{fact_id}", status_code=HTTPStatus.NO_CONTENT)
def erase_fact(on: On, being: ManagedBeing, fact_id: UUID) -> None:
    """Erase a fact with all that it said. The messages that it rests on stay; if it is told again, it is new.

    Scope `manage`.
    """
    facts.erase(on.store, being, fact_id)


@router.get("/entities")
def list_entities(on: On, being: ReadBeing, limit: Limit = PAGE_NODES) -> list[Entity]:
    """List whom and what facts are about, those of most facts first, with the names that stand for them.

    Scope `read`.
    """
    return entities.listed(on.store, being, limit)


@router.get("/entities/merges")
def list_merges(
    on: On,
    being: ReadBeing,
    state: Annotated[MergeState | None, Query(description="Only those.")] = None,
    limit: Limit = PAGE_NODES,
) -> Proposals:
    """List names that may stand for one and the same: proposed, merged, declined or parted again.

    Scope `read`.
    """
    return Proposals(proposals=entities.proposals(on.store, being, state, limit))


@router.post("/entities/merges/{merge_id}/accept", responses=problems(409))
def merge_entities(on: On, being: ManagedBeing, merge_id: UUID) -> EntityMerge:
    """Merge two entities. Their facts are filed under one; nothing is reworded.

    Scope `manage`.
    """
    return entities.accept(on.store, being, merge_id)


@router.post("/entities/merges/{merge_id}/decline", responses=problems(409))
def part_entities(on: On, being: ManagedBeing, merge_id: UUID) -> EntityMerge:
    """Keep two entities apart: decline the proposal, or undo the merge.

    Scope `manage`.
    """
    return entities.decline(on.store, being, merge_id)
