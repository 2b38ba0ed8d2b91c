"""Entities that facts name, and merges of them."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field
from rapidfuzz.distance import JaroWinkler

from memory.text.pages import count_and_name, cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.errors import NotFound, Refused
from schemas.facts.fact_answers import EntityPage, Proposals
from schemas.facts.fact_requests import ProposedMerge
from schemas.facts.fact_rows import EntityMerge, MergeState
from schemas.limits import PAGE_NODES
from store.facts import entities, facts
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/entities", scope="read", commands=[Command("list")])
def list_entities(
    tx: Transaction, being: Being, muted: FindsMuted, *, cursor: Cursor = None, limit: Limit = PAGE_NODES
) -> EntityPage:
    """List the entities that facts name, those with the most facts first, with their aliases.

    The scope `manage` also lists those of muted facts.
    """
    after = parse_cursor(cursor, count_and_name)
    found = entities.listed(tx, being.user_id, being.being_id, after=after, limit=limit + 1, muted=muted)
    shown, end = cut_page(found, limit, lambda entity: (entity.facts, entity.entity_ref))
    return EntityPage(entities=shown, cursor=end)


@operation("GET /v1/beings/{being}/entities/merges", scope="read", commands=[Command("merges")])
def list_merges(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    state: Annotated[MergeState | None, Field(description="Only merges in this state.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> Proposals:
    """List merges of entities: proposed, merged, declined or undone.

    The scope `manage` also lists those of entities that muted facts alone name.
    """
    before = parse_cursor(cursor, UUID)
    found = entities.merges(tx, being.user_id, being.being_id, state=state, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda merge: merge.merge_id)
    return Proposals(proposals=shown, cursor=end)


@operation(
    "POST /v1/beings/{being}/entities/merges",
    scope="manage",
    status=HTTPStatus.CREATED,
    conflicts=True,
    commands=[Command("propose")],
)
def propose_merge(tx: Transaction, being: Being, wanted: ProposedMerge) -> EntityMerge:
    """Propose that two entities are one, or with `accept` merge them."""
    user_id, refs = being.user_id, [wanted.kept_ref, wanted.merged_ref]
    facts.lock(tx, user_id)
    for ref in refs:
        if not entities.is_known(tx, user_id, being.being_id, ref):
            raise NotFound(f"This Being knows no entity {ref}. `GET .../entities` lists those that it knows.")
    stands_for = entities.resolve(tx, user_id, refs)
    if stands_for[wanted.kept_ref] == stands_for[wanted.merged_ref]:
        raise Refused("These two names stand for one entity already.")
    merge = entities.find_merge(tx, user_id, wanted.kept_ref, wanted.merged_ref)
    if merge is None:
        likeness = JaroWinkler.similarity(*(ref.partition(":")[2] for ref in refs))
        merge_id = entities.propose(tx, user_id, wanted.kept_ref, wanted.merged_ref, likeness)
        if merge_id is None:
            raise Refused("These two entities can't be merged.")
    else:
        merge_id = merge.merge_id
        entities.set_merge_state(tx, user_id, merge_id, "proposed")
    if wanted.accept:
        entities.merge(tx, user_id, entities.get_merge(tx, user_id, merge_id))
    return entities.get_merge(tx, user_id, merge_id)


@operation(
    "POST /v1/beings/{being}/entities/merges/{merge_id}/accept",
    scope="manage",
    conflicts=True,
    commands=[Command("merge")],
)
def merge_entities(tx: Transaction, being: Being, merge_id: UUID) -> EntityMerge:
    """Accept a merge. The facts of both entities are filed under one of them; no fact is reworded."""
    proposal = _locked(tx, being, merge_id)
    if proposal.state == "merged":
        raise Refused("These two entities are merged already.")
    entities.merge(tx, being.user_id, proposal)
    return entities.get_merge(tx, being.user_id, merge_id)


@operation(
    "POST /v1/beings/{being}/entities/merges/{merge_id}/decline",
    scope="manage",
    conflicts=True,
    commands=[Command("part")],
)
def part_entities(tx: Transaction, being: Being, merge_id: UUID) -> EntityMerge:
    """Keep two entities apart: decline a proposed merge, or undo an accepted one."""
    proposal = _locked(tx, being, merge_id)
    if proposal.state == "merged":
        entities.undo_merge(tx, being.user_id, proposal)
    elif proposal.state == "proposed":
        entities.set_merge_state(tx, being.user_id, merge_id, "declined")
    else:
        raise Refused("These two entities are separate already.")
    return entities.get_merge(tx, being.user_id, merge_id)


def _locked(tx: Transaction, being: Being, merge_id: UUID) -> EntityMerge:
    """A merge that this Being knows, after locking out other writers of the user's facts."""
    facts.lock(tx, being.user_id)
    for proposal in entities.merges(tx, being.user_id, being.being_id, merge_id=merge_id, limit=1):
        return proposal
    raise NotFound(f"This Being knows no merge {merge_id} of two entities.")
