"""Compares seeds with the statements known under their keys, so that a seed replaces those that it contradicts.

Contradictions that code recognises (`exclusive_values`) are settled when a seed is added. Other seeds wait for a model,
which compares them as reconciliation compares extracted facts; until then all statements stand.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from uuid import UUID

from memory.facts import vectors
from memory.facts.reconciliation import STATEMENTS_COMPARED, compare
from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.session import LlmSession
from providers.thinkers import Thinkers
from schemas.ledger.kinds import COMPARE_SEEDS
from store.database import Store
from store.facts import facts, seeds
from store.facts.statements import known_statements
from store.ledger import work
from store.transaction import Transaction

FACTS_AT_ONCE = 20
_Relations = list[tuple[UUID, UUID, str]]


def request_waiting(store: Store, thinkers: Thinkers) -> None:
    """Request the comparison for up to 200 users that have waiting seeds and a usable key now."""
    with store.transaction() as tx:
        for user_id in seeds.users_waiting(tx, platform=thinkers.has_platform(), limit=200):
            work.ask(tx, user_id, COMPARE_SEEDS)


class _Comparison(ModelWork[_Relations]):
    """Compares a user's seeds with the other statements of their facts, 20 facts at a time."""

    waiting: Mapping[UUID, Sequence[UUID]]

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[_Relations]:
        user_id = self.claim.owner_id
        self.waiting = seeds.uncompared(tx, user_id, FACTS_AT_ONCE)
        known = known_statements(tx, user_id, list(self.waiting), STATEMENTS_COMPARED)
        groups = [group for group in known.values() if len(group) > 1]
        llm = open_session() if groups else None
        return partial(compare, llm, groups, self._seeds) if isinstance(llm, LlmSession) else llm

    @property
    def _seeds(self) -> set[UUID]:
        return {statement_id for statement_ids in self.waiting.values() for statement_id in statement_ids}

    def lock(self, tx: Transaction) -> None:
        facts.lock(tx, self.claim.owner_id)

    def keep(self, tx: Transaction, answer: _Relations | None) -> None:
        user_id = self.claim.owner_id
        contradicted = [(new, other) for new, other, relation in answer or () if relation == "contradicts"]
        for new, other in contradicted:
            seeds.add_conflict(tx, user_id, new, other)
        seeds.mark_compared(tx, user_id, list(self._seeds), compared=True)
        if contradicted:
            vectors.request_embedding(tx, user_id)
        if len(self.waiting) == FACTS_AT_ONCE:
            work.ask(tx, user_id, COMPARE_SEEDS)


compare_seeds = _Comparison.do
