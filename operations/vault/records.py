"""The vault's records: durable statements, gated and versioned."""

from typing import Annotated

from pydantic import Field, SkipValidation

from memory.text.errors import NothingTaken
from memory.vault import reading, record_batches
from memory.vault import records as vault
from operations.declaration import Command, FindsMuted, Flag, operation
from operations.parameters import ItemKey
from schemas.accounts.accounts import Being
from schemas.errors import NotFound
from schemas.limits import CANDIDATE_SIMILARITY
from schemas.vault.records import ID, RecordPage, Tier, VaultRecord
from schemas.vault.vault_answers import (
    CandidatePage,
    DeletionOutcome,
    HitPage,
    ProposalPage,
    Refusal,
    VaultErased,
    VaultReceipt,
    VaultStats,
)
from schemas.vault.vault_requests import Deletion, NewRecord, Promotion, RecordChanges, TopicText, VaultSearch
from store import vault as stored
from store.transaction import Transaction
from workers.runtime.resources import Resources

RecordId = Annotated[str, Field(pattern=ID, description="The record's id.", examples=["0f3a9c51d27e"])]
Scope = Annotated[
    str | None,
    Field(description="Only this scope: `shared` or the Being's slug; both if omitted.", examples=["shared"]),
]
Records = Annotated[NewRecord | list[NewRecord], SkipValidation]


@operation("POST /v1/beings/{being}/vault", scope="manage", body="batch")
def add_records(on: Resources, being: Being, records: Records, *, idempotency_key: ItemKey = None) -> VaultReceipt:
    """Add one record, or a list of up to 1,000; eight gates check each of them.

    A register with a known topic becomes that register's next version. An item that a gate refuses is listed under
    `rejected` with the gate, the rule and the remedy; if all items are refused, the answer is a 422 with the
    same list. Items that were permanently erased before are listed under `erased` and not stored. With an
    `Idempotency-Key` a repeated request changes nothing.
    """
    items = records if isinstance(records, list) else [records]
    receipt = record_batches.bulk_add(
        on.store, on.settings, being, items, lambda place: idempotency_key and f"{idempotency_key}/{place}"
    )
    if len(receipt.rejected) == len(items):
        raise _nothing_taken(receipt.rejected)
    return receipt


@operation(
    None,
    scope="manage",
    conflicts=True,
    commands=[
        Command(
            "add",
            takes=("text", "scope", "category", "tier", "topic_id", "tags", "source"),
            defaults={"source": "operator"},
            flags={"force": Flag("Add it though the vault holds a near-duplicate.", {"force": True})},
        )
    ],
)
def add_record(on: Resources, being: Being, new: NewRecord) -> VaultRecord:
    """Add a record, or a new version of its topic's register. Eight gates check it."""
    return vault.add_memory(on.store, on.settings, being, new)


@operation("GET /v1/beings/{being}/vault", scope="read", commands=[Command("list")])
def list_records(
    on: Resources,
    being: Being,
    muted: FindsMuted,
    *,
    scope: Scope = None,
    tier: Annotated[Tier | None, Field(description="Only this tier.")] = None,
    category: Annotated[str | None, Field(description="Only this category.")] = None,
    tag: Annotated[str | None, Field(description="Only records with this tag.")] = None,
) -> RecordPage:
    """List the live records: canon, then registers, each by age. The scope `manage` also lists muted ones."""
    found = reading.listed(on.store, being, scope=scope, tier=tier, category=category, tag=tag, muted=muted)
    return RecordPage(records=found)


@operation("POST /v1/beings/{being}/vault/search", scope="read", commands=[Command("search")])
def search_records(on: Resources, being: Being, muted: FindsMuted, request: VaultSearch) -> HitPage:
    """Search the vault by words, the highest score first.

    The score is token overlap, + 0.3 if the record contains the query, + 0.4 times their sequence similarity. Records
    that share no word with the query are not found. The scope `manage` also finds muted ones.
    """
    return HitPage(hits=reading.search(on.store, being, request, muted=muted))


@operation("GET /v1/beings/{being}/vault/stats", scope="read", commands=[Command("stats")])
def show_stats(on: Resources, being: Being) -> VaultStats:
    """Show how full the vault is, and how much a compaction would remove."""
    return reading.vault_stats(on.store, on.settings, being)


@operation("GET /v1/beings/{being}/vault/candidates", scope="read", commands=[Command("candidates")])
def list_candidates(
    on: Resources,
    being: Being,
    muted: FindsMuted,
    *,
    scope: Scope = None,
    floor: Annotated[float, Field(gt=0, le=1, description="The least similarity.")] = CANDIDATE_SIMILARITY,
) -> CandidatePage:
    """List pairs of similar records, the most similar first. The scope `manage` also lists muted ones."""
    return CandidatePage(candidates=reading.find_consolidation_candidates(on.store, being, scope, floor, muted=muted))


@operation("GET /v1/beings/{being}/vault/proposals", scope="read", commands=[Command("proposals")])
def list_proposals(on: Resources, being: Being, muted: FindsMuted, *, scope: Scope = None) -> ProposalPage:
    """List records proposed for deletion, each with its reasons. Nothing is deleted.

    The scope `manage` also lists muted ones.
    """
    return ProposalPage(proposals=reading.propose_deletions(on.store, on.settings, being, scope, muted=muted))


@operation(
    "PUT /v1/beings/{being}/vault/topics/{topic_id}", scope="manage", conflicts=True, commands=[Command("topic")]
)
def write_topic(
    on: Resources,
    being: Being,
    topic_id: Annotated[str, Field(min_length=1, max_length=64, description="The register's topic.")],
    new_text: TopicText,
) -> VaultRecord:
    """Write a new version of a topic's register, or create it."""
    return vault.update_by_topic(on.store, on.settings, being, topic_id, new_text)


@operation("POST /v1/beings/{being}/vault/delete", scope="manage", commands=[Command("delete")])
def delete_records(on: Resources, being: Being, deletion: Deletion) -> DeletionOutcome:
    """Delete several records; each ends in a tombstone."""
    return vault.bulk_delete(on.store, on.settings, being, deletion.ids)


@operation(
    None,
    scope="manage",
    commands=[Command("erase", done="Erased", confirm="Permanently erase these records of {being}'s vault?")],
)
def erase_records(on: Resources, being: Being, erasure: Deletion) -> VaultErased:
    """Permanently erase records with all their versions; no import restores them."""
    return vault.erase_memory(on.store, on.settings, being, erasure.ids)


@operation("GET /v1/beings/{being}/vault/{record_id}", scope="read", commands=[Command("show")])
def show_record(tx: Transaction, being: Being, muted: FindsMuted, record_id: RecordId) -> RecordPage:
    """Show the stored versions of a record, oldest first, its tombstone too.

    The scope `manage` also shows those of a muted one.
    """
    found = stored.versions(tx, being, [record_id], muted=muted)
    if not found:
        raise NotFound(f"This Being's vault has no record {record_id}.")
    return RecordPage(records=found)


@operation("PATCH /v1/beings/{being}/vault/{record_id}", scope="manage", conflicts=True, commands=[Command("update")])
def change_record(on: Resources, being: Being, record_id: RecordId, changes: RecordChanges) -> VaultRecord:
    """Change a record; gates 1 to 5 check the change."""
    return vault.update_memory(on.store, on.settings, being, record_id, changes)


@operation("DELETE /v1/beings/{being}/vault/{record_id}", scope="manage")
def delete_record(on: Resources, being: Being, record_id: RecordId) -> VaultRecord:
    """Delete a record. The answer is its tombstone, which has no text.

    Earlier versions stay until the vault is compacted; erase the record to remove them now.
    """
    return vault.delete_memory(on.store, on.settings, being, record_id)


@operation("POST /v1/beings/{being}/vault/{record_id}/erase", scope="manage")
def erase_record(on: Resources, being: Being, record_id: RecordId) -> VaultErased:
    """Permanently erase a record with all its versions.

    Keyed digests of its id and text stay, by which every door refuses them from now on.
    """
    return vault.erase_memory(on.store, on.settings, being, [record_id])


@operation(
    "POST /v1/beings/{being}/vault/{record_id}/promote", scope="manage", conflicts=True, commands=[Command("promote")]
)
def promote_record(on: Resources, being: Being, record_id: RecordId, promotion: Promotion) -> VaultRecord:
    """Make a register canon, with another text if one is given."""
    return vault.promote_to_canon(on.store, on.settings, being, record_id, promotion.canonical_text)


def _nothing_taken(rejected: list[Refusal]) -> NothingTaken:
    """The error of a request that added nothing; for a single record, its gate is part of the error itself."""
    (first, *others) = rejected
    if others:
        return NothingTaken(f"None of the {len(rejected)} records was added.", rejected)
    detail = " ".join(filter(None, [first.rule, first.instead]))
    return NothingTaken(detail, rejected, first.model_dump(exclude={"position"}))
