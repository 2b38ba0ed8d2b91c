"""Routes of facts and of the entities that they name."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.idempotency import calls_models
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.facts import editing, entities, retrieval, seeding
from schemas.facts.answers import EntityPage, FactDetail, FactPage, Proposals, Retrieved, Seeded
from schemas.facts.requests import FactChanges, FactQuestion, ProposedMerge, Seed
from schemas.facts.rows import EntityMerge, Fact, FactStatus, FactType, MergeState
from schemas.limits import PAGE_NODES

router = APIRouter(prefix="/v1/beings/{being}", tags=["Facts"], route_class=JsonRoute)

EntityRef = Annotated[
    str, Query(pattern=r"^[a-z]+:[^\x00]+$", description="Only facts that name this entity, as `person:john`.")
]
MOST_SEEDS = 1000


@router.post("/facts/retrieve")
@calls_models
def retrieve_facts(on: On, being: ReadBeing, question: FactQuestion) -> Retrieved:
    """Find the facts that are relevant to a query, with cards of the entities that they name, and the pinned facts.

    Scope `read`.

    The 50 most similar facts are ranked by similarity, recency and frequency. Retrieval changes no fact.
    """
    query = retrieval.FactQuery(question.query, question.limit, question.explain)
    return retrieval.retrieve(on.store, on.embedders, on.settings, being, query)


@router.get("/facts")
def list_facts(
    on: On,
    being: ReadBeing,
    type: Annotated[FactType | None, Query(description="Only facts of this type.")] = None,  # noqa: A002  # the field's name
    status: Annotated[FactStatus, Query(description="Only facts of this status.")] = "ACTIVE",
    entity: EntityRef | None = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> FactPage:
    """List the facts that a Being knows, newest first: the user's, and those said to it in confidence.

    Scope `read`.
    """
    return editing.page(on.store, being, type=type, status=status, entity=entity, cursor=cursor, limit=limit)


@router.post("/facts", status_code=HTTPStatus.CREATED)
@body_limit("document")
def introduce_user(
    on: On,
    being: ManagedBeing,
    seeds: Annotated[list[Seed], Body(min_length=1, max_length=MOST_SEEDS)],
) -> Seeded:
    """Add up to 1,000 facts about the user, known to all of the user's Beings unless `in_confidence`.

    Scope `manage`.

    An item that was added before changes nothing. An item with the memory key of a known fact is added to that fact.
    """
    return seeding.seed(on.store, on.settings, being, seeds)


@router.get("/facts/{fact_id}")
def show_fact(on: On, being: ReadBeing, fact_id: UUID) -> FactDetail:
    """Show a fact with all its statements, the quotations that support them, and its history.

    Scope `read`.
    """
    return editing.detail(on.store, being, fact_id)


@router.patch("/facts/{fact_id}", responses=problems(409))
def change_fact(on: On, being: ManagedBeing, fact_id: UUID, changes: FactChanges) -> Fact:
    """Correct a fact, set its importance, pin, archive or restore it.

    Scope `manage`.

    A pinned fact has importance 3 and can't be archived.
    """
    return editing.change(on.store, being, fact_id, changes)


@router.post("/facts/{fact_id}/unfold", responses=problems(409))
def unfold_fact(on: On, being: ManagedBeing, fact_id: UUID) -> FactPage:
    """Undo a fold of the curator. The folded facts are active again, and are never folded again.

    Scope `manage`.
    """
    return FactPage(facts=editing.unfold(on.store, being, fact_id), cursor=None)


@router.delete("/facts/{fact_id}", status_code=HTTPStatus.NO_CONTENT)
def erase_fact(on: On, being: ManagedBeing, fact_id: UUID) -> None:
    """Erase a fact with all its statements. The messages that support it stay; mentioned again, it is a new fact.

    Scope `manage`.
    """
    editing.erase(on.store, being, fact_id)


@router.get("/entities")
def list_entities(on: On, being: ReadBeing, cursor: Cursor = None, limit: Limit = PAGE_NODES) -> EntityPage:
    """List the entities that facts name, those with the most facts first, with their aliases.

    Scope `read`.
    """
    return entities.entity_page(on.store, being, cursor=cursor, limit=limit)


@router.get("/entities/merges")
def list_merges(
    on: On,
    being: ReadBeing,
    state: Annotated[MergeState | None, Query(description="Only merges in this state.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> Proposals:
    """List merges of entities: proposed, merged, declined or undone.

    Scope `read`.
    """
    return entities.proposals(on.store, being, state, cursor=cursor, limit=limit)


@router.post("/entities/merges", status_code=HTTPStatus.CREATED, responses=problems(409))
def propose_merge(on: On, being: ManagedBeing, wanted: ProposedMerge) -> EntityMerge:
    """Propose that two entities are one, or with `accept` merge them.

    Scope `manage`.
    """
    return entities.propose(on.store, being, wanted.kept_ref, wanted.merged_ref, accept=wanted.accept)


@router.post("/entities/merges/{merge_id}/accept", responses=problems(409))
def merge_entities(on: On, being: ManagedBeing, merge_id: UUID) -> EntityMerge:
    """Accept a merge. The facts of both entities are filed under one of them; no fact is reworded.

    Scope `manage`.
    """
    return entities.accept(on.store, being, merge_id)


@router.post("/entities/merges/{merge_id}/decline", responses=problems(409))
def part_entities(on: On, being: ManagedBeing, merge_id: UUID) -> EntityMerge:
    """Keep two entities apart: decline a proposed merge, or undo an accepted one.

    Scope `manage`.
    """
    return entities.decline(on.store, being, merge_id)
