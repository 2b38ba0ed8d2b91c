"""The curator: folds facts of one user that say the same under different keys.

Vectors nominate pairs, and `fold_rules` decides: near-identical wordings are folded at once; other pairs that agree in
every number, side, name and negation are folded if a model confirms it. Without a model they are left for a later run.
Folds are undone by the operation `unfold_fact`.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from uuid import UUID

from memory.facts.fold_rules import may_say_the_same, near_identical
from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.portions import ask_in_turn, halves
from memory.llm.prompting import prompt
from memory.llm.session import LlmSession
from memory.text.prompt_escaping import tagged
from schemas.facts.fact_rows import Fact
from schemas.facts.judgement import FoldConfirmation
from schemas.ledger.kinds import CURATE, EMBED_FACTS
from schemas.limits import FOLD_SIMILARITY
from schemas.settings import Settings
from store.facts import curator, facts
from store.facts.curator import FactPair
from store.ledger import work
from store.transaction import Transaction

FOLD = prompt("fold", FoldConfirmation, size="small", most_tokens=1_000)
FACTS_AT_ONCE = 500
PAIRS_AT_ONCE = 20
AWAY_WAIT = timedelta(minutes=5)


def request_if_due(tx: Transaction, settings: Settings, user_id: UUID) -> None:
    """Request the curator if at least `curate_after` facts wait to be compared."""
    if curator.count_uncurated(tx, user_id) >= settings.curate_after:
        work.ask(tx, user_id, CURATE)


class _Comparison(ModelWork[list[FactPair]]):
    """Compares facts that were not compared yet with all others, 500 at a time, and folds those that say the same."""

    fresh: Sequence[UUID]
    known: Mapping[UUID, Fact]
    same: Sequence[FactPair]
    doubtful: Sequence[FactPair]

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[list[FactPair]]:
        user_id = self.claim.owner_id
        self.fresh = curator.uncurated(tx, user_id, FACTS_AT_ONCE)
        pairs = curator.similar_pairs(tx, user_id, self.fresh, similarity=FOLD_SIMILARITY)
        self.known = known = curator.read(
            tx, user_id, [fact_id for pair in pairs for fact_id in (pair.one, pair.other)]
        )
        self.same = [pair for pair in pairs if near_identical(known[pair.one], known[pair.other])]
        rest = [pair for pair in pairs if pair not in self.same]
        self.doubtful = [pair for pair in rest if may_say_the_same(known[pair.one], known[pair.other])]
        llm = open_session() if self.doubtful else None
        return partial(_confirm, llm, self.doubtful, known) if isinstance(llm, LlmSession) else llm

    def lock(self, tx: Transaction) -> None:
        facts.lock(tx, self.claim.owner_id)

    def keep(self, tx: Transaction, answer: list[FactPair] | None) -> None:
        self._fold(tx, answer or (), left=())
        if len(self.fresh) == FACTS_AT_ONCE:
            work.ask(tx, self.claim.owner_id, CURATE)

    def wait(self, tx: Transaction, unavailable: LlmUnavailable) -> None:
        """Fold facts of equal wording; the other pairs are compared again with the next facts, or soon."""
        left = {fact_id for pair in self.doubtful for fact_id in (pair.one, pair.other)}
        self._fold(tx, (), left)
        if len(self.fresh) == FACTS_AT_ONCE and not left.issuperset(self.fresh):
            work.ask(tx, self.claim.owner_id, CURATE)
        elif unavailable.away:
            work.ask(tx, self.claim.owner_id, CURATE, after=AWAY_WAIT)

    def _fold(self, tx: Transaction, confirmed: Collection[FactPair], left: Collection[UUID]) -> None:
        user_id = self.claim.owner_id
        now = curator.read(tx, user_id, list(self.known))
        unchanged = {fact_id for fact_id, fact in now.items() if fact.content == self.known[fact_id].content}
        folds = [
            curator.fold(tx, user_id, group)
            for group in fold_groups([*self.same, *confirmed], self.known)
            if unchanged.issuperset(group)
        ]
        curator.record_run(tx, user_id, [fact_id for fact_id in self.fresh if fact_id not in left])
        if any(folds):
            work.ask(tx, user_id, EMBED_FACTS)


curate = _Comparison.do


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


def _confirm(llm: LlmSession, pairs: Sequence[FactPair], known: Mapping[UUID, Fact]) -> list[FactPair]:
    """Return the pairs that a model judges to be the same."""
    confirmed: list[FactPair] = []

    def ask(some: Sequence[FactPair], divisible: bool) -> None:
        by_ref = {f"p{place}": pair for place, pair in enumerate(some, 1)}
        shown = [
            tagged("fact", known[fact_id].content, pair=ref)
            for ref, pair in by_ref.items()
            for fact_id in (pair.one, pair.other)
        ]
        answer = llm.ask(replace(FOLD.question("", "\n".join(shown)), divisible=divisible)).answer
        llm.count_dropped("fold", {"no such pair": sum(ref not in by_ref for ref in answer.same)})
        confirmed.extend(by_ref[ref] for ref in dict.fromkeys(answer.same) if ref in by_ref)

    ask_in_turn([pairs[start : start + PAIRS_AT_ONCE] for start in range(0, len(pairs), PAIRS_AT_ONCE)], ask, halves)
    return confirmed
