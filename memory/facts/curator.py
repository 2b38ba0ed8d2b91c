"""The curator: folds facts of one user that say the same under different keys.

Vectors nominate pairs, and `fold_rules` decides: near-identical wordings are folded at once; other pairs that agree in
every number, side, name and negation are folded if a model confirms it. Without a model they are left for a later run.
Folds are undone by `editing.unfold`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from uuid import UUID

import structlog

from memory.facts.fold_rules import may_say_the_same, near_identical
from memory.llm.portions import ask_in_turn, halves
from memory.llm.prompting import prompt
from memory.llm.session import LlmUnavailable, llm_session
from memory.text.prompt_escaping import tagged
from providers.thinkers import Thinkers
from schemas.facts.judgement import FoldConfirmation
from schemas.facts.rows import Fact
from schemas.ledger.kinds import CURATE, EMBED_FACTS
from schemas.ledger.work import Claim
from schemas.limits import FOLD_SIMILARITY
from schemas.settings import Settings
from store.database import Store
from store.facts import curator, facts
from store.facts.curator import FactPair
from store.ledger import work
from store.transaction import Transaction

log = structlog.get_logger()

FOLD = prompt("fold", FoldConfirmation, size="small", most_tokens=1_000)
FACTS_AT_ONCE = 500
PAIRS_AT_ONCE = 20
AWAY_WAIT = timedelta(minutes=5)


@dataclass(frozen=True)
class _Compared:
    """The pairs that a model finds to say the same, those that none could compare, and whether one is expected back."""

    confirmed: list[FactPair] = field(default_factory=list)
    left: Sequence[FactPair] = ()
    away: bool = False


def request_if_due(tx: Transaction, settings: Settings, user_id: UUID) -> None:
    """Request the curator if at least `curate_after` facts wait to be compared."""
    if curator.count_uncurated(tx, user_id) >= settings.curate_after:
        work.ask(tx, user_id, CURATE)


def curate(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """Compare facts that were not compared yet with all others, 500 at a time, and fold those that say the same.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; no fact is marked as compared.
    """
    user_id = claim.owner_id
    with store.transaction() as tx:
        fresh = curator.uncurated(tx, user_id, FACTS_AT_ONCE)
        pairs = curator.similar_pairs(tx, user_id, fresh, similarity=FOLD_SIMILARITY)
        known = curator.read(tx, user_id, [fact_id for pair in pairs for fact_id in (pair.one, pair.other)])
    same = [pair for pair in pairs if near_identical(known[pair.one], known[pair.other])]
    doubtful = [pair for pair in pairs if pair not in same and may_say_the_same(known[pair.one], known[pair.other])]
    compared = _confirm(store, thinkers, settings, claim, doubtful, known)
    left = {fact_id for pair in compared.left for fact_id in (pair.one, pair.other)}
    with store.finishing(claim, first=partial(facts.lock, user_id=user_id)) as tx:
        now = curator.read(tx, user_id, list(known))
        unchanged = {fact_id for fact_id, fact in now.items() if fact.content == known[fact_id].content}
        folds = [
            curator.fold(tx, user_id, group)
            for group in fold_groups([*same, *compared.confirmed], known)
            if unchanged.issuperset(group)
        ]
        curator.record_run(tx, user_id, [fact_id for fact_id in fresh if fact_id not in left])
        if any(folds):
            work.ask(tx, user_id, EMBED_FACTS)
        if len(fresh) == FACTS_AT_ONCE and not left.issuperset(fresh):
            work.ask(tx, user_id, CURATE)
        elif compared.away:
            work.ask(tx, user_id, CURATE, after=AWAY_WAIT)


def fold_groups(pairs: Collection[FactPair], known: Mapping[UUID, Fact]) -> list[list[UUID]]:
    """Group facts that say the same as one of their group, the one with the most mentions (then the oldest) first."""
    group_of: dict[UUID, set[UUID]] = {}
    for pair in pairs:
        # Similarity is not transitive: each member of a group is similar to its first member.
        group = group_of.setdefault(pair.one, {pair.one})
        if pair.other not in group_of:
            group.add(pair.other)
            group_of[pair.other] = group
    distinct = {id(group): group for group in group_of.values() if len(group) > 1}
    return [
        sorted(group, key=lambda fact_id: (-known[fact_id].mentions, known[fact_id].created_at, fact_id))
        for group in distinct.values()
    ]


def _confirm(
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    pairs: Sequence[FactPair],
    known: Mapping[UUID, Fact],
) -> _Compared:
    compared = _Compared()
    if not pairs:
        return compared
    with store.transaction() as tx:
        llm = llm_session(tx, store, thinkers, settings, claim)
    if isinstance(llm, LlmUnavailable):
        log.info("curator.without_model", reason=llm.logged, user_id=str(claim.owner_id), pairs=len(pairs))
        return _Compared(left=pairs, away=llm.away)

    def ask(some: Sequence[FactPair], divisible: bool) -> None:
        by_ref = {f"p{place}": pair for place, pair in enumerate(some, 1)}
        shown = [
            tagged("fact", known[fact_id].content, pair=ref)
            for ref, pair in by_ref.items()
            for fact_id in (pair.one, pair.other)
        ]
        answer = llm.ask(replace(FOLD.question("", "\n".join(shown)), divisible=divisible)).answer
        llm.count_dropped("fold", {"no such pair": sum(ref not in by_ref for ref in answer.same)})
        compared.confirmed.extend(by_ref[ref] for ref in dict.fromkeys(answer.same) if ref in by_ref)

    ask_in_turn([pairs[start : start + PAIRS_AT_ONCE] for start in range(0, len(pairs), PAIRS_AT_ONCE)], ask, halves)
    return compared
