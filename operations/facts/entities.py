"""Entities that facts name, and merges of them."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.facts import entities
from memory.text.pages import count_and_name, cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import EntityPage, Proposals
from schemas.facts.fact_requests import ProposedMerge
from schemas.facts.fact_rows import EntityMerge, MergeState
from schemas.limits import PAGE_NODES
from store.facts import entities as known_entities
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/entities", scope="read", commands=[Command("list")])
def list_entities(
    tx: Transaction, being: Being, muted: FindsMuted, *, cursor: Cursor = None, limit: Limit = PAGE_NODES
) -> EntityPage:
    """List the entities that facts name, those with the most facts first, with their aliases.

    The scope `manage` also lists those of muted facts.
    """
    after = parse_cursor(cursor, count_and_name)
    found = known_entities.listed(tx, being.user_id, being.being_id, after=after, limit=limit + 1, muted=muted)
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
    found = known_entities.merges(
        tx, being.user_id, being.being_id, state=state, muted=muted, before=before, limit=limit + 1
    )
    shown, end = cut_page(found, limit, lambda merge: merge.merge_id)
    return Proposals(proposals=shown, cursor=end)


@operation(
    "POST /v1/beings/{being}/entities/merges",
    scope="manage",
    status=HTTPStatus.CREATED,
    conflicts=True,
    commands=[Command("propose")],
)
def propose_merge(on: Resources, being: Being, wanted: ProposedMerge) -> EntityMerge:
    """Propose that two entities are one, or with `accept` merge them."""
    return entities.propose(on.store, being, wanted.kept_ref, wanted.merged_ref, accept=wanted.accept)


@operation(
    "POST /v1/beings/{being}/entities/merges/{merge_id}/accept",
    scope="manage",
    conflicts=True,
    commands=[Command("merge")],
)
def merge_entities(on: Resources, being: Being, merge_id: UUID) -> EntityMerge:
    """Accept a merge. The facts of both entities are filed under one of them; no fact is reworded."""
    return entities.accept(on.store, being, merge_id)


@operation(
    "POST /v1/beings/{being}/entities/merges/{merge_id}/decline",
    scope="manage",
    conflicts=True,
    commands=[Command("part")],
)
def part_entities(on: Resources, being: Being, merge_id: UUID) -> EntityMerge:
    """Keep two entities apart: decline a proposed merge, or undo an accepted one."""
    return entities.decline(on.store, being, merge_id)
