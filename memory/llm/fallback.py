"""Runs a patrol step with a model where one is available, and finishes the step without one where it is not."""

from collections.abc import Callable, Collection
from typing import Any, TypeVar
from uuid import UUID

import structlog

from memory.llm.batches import BatchPending
from memory.llm.session import LlmSession, LlmUnavailable, RequestsStopped, llm_session
from providers.errors import ProviderError, Transient
from providers.thinkers import Thinkers
from schemas.errors import BudgetSpent
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.database import Store
from store.patrol import runs
from store.transaction import Transaction

log = structlog.get_logger()

T = TypeVar("T")

Effects = Callable[[Transaction], dict[str, Any]]
"""The writes of a step, made in the transaction that finishes it; returns the step's report."""


def has_model(
    tx: Transaction,
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    request_keys: Collection[UUID | None] = (),
) -> bool:
    """Whether a model is available for at least one of a step's inputs, before the work of preparing its prompts.

    Without `request_keys`: whether one is available whatever keys the inputs came with.
    """
    return not isinstance(llm_session(tx, store, thinkers, settings, claim, request_keys, min_inputs=1), LlmUnavailable)


def run_with_llm(
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    with_llm: Callable[[LlmSession], Effects],
    without_llm: Callable[[], Effects] | None = None,
    *,
    request_keys: Collection[UUID | None] = (),
    min_inputs: int | None = None,
) -> Effects:
    """Run a step with a model, and fall back where no model is available. It never waits for a provider.

    What a step skips because the provider is away is noted as owed, and a run follows when the provider is back.

    Args:
        store: The ledger.
        thinkers: The providers.
        settings: Prices, budgets, and the most requests at a time.
        claim: The step's work.
        with_llm: The step with a model.
        without_llm: The step without a key or budget, called without a connection; None: it is skipped.
        request_keys: See `llm_session`.
        min_inputs: See `llm_session`.

    Raises:
        Transient: Another provider, such as the embedder's, is down: back off.
        BatchPending: A provider batch is not finished: back off.
    """
    with store.transaction() as tx:
        awaited = runs.awaited(tx, claim.owner_id, UUID(claim.key))
        llm = llm_session(tx, store, thinkers, settings, claim, request_keys, min_inputs=min_inputs, awaited=awaited)
    if isinstance(llm, LlmUnavailable):
        if not _logged_before(store, claim, llm.reason):
            log.info(
                "patrol.without_model",
                reason=llm.logged,
                skipped="consolidation, splitting by a model, diary and think_md",
                being_id=str(claim.owner_id),
                run_id=claim.key,
            )
        if llm.away:
            return _owing(claim, _effects_without_llm(llm.reason, None))
        return _effects_without_llm(llm.reason, without_llm)
    try:
        return with_llm(llm)
    except BatchPending:
        raise
    except BudgetSpent as spent:
        return _skipped(claim, str(spent), without_llm)
    except ProviderError as fault:
        away = llm.found_away
        if isinstance(fault, Transient) and not away:
            raise
        effects = _from_stored_answers(claim, llm, with_llm, fault)
        return _owing(claim, effects) if away else effects


def try_with_llm(
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    with_llm: Callable[[LlmSession], T],
    default: T,
    request_keys: Collection[UUID | None],
) -> T:
    """Try a model once, without waiting; `default` where none is available now or the provider fails."""
    try:
        with store.transaction() as tx:
            llm = llm_session(tx, store, thinkers, settings, claim, request_keys)
        return default if isinstance(llm, LlmUnavailable) else with_llm(llm)
    except (ProviderError, BudgetSpent) as fault:
        log.info("patrol.went_on_without", step=claim.kind, reason=str(fault), being_id=str(claim.owner_id))
        return default


def _owing(claim: Claim, effects: Effects) -> Effects:
    """Note with a step's effects that a run is to follow when the provider is back."""

    def owing(tx: Transaction) -> dict[str, Any]:
        runs.owe_thinking(tx, claim.owner_id, UUID(claim.key))
        return effects(tx)

    return owing


def _from_stored_answers(
    claim: Claim, llm: LlmSession, with_llm: Callable[[LlmSession], Effects], fault: ProviderError
) -> Effects:
    """Apply the answers that are stored (and paid), and request no more."""
    try:
        return with_llm(llm.stored_answers_only(str(fault)))
    except (ProviderError, BudgetSpent, RequestsStopped):
        return _skipped(claim, str(fault))


def _logged_before(store: Store, claim: Claim, reason: str) -> bool:
    """Whether an earlier step of this run went without a model for the same reason: a run logs it once."""
    with store.transaction() as tx:
        reports = runs.get(tx, claim.owner_id, UUID(claim.key)).steps.values()
    return any(report.get("reason") == reason for report in reports)


def _skipped(claim: Claim, reason: str, without_llm: Callable[[], Effects] | None = None) -> Effects:
    log.info(
        "patrol.thinking_skipped",
        step=claim.kind,
        reason=reason,
        being_id=str(claim.owner_id),
        run_id=claim.key,
    )
    return _effects_without_llm(reason, without_llm)


def _effects_without_llm(reason: str, without_llm: Callable[[], Effects] | None) -> Effects:
    if without_llm is None:
        return lambda _: {"outcome": "skipped", "reason": reason}
    effects = without_llm()
    return lambda tx: {"reason": reason, **effects(tx)}
