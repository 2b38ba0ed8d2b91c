"""Responses other than the records themselves."""

from pydantic import Field

from schemas.vault.records import VaultRecord
from schemas.wire.answers import Answer, Cursor
from schemas.wire.numbers import Number


class Refusal(Answer):
    """A rejected item: the gate, its rule, and the remedy."""

    position: int = Field(description="The item's position in the list, from 0.")
    gate: str | None = Field(None, description="The gate that refused it; null if the item is not a valid record.")
    rule: str = Field(description="The violated rule.")
    instead: str | None = Field(None, description="An alternative.")
    existing: str | None = Field(None, description="The id of the existing record that it collides with, if any.")


class VaultReceipt(Answer):
    """The outcome of each item of a list."""

    added: int = Field(description="New records.")
    updated: int = Field(description="Existing registers that have one more version.")
    repeated: int = Field(description="Items whose idempotency key was known, with the same content.")
    rejected: list[Refusal] = Field(description="Rejected items.")
    erased: list[int] = Field(
        default=[],
        description="Positions of items that were permanently erased before; they are not stored, which is no error.",
    )
    records: list[VaultRecord | None] = Field(description="Each item's record; null for rejected and erased items.")


class DeletionOutcome(Answer):
    """The outcome of a deletion."""

    deleted: list[str] = Field(description="Ids that now end in a tombstone.")
    missing: list[str] = Field(description="Ids without a live record in the Being's scopes.")


class VaultErased(Answer):
    """The outcome of a permanent erasure."""

    records: int = Field(description="Erased versions, tombstones included.")


class VaultHit(Answer):
    """A record that matches a query."""

    record: VaultRecord
    score: Number = Field(description="The seed's search score, from 0 to 1.7.")


class HitPage(Answer):
    """Records that match a search, the highest score first."""

    hits: list[VaultHit]
    cursor: Cursor = None


class CandidatePair(Answer):
    """Two similar records that could be merged."""

    first: VaultRecord
    second: VaultRecord
    similarity: Number = Field(description="The greater of token overlap and sequence similarity, 0 to 1.")


class CandidatePage(Answer):
    """Pairs of similar records, the most similar first."""

    candidates: list[CandidatePair]
    cursor: Cursor = None


class Proposal(Answer):
    """A record proposed for deletion, which only a caller's request deletes."""

    record: VaultRecord
    reasons: list[str]


class ProposalPage(Answer):
    """Records proposed for deletion."""

    proposals: list[Proposal]
    cursor: Cursor = None


class VaultStats(Answer):
    """Counts of a vault."""

    active: int = Field(description="Live records.")
    max: int = Field(description="The capacity of all these scopes together.")
    utilization: Number = Field(description="Live records in percent of the capacity.")
    deleted: int = Field(description="Records that end in a tombstone.")
    raw_lines: int = Field(description="All stored versions.")
    bloat_ratio: Number = Field(description="Stored versions per live record; 1 is the least.")
    by_scope: dict[str, int]
    by_tier: dict[str, int]
    by_category: dict[str, int]
    register_topics: int = Field(description="Live registers with a topic.")


class CompactionOutcome(Answer):
    """The outcome of a compaction."""

    removed: int = Field(description="Removed versions: superseded ones, and old tombstones with their records.")


class Block(Answer):
    """Fenced text for a prompt; empty if there is no content."""

    text: str
