"""Routes of the vault's records: durable statements, gated and versioned."""

from http import HTTPStatus
from typing import Annotated

from fastapi import APIRouter, Body, Path, Query
from pydantic import SkipValidation

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.openapi import problems
from api.http.problems import Rejection, nothing_taken
from api.http.resources import On
from api.intake.batches import IdempotencyKey
from memory.text.items import ItemBatchRefused
from memory.vault import batches, reading
from memory.vault import records as vault
from schemas.limits import BATCH_ITEMS, CANDIDATE_SIMILARITY
from schemas.vault.answers import (
    CandidatePage,
    Deleted,
    HitPage,
    ProposalPage,
    Refusal,
    VaultErased,
    VaultReceipt,
    VaultStats,
)
from schemas.vault.records import ID, RecordPage, Tier, VaultRecord
from schemas.vault.requests import Deletion, NewRecord, Promotion, RecordChanges, TopicText, VaultSearch

router = APIRouter(prefix="/v1/beings/{being}/vault", tags=["Vault"], route_class=JsonRoute)

RecordId = Annotated[str, Path(pattern=ID, description="The record's id.", examples=["0f3a9c51d27e"])]
Scope = Annotated[
    str | None,
    Query(description="Only this scope: `shared` or the Being's slug; both if omitted.", examples=["shared"]),
]
Records = Annotated[NewRecord | list[NewRecord], SkipValidation]


@router.post("")
@body_limit("batch")
def add_records(
    on: On, being: ManagedBeing, records: Annotated[Records, Body()], idempotency_key: IdempotencyKey = None
) -> VaultReceipt:
    """Add one record, or a list of up to 1,000; eight gates check each of them.

    Scope `manage`.

    A register with a known topic becomes that register's next version. An item that a gate refuses is listed under
    `rejected` with the gate, the rule and what to do instead; if all items are refused, the answer is a 422 with the
    same list. Items that were permanently erased before are listed under `erased` and not stored. With an
    `Idempotency-Key` a repeated request changes nothing.
    """
    items = records if isinstance(records, list) else [records]
    try:
        receipt = batches.bulk_add(
            on.store, on.settings, being, items, lambda place: idempotency_key and f"{idempotency_key}/{place}"
        )
    except ItemBatchRefused as refusal:
        if len(items) > BATCH_ITEMS:
            raise Rejection(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too-large", str(refusal)) from None
        raise Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "invalid", str(refusal)) from None
    if len(receipt.rejected) == len(items):
        raise _rejection(receipt.rejected)
    return receipt


@router.get("")
def list_records(
    on: On,
    being: ReadBeing,
    scope: Scope = None,
    tier: Annotated[Tier | None, Query(description="Only this tier.")] = None,
    category: Annotated[str | None, Query(description="Only this category.")] = None,
    tag: Annotated[str | None, Query(description="Only records with this tag.")] = None,
) -> RecordPage:
    """List the live records: canon, then registers, each by age.

    Scope `read`.
    """
    found = reading.listed(on.store, being, scope=scope, tier=tier, category=category, tag=tag)
    return RecordPage(records=found)


@router.post("/search")
def search_records(on: On, being: ReadBeing, request: VaultSearch) -> HitPage:
    """Search the vault by words, the highest score first.

    Scope `read`.

    The score is token overlap, + 0.3 if the record contains the query, + 0.4 times their sequence similarity. Records
    that share no word with the query are not found.
    """
    return HitPage(hits=reading.search(on.store, being, request))


@router.get("/stats")
def show_stats(on: On, being: ReadBeing) -> VaultStats:
    """Show how full the vault is, and how much a compaction would remove.

    Scope `read`.
    """
    return reading.vault_stats(on.store, on.settings, being)


@router.get("/candidates")
def list_candidates(
    on: On,
    being: ReadBeing,
    scope: Scope = None,
    floor: Annotated[float, Query(gt=0, le=1, description="The least similarity.")] = CANDIDATE_SIMILARITY,
) -> CandidatePage:
    """List pairs of similar records, the most similar first.

    Scope `read`.
    """
    return CandidatePage(candidates=reading.find_consolidation_candidates(on.store, being, scope, floor))


@router.get("/proposals")
def list_proposals(on: On, being: ReadBeing, scope: Scope = None) -> ProposalPage:
    """List records proposed for deletion, each with its reasons. Nothing is deleted.

    Scope `read`.
    """
    return ProposalPage(proposals=reading.propose_deletions(on.store, on.settings, being, scope))


@router.put("/topics/{topic_id}", responses=problems(409))
def write_topic(
    on: On,
    being: ManagedBeing,
    topic_id: Annotated[str, Path(min_length=1, max_length=64, description="The register's topic.")],
    new_text: TopicText,
) -> VaultRecord:
    """Write a new version of a topic's register, or create it.

    Scope `manage`.
    """
    return vault.update_by_topic(on.store, on.settings, being, topic_id, new_text)


@router.post("/delete")
def delete_records(on: On, being: ManagedBeing, deletion: Deletion) -> Deleted:
    """Delete several records; each ends in a tombstone.

    Scope `manage`.
    """
    return vault.bulk_delete(on.store, on.settings, being, deletion.ids)


@router.get("/{record_id}")
def show_record(on: On, being: ReadBeing, record_id: RecordId) -> RecordPage:
    """Show the stored versions of a record, oldest first, its tombstone too.

    Scope `read`.
    """
    return RecordPage(records=reading.versions(on.store, being, record_id))


@router.patch("/{record_id}", responses=problems(409))
def change_record(on: On, being: ManagedBeing, record_id: RecordId, changes: RecordChanges) -> VaultRecord:
    """Change a record; gates 1 to 5 check the change.

    Scope `manage`.
    """
    return vault.update_memory(on.store, on.settings, being, record_id, changes)


@router.delete("/{record_id}")
def delete_record(on: On, being: ManagedBeing, record_id: RecordId) -> VaultRecord:
    """Delete a record. The answer is its tombstone, which has no text.

    Scope `manage`.

    Earlier versions stay until the vault is compacted; erase the record to remove them now.
    """
    return vault.delete_memory(on.store, on.settings, being, record_id)


@router.post("/{record_id}/erase")
def erase_record(on: On, being: ManagedBeing, record_id: RecordId) -> VaultErased:
    """Permanently erase a record with all its versions.

    Scope `manage`.

    Keyed digests of its id and text stay, by which every door refuses them from now on.
    """
    return vault.erase_memory(on.store, on.settings, being, [record_id])


@router.post("/{record_id}/promote", responses=problems(409))
def promote_record(on: On, being: ManagedBeing, record_id: RecordId, promotion: Promotion) -> VaultRecord:
    """Make a register canon, with another text if one is given.

    Scope `manage`.
    """
    return vault.promote_to_canon(on.store, on.settings, being, record_id, promotion.canonical_text)


def _rejection(rejected: list[Refusal]) -> Rejection:
    """The problem of a request that added nothing; for a single record, its gate is part of the problem itself."""
    (first, *others) = rejected
    if others:
        return nothing_taken(f"None of the {len(rejected)} records was added.", rejected)
    detail = " ".join(filter(None, [first.rule, first.instead]))
    return nothing_taken(detail, rejected, first.model_dump(exclude={"position"}))
