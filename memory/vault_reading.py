"""Looking into the vault: lists, search, candidates for merging, proposals for deletion, and how it is doing."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import combinations

from memory.recall import BadQuestion
from memory.vault_gates import noise_in
from memory.vault_likeness import likeness, score, tokens
from memory.vault_scopes import chosen, visible
from schemas.limits import CANDIDATE_SIMILARITY, STALE_REGISTER_DAYS
from schemas.rows import Being
from schemas.settings import Settings
from schemas.vault import Candidates, Found, Proposal, VaultQuestion, VaultRecord, VaultStats
from store import clock, vault
from store.database import Store
from store.errors import NotFound


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
    return by_relevance(wanted, question.query)[: question.limit]


def by_relevance(records: Iterable[VaultRecord], query: str) -> list[Found]:
    """Records that share a word with a query, by score, then the last touched, then by id: never two in one place."""
    scored = ((score(query, record.text), record) for record in records)
    found = [Found(record=record, score=points) for points, record in scored if points]
    return sorted(found, key=lambda hit: (-hit.score, -hit.record.touched_at.timestamp(), hit.record.id))


def find_consolidation_candidates(
    store: Store, being: Being, scope: str | None = None, floor: float = CANDIDATE_SIMILARITY
) -> list[Candidates]:
    """Pairs of living records of one scope that may say the same, the most alike first, for somebody to look at.

    Args:
        store: The ledger.
        being: Whose vault it is.
        scope: Which scope; each by itself, if none is named.
        floor: How alike at least: the greater of token overlap and sequence ratio.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, [scope] if scope else None))
    pairs = (
        Candidates(first=first, second=second, similarity=alike)
        for first, second in combinations(records, 2)
        if first.scope == second.scope and (alike := likeness(first.text, second.text, floor))
    )
    return sorted(pairs, key=lambda pair: (-pair.similarity, pair.first.id, pair.second.id))


def propose_deletions(store: Store, being: Being, scope: str | None = None) -> list[Proposal]:
    """Records that might go, each with the reasons. Nothing is deleted.

    Raises:
        BadQuestion: The Being does not see that scope.
    """
    with store.transaction() as tx:
        records = vault.live(tx, being, chosen(being, [scope] if scope else None))
        threshold = vault.profile(tx, being).similarity_threshold
        now = clock.now(tx)
    proposals = (Proposal(record=record, reasons=list(_reasons(record, records, threshold, now))) for record in records)
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


def _reasons(record: VaultRecord, all_: Sequence[VaultRecord], threshold: float, now: datetime) -> Iterator[str]:
    """Why a record might go, in words."""
    for other in all_:
        stays = other.scope == record.scope and _weight(other) > _weight(record)
        if stays and likeness(record.text, other.text, threshold):
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
