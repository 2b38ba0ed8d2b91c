"""Looking into the vault: lists, search, candidates for merging, proposals for deletion, and how it is doing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from heapq import heappush, heappushpop, nlargest
from itertools import combinations

from memory.questions import BadQuestion
from memory.vault_gates import noise_in
from memory.vault_likeness import Query, overlap, ratio, ratio_at_most, tokens
from memory.vault_scopes import chosen, visible
from schemas.limits import CANDIDATE_SIMILARITY, STALE_REGISTER_DAYS, VAULT_OVERLAP
from schemas.rows import Being
from schemas.settings import Settings
from schemas.vault import Candidates, Found, Proposal, VaultQuestion, VaultRecord, VaultStats
from store import clock, vault
from store.database import Store
from store.errors import NotFound

# So many pairs are compared in full, which takes milliseconds each where texts are long.
COMPARED = 200

Pair = tuple[VaultRecord, VaultRecord]


def listed(
    store: Store,
    being: Being,
    *,
    scope: str | None = None,
    tier: str | None = None,
    category: str | None = None,
    tag: str | None = None,
) -> list[VaultRecord]:
    """What lives in the vault: canon first, then registers, each by age.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, [scope] if scope else None))
    wanted = (
        record
        for record in records
        if tier in {None, record.tier} and category in {None, record.category} and (tag is None or tag in record.tags)
    )
    return sorted(wanted, key=lambda record: (record.tier, record.created_at, record.id))


def versions(store: Store, being: Being, record_id: str) -> list[VaultRecord]:
    """Every version of a record that is kept, its tombstone too, oldest first.

    Raises:
        NotFound: The Being sees no such record.
    """
    with store.transaction() as tx:
        found = vault.kept(tx, being, [record_id])
    if not found:
        raise NotFound(f"This Being sees no record {record_id} in the vault.")
    return found


def search(store: Store, being: Being, question: VaultQuestion) -> list[Found]:
    """Find records that share words with a query, the best answer first.

    Raises:
        BadQuestion: There is no word in the query, or the Being does not see one of the scopes.
    """
    if not tokens(question.query):
        raise BadQuestion("query: say at least one word to look for.")
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, question.scopes))
    wanted = [record for record in records if question.tier in {None, record.tier}]
    return by_relevance(wanted, question.query, question.limit)


def by_relevance(records: Iterable[VaultRecord], query: str, limit: int) -> list[Found]:
    """Records that share a word with a query, by score, then the last touched, then by id: never two in one place.

    Whose score can't be among the best is not scored: sequences take long to compare.
    """
    asked = Query(query)
    bounds = sorted(((asked.score_at_most(record.text), record) for record in records), key=lambda pair: -pair[0])
    best: list[float] = []
    found: list[Found] = []
    for bound, record in bounds:
        if not bound or (len(best) == limit and bound < best[0]):
            break
        hit = Found(record=record, score=asked.score(record.text))
        found.append(hit)
        (heappush if len(best) < limit else heappushpop)(best, hit.score)
    return sorted(found, key=lambda hit: (-hit.score, -hit.record.touched_at.timestamp(), hit.record.id))[:limit]


def find_consolidation_candidates(
    store: Store, being: Being, scope: str | None = None, floor: float = CANDIDATE_SIMILARITY
) -> list[Candidates]:
    """Pairs of living records of one scope that may say the same, the most alike first, for somebody to look at.

    Args:
        store: The ledger.
        being: Whose vault it is.
        scope: Which scope; each by itself, if none is named.
        floor: How alike at least: the greater of token overlap and, for the 200 pairs where it may be greatest, the
            sequence ratio.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, [scope] if scope else None))
    words = {record.id: tokens(record.text) for record in records}
    pairs = _pairs(records)
    sequences = _sequences(pairs, floor)
    found = (
        Candidates(
            first=first,
            second=second,
            similarity=max(overlap(words[first.id], words[second.id]), sequences.get((first.id, second.id), 0.0)),
        )
        for first, second in pairs
    )
    alike = (pair for pair in found if pair.similarity >= floor)
    return sorted(alike, key=lambda pair: (-pair.similarity, pair.first.id, pair.second.id))


def propose_deletions(store: Store, being: Being, scope: str | None = None) -> list[Proposal]:
    """Records that might go, each with the reasons. Nothing is deleted.

    Of the pairs that don't share tokens enough to be near-duplicates, the 200 that may be most alike are compared as
    sequences.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, [scope] if scope else None))
        threshold = vault.profile(tx, being).similarity_threshold
        now = clock.now(tx)
    outweighed = _outweighed(records, threshold)
    proposals = (
        Proposal(record=record, reasons=list(_reasons(record, outweighed.get(record.id, []), now)))
        for record in records
    )
    return [proposal for proposal in proposals if proposal.reasons]


def vault_stats(store: Store, settings: Settings, being: Being) -> VaultStats:
    """How the vault is doing that a Being sees."""
    with store.transaction() as tx:
        records = vault.live(tx, being, visible(being))
        lines, deleted = vault.counts(tx, being, visible(being))
    most = settings.vault_capacity * len(visible(being))
    return VaultStats(
        active=len(records),
        max=most,
        utilization=round(100 * len(records) / most, 1),
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
    """The sequence ratio, by ids, of those pairs where it may be greatest; 0 where it is below the floor."""
    likely = nlargest(COMPARED, pairs, key=lambda pair: ratio_at_most(pair[0].text, pair[1].text))
    return {(first.id, second.id): ratio(first.text, second.text, floor) for first, second in likely}


def _outweighed(records: Sequence[VaultRecord], threshold: float) -> dict[str, list[VaultRecord]]:
    """By id, the near-duplicates of each record that should rather stay."""
    words = {record.id: tokens(record.text) for record in records}
    pairs = _pairs(records)
    by_words = {(one.id, two.id): overlap(words[one.id], words[two.id]) >= VAULT_OVERLAP for one, two in pairs}
    sequences = _sequences((pair for pair in pairs if not by_words[pair[0].id, pair[1].id]), threshold)
    found: dict[str, list[VaultRecord]] = {}
    for pair in pairs:
        ids = pair[0].id, pair[1].id
        if by_words[ids] or sequences.get(ids, 0.0) >= threshold:
            goes, stays = sorted(pair, key=_weight)
            found.setdefault(goes.id, []).append(stays)
    return found


def _reasons(record: VaultRecord, outweighed_by: Iterable[VaultRecord], now: datetime) -> Iterator[str]:
    """Why a record might go, in words."""
    for other in outweighed_by:
        yield f"says nearly the same as {other.id}, which is {'canon' if other.tier == 'canon' else 'newer'}"
    if signal := noise_in(record.text):
        yield f"belongs in a journal: it says “{signal}”"
    if record.tier == "register" and record.topic_id is None:
        yield "is a register without a topic: no snapshot shows it, and nothing updates it"
    if record.tier == "register" and now - record.touched_at > timedelta(days=STALE_REGISTER_DAYS):
        yield f"is a register that nobody has written to for {STALE_REGISTER_DAYS} days"


def _weight(record: VaultRecord) -> tuple[bool, datetime, str]:
    return record.tier == "canon", record.touched_at, record.id


def _counted(values: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(values).items()))
