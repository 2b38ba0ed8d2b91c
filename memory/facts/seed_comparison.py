"""Compares seeds with what was known under their keys, so that a seed replaces what it contradicts.

What code recognises (`exclusive_values`) is settled when a seed is taken. The rest waits for a model, which compares it
as reconciliation compares what was said; until then all of it stands.
"""

from functools import partial

import structlog

from memory.facts import vectors
from memory.facts.reconciliation import STATEMENTS_COMPARED, compare
from memory.llm.session import LlmUnavailable, llm_session
from providers.thinkers import Thinkers
from schemas.ledger.kinds import COMPARE_SEEDS
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.database import Store
from store.facts import facts, seed_comparison
from store.facts.statements import known_statements
from store.ledger import work

log = structlog.get_logger()

FACTS_AT_ONCE = 20


def request_waiting(store: Store, thinkers: Thinkers, limit: int = 200) -> None:
    """Request the comparison for up to `limit` users whose seeds wait for it, and who have a usable key now."""
    with store.transaction() as tx:
        for user_id in seed_comparison.users_waiting(tx, platform=thinkers.has_platform(), limit=limit):
            work.ask(tx, user_id, COMPARE_SEEDS)


def compare_seeds(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """Compare a user's seeds with the other statements of their facts, 20 facts at a time.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; no seed is marked as compared.
    """
    user_id = claim.owner_id
    with store.transaction() as tx:
        waiting = seed_comparison.uncompared(tx, user_id, FACTS_AT_ONCE)
        known = known_statements(tx, user_id, list(waiting), STATEMENTS_COMPARED)
        groups = [group for group in known.values() if len(group) > 1]
        llm = llm_session(tx, store, thinkers, settings, claim) if groups else None
    seeds = {statement_id for statement_ids in waiting.values() for statement_id in statement_ids}
    contradicted = []
    if isinstance(llm, LlmUnavailable):
        log.info("seeds.without_model", reason=llm.logged, user_id=str(user_id), facts=len(groups))
        with store.finishing(claim):
            return
    if llm is not None:
        relations = compare(llm, groups, seeds)
        contradicted = [(new, other) for new, other, relation in relations if relation == "contradicts"]
    with store.finishing(claim, first=partial(facts.lock, user_id=user_id)) as tx:
        for new, other in contradicted:
            seed_comparison.add_conflict(tx, user_id, new, other)
        seed_comparison.mark_compared(tx, user_id, list(seeds))
        if contradicted:
            vectors.request_embedding(tx, user_id)
        if len(waiting) == FACTS_AT_ONCE:
            work.ask(tx, user_id, COMPARE_SEEDS)
