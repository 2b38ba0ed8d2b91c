"""Reads of the vault: lists, search, consolidation candidates, deletion proposals, and statistics."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import nlargest
from itertools import combinations

from memory.retrieval.weighing import bounded
from memory.text.errors import InvalidRequest
from memory.vault.distinction import distinct
from memory.vault.gates import noise_in
from memory.vault.scopes import chosen, visible
from memory.vault.similarity import Query, overlap, ratio, ratio_at_most, tokens
from schemas.accounts.accounts import Being
from schemas.limits import CANDIDATE_SIMILARITY, STALE_REGISTER_DAYS, VAULT_OVERLAP
from schemas.settings import Settings
from schemas.vault.records import VaultRecord
from schemas.vault.vault_answers import CandidatePair, Proposal, VaultHit, VaultStats
from schemas.vault.vault_requests import VaultSearch
from store import clock, vault
from store.database import Store

# The most pairs that are compared as sequences, which takes milliseconds for each pair of long texts.
COMPARED_PAIRS = 200

Pair = tuple[VaultRecord, VaultRecord]


def listed(
    store: Store,
    being: Being,
    *,
    scope: str | None = None,
    tier: str | None = None,
    category: str | None = None,
    tag: str | None = None,
    muted: bool = True,
) -> list[VaultRecord]:
    """The live records, muted ones with `muted`, that match all filters: canon first, then registers, each by age.

    Raises:
        InvalidRequest: The Being may not use that scope.
    """
    records = store.run(vault.live, being, chosen(being, [scope] if scope else None), muted=muted)
    matching = (
        record
        for record in records
        if tier in {None, record.tier} and category in {None, record.category} and (tag is None or tag in record.tags)
    )
    return sorted(matching, key=lambda record: (record.tier, record.created_at, record.id))


def search(store: Store, being: Being, request: VaultSearch, *, muted: bool = True) -> list[VaultHit]:
    """Find records, muted ones with `muted`, that share words with a query, the highest score first.

    Raises:
        InvalidRequest: The query has no word, or the Being may not use one of the scopes.
    """
    if not tokens(request.query):
        raise InvalidRequest("query: give at least one word.")
    records = store.run(vault.live, being, chosen(being, request.scopes), muted=muted)
    matching = [record for record in records if request.tier in {None, record.tier}]
    return by_relevance(matching, request.query, request.limit)


def by_relevance(records: Iterable[VaultRecord], query: str, limit: int) -> list[VaultHit]:
    """Records that share a word with a query, by score, then by last write, then by id; few sequences are compared."""
    scorer = Query(query)
    found = bounded(
        records,
        lambda record: scorer.score_at_most(record.text),
        lambda record: scorer.score(record.text),
        ties=lambda record: (-record.touched_at.timestamp(), record.id),
        limit=limit,
    )
    return [VaultHit(record=record, score=score) for record, score in found]


def find_consolidation_candidates(
    store: Store,
    being: Being,
    scope: str | None = None,
    floor: float = CANDIDATE_SIMILARITY,
    *,
    muted: bool = True,
) -> list[CandidatePair]:
    """Pairs of similar live records of one scope, the most similar first, for a person to review.

    Args:
        being: The vault's Being.
        scope: The scope; None for all, each by itself.
        floor: The least similarity, 0 to 1: the greater of token overlap and sequence ratio. The latter is computed for
            the 200 pairs with the highest bound.
        muted: Whether muted records are paired too.

    Raises:
        InvalidRequest: The Being may not use that scope.
    """
    records = store.run(vault.live, being, chosen(being, [scope] if scope else None), muted=muted)
    words = {record.id: tokens(record.text) for record in records}
    pairs = _pairs(records)
    sequences = _sequences(pairs, floor)
    found = (
        CandidatePair(
            first=first,
            second=second,
            similarity=max(overlap(words[first.id], words[second.id]), sequences.get((first.id, second.id), 0.0)),
        )
        for first, second in pairs
    )
    similar = (pair for pair in found if pair.similarity >= floor)
    return sorted(similar, key=lambda pair: (-pair.similarity, pair.first.id, pair.second.id))


def propose_deletions(
    store: Store, settings: Settings, being: Being, scope: str | None = None, *, muted: bool = True
) -> list[Proposal]:
    """Records, muted ones with `muted`, proposed for deletion, each with its reasons. Nothing is deleted.

    Of the pairs that are no near-duplicates by tokens, the 200 with the highest bound are compared as sequences.

    Raises:
        InvalidRequest: The Being may not use that scope.
    """
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, [scope] if scope else None), muted=muted)
        threshold = vault.config(tx, being).similarity_threshold
        now = clock.now(tx)
    outweighed = _outweighed(records, threshold, plain=settings.vault_plain_overlap)
    proposals = (
        Proposal(record=record, reasons=list(_reasons(record, outweighed.get(record.id, []), now)))
        for record in records
    )
    return [proposal for proposal in proposals if proposal.reasons]


def vault_stats(store: Store, settings: Settings, being: Being) -> VaultStats:
    """Counts of the scopes that a Being may use, and how much of them a compaction would remove."""
    with store.transaction() as tx:
        records = vault.live(tx, being, visible(being))
        lines, deleted = vault.counts(tx, being, visible(being))
    capacity = settings.vault_capacity * len(visible(being))
    return VaultStats(
        active=len(records),
        max=capacity,
        utilization=round(100 * len(records) / capacity, 1),
        deleted=deleted,
        raw_lines=lines,
        bloat_ratio=round(lines / max(len(records), 1), 2),
        by_scope=_counted(record.scope for record in records),
        by_tier=_counted(record.tier for record in records),
        by_category=_counted(record.category for record in records),
        register_topics=sum(record.tier == "register" and record.topic_id is not None for record in records),
    )


def _pairs(records: Sequence[VaultRecord]) -> list[Pair]:
    return [pair for pair in combinations(records, 2) if pair[0].scope == pair[1].scope]


def _sequences(pairs: Iterable[Pair], floor: float) -> dict[tuple[str, str], float]:
    """The sequence ratio, by ids, of the pairs with the highest bound; 0 if it is below the floor."""
    likely = nlargest(COMPARED_PAIRS, pairs, key=lambda pair: ratio_at_most(pair[0].text, pair[1].text))
    return {(first.id, second.id): ratio(first.text, second.text, floor) for first, second in likely}


def _outweighed(records: Sequence[VaultRecord], threshold: float, *, plain: bool) -> dict[str, list[VaultRecord]]:
    """By id, the near-duplicates of each record that should be kept in its place."""
    words = {record.id: tokens(record.text) for record in records}
    pairs = _pairs(records)
    by_words = {(one.id, two.id): overlap(words[one.id], words[two.id]) >= VAULT_OVERLAP for one, two in pairs}
    sequences = _sequences((pair for pair in pairs if not by_words[pair[0].id, pair[1].id]), threshold)
    found: dict[str, list[VaultRecord]] = {}
    for pair in pairs:
        ids = pair[0].id, pair[1].id
        similar = by_words[ids] or sequences.get(ids, 0.0) >= threshold
        if similar and (plain or not distinct(pair[0].text, pair[1].text)):
            goes, stays = sorted(pair, key=_weight)
            found.setdefault(goes.id, []).append(stays)
    return found


def _reasons(record: VaultRecord, outweighed_by: Iterable[VaultRecord], now: datetime) -> Iterator[str]:
    """Yield the reasons to delete a record, as parts of a sentence with the record as its subject."""
    for other in outweighed_by:
        yield f"is a near-duplicate of {other.id}, which is {'canon' if other.tier == 'canon' else 'newer'}"
    if signal := noise_in(record.text):
        yield f"is a journal entry: it contains “{signal}”"
    if record.tier == "register" and record.topic_id is None:
        yield "is a register without a topic: no snapshot shows it, and no write updates it"
    if record.tier == "register" and now - record.touched_at > timedelta(days=STALE_REGISTER_DAYS):
        yield f"is a register that was last written more than {STALE_REGISTER_DAYS} days ago"


def _weight(record: VaultRecord) -> tuple[bool, datetime, str]:
    return record.tier == "canon", record.touched_at, record.id


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
