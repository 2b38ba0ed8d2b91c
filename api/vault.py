"""The vault: durable statements, gated and versioned, of a Being or shared by all of its user's."""

from http import HTTPStatus
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query
from pydantic import SkipValidation

from api.auth import ManagedBeing, ReadBeing
from api.bodies import JsonRoute
from api.intake import IdempotencyKey
from api.openapi import problems
from api.problems import Rejection
from api.resources import On
from memory import vault, vault_reading
from memory.batches import BatchRefused
from schemas.limits import BATCH_ITEMS, CANDIDATE_SIMILARITY
from schemas.vault import (
    ID,
    Candidates,
    Deleted,
    Deletion,
    Found,
    NewRecord,
    Promotion,
    Proposal,
    RecordChanges,
    Refusal,
    Tier,
    TopicText,
    VaultQuestion,
    VaultReceipt,
    VaultRecord,
    VaultStats,
)

router = APIRouter(prefix="/v1/beings/{being}/vault", tags=["Vault"], route_class=JsonRoute)

RecordId = Annotated[str, Path(pattern=ID, description="The record's id.", examples=["0f3a9c51d27e"])]
Scope = Annotated[
    str | None, Query(description="Only this scope: `shared`, or the Being's slug; both, without.", examples=["shared"])
]
Records = Annotated[NewRecord | list[NewRecord], SkipValidation]


@router.post("")
def add_records(
    on: On, being: ManagedBeing, records: Annotated[Records, Body()], idempotency_key: IdempotencyKey = None
) -> VaultReceipt:
    """Add one record, or a list of up to 1,000; each passes eight gates by itself.

    Scope `manage`.

    A register whose topic has one already becomes its next version. An item that a gate stops is listed under
    `rejected` with the gate, the rule and what to do instead; where none can be taken, the answer is a 422 with the
    same list. With an `Idempotency-Key` a repetition changes nothing.
    """
    items = records if isinstance(records, list) else [records]
    try:
        receipt = vault.bulk_add(
            on.store, on.settings, being, items, lambda place: idempotency_key and f"{idempotency_key}/{place}"
        )
    except BatchRefused as refusal:
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
    tag: Annotated[str | None, Query(description="Only what has this tag.")] = None,
) -> list[VaultRecord]:
    """List what lives in the vault: canon, then registers, each by age.

    Scope `read`.
    """
    return vault_reading.listed(on.store, being, scope=scope, tier=tier, category=category, tag=tag)


@router.post("/search")
def search_records(on: On, being: ReadBeing, question: VaultQuestion) -> list[Found]:
    """Search the vault by words, the best answer first.

    Scope `read`.

    The score is token overlap, + 0.3 where the query stands in the record, + 0.4 times their sequence similarity; what
    shares no word is not found.
    """
    return vault_reading.search(on.store, being, question)


@router.get("/stats")
def show_stats(on: On, being: ReadBeing) -> VaultStats:
    """Show how full the vault is, and how much of it a compaction would remove.

    Scope `read`.
    """
    return vault_reading.vault_stats(on.store, on.settings, being)


@router.get("/candidates")
def list_candidates(
    on: On,
    being: ReadBeing,
    scope: Scope = None,
    floor: Annotated[float, Query(gt=0, le=1, description="How alike at least.")] = CANDIDATE_SIMILARITY,
) -> list[Candidates]:
    """List pairs of records that may say the same, the most alike first.

    Scope `read`.
    """
    return vault_reading.find_consolidation_candidates(on.store, being, scope, floor)


@router.get("/proposals")
def list_proposals(on: On, being: ReadBeing, scope: Scope = None) -> list[Proposal]:
    """List records that might be deleted, each with the reasons. Nothing is deleted by asking.

    Scope `read`.
    """
    return vault_reading.propose_deletions(on.store, being, scope)


@router.put("/topics/{topic_id}")
def write_topic(
    on: On,
    being: ManagedBeing,
    topic_id: Annotated[str, Path(min_length=1, max_length=64, description="What the register is about.")],
    said: TopicText,
) -> VaultRecord:
    """Write to the register of a topic, or make it.

    Scope `manage`.
    """
    return vault.update_by_topic(on.store, on.settings, being, topic_id, said)


@router.post("/delete")
def delete_records(on: On, being: ManagedBeing, deletion: Deletion) -> Deleted:
    """Delete several records at once; each ends in a tombstone.

    Scope `manage`.
    """
    return vault.bulk_delete(on.store, on.settings, being, deletion.ids)


@router.get("/{record_id}")
def show_record(on: On, being: ReadBeing, record_id: RecordId) -> list[VaultRecord]:
    """Show every version of a record that is kept, oldest first, its tombstone too.

    Scope `read`.
    """
    return vault_reading.versions(on.store, being, record_id)


@router.patch("/{record_id}")
def change_record(on: On, being: ManagedBeing, record_id: RecordId, changes: RecordChanges) -> VaultRecord:
    """Change what a record says; the change passes gates 1 to 5.

    Scope `manage`.
    """
    return vault.update_memory(on.store, on.settings, being, record_id, changes)


@router.delete("/{record_id}")
def delete_record(on: On, being: ManagedBeing, record_id: RecordId) -> VaultRecord:
    """Delete a record: it ends in a tombstone, which is the answer.

    Scope `manage`.
    """
    return vault.delete_memory(on.store, on.settings, being, record_id)


@router.post("/{record_id}/promote", responses=problems(409))
def promote_record(on: On, being: ManagedBeing, record_id: RecordId, promotion: Promotion) -> VaultRecord:
    """Make a register canon, in other words if you say so.

    Scope `manage`.
    """
    return vault.promote_to_canon(on.store, on.settings, being, record_id, promotion.canonical_text)


def _rejection(rejected: list[Refusal]) -> Rejection:
    """A problem for a request of which nothing was taken; of a single record it tells the gate by itself."""
    members: dict[str, Any] = {"rejected": [refusal.model_dump() for refusal in rejected]}
    (first, *others) = rejected
    if others:
        detail = f"None of the {len(rejected)} records can be taken."
    else:
        detail = " ".join(filter(None, [first.rule, first.instead]))
        members |= first.model_dump(exclude={"position"})
    return Rejection(HTTPStatus.UNPROCESSABLE_ENTITY, "rejected", detail, members)
