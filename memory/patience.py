"""Thinking where it is possible, and going on where it is not: no patrol waits for ever for a model, or stops."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar
from uuid import UUID

import structlog

from memory.batch_thinking import BatchUnderWay
from memory.thinking import Mind, NoMind, NotAsked, mind_for
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.thinkers import Thinkers
from schemas.settings import Settings
from schemas.work import Claim
from store import clock, runs
from store.database import Store
from store.errors import BudgetSpent
from store.transaction import Transaction

log = structlog.get_logger()

T = TypeVar("T")

Effects = Callable[[Transaction], dict[str, Any]]
"""What a step does in the transaction that finishes it; returns its report."""


def thought(
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    think: Callable[[Mind], Effects],
    without: Effects | None = None,
) -> Effects:
    """Let a step think, and where nobody can, finish without.

    Args:
        store: The ledger.
        thinkers: Who can be asked.
        settings: How long to wait for a provider that is down.
        claim: The step's work.
        think: What it does with a mind.
        without: What it does where there is no key or the budget is spent; nothing, unless said.

    Raises:
        Transient: The provider is down, and there is patience left: wait, and try the step again.
    """
    mind = mind_for(store, thinkers, settings, claim, awaited=_awaited(store, claim))
    if isinstance(mind, NoMind):
        return _given_up(claim, mind.reason, without, logged=mind.logged)
    try:
        return think(mind)
    except BatchUnderWay:
        # Nobody waits for it, and nothing is wrong: patience is for faults.
        raise
    except BudgetSpent as spent:
        return _given_up(claim, str(spent), without)
    except (BadAnswer, InputRefused, Misconfigured) as fault:
        return _with_what_was_said(claim, mind, think, fault)
    except Transient as fault:
        waited, left = _patience(store, settings, claim)
        wait = fault.retry_after if fault.retry_after is not None else max(waited.total_seconds(), 1.0)
        if left <= timedelta(0) or (fault.retry_after is not None and wait > left.total_seconds()):
            return _with_what_was_said(claim, mind, think, fault)
        # What was waited so far, once more: doubling, and never beyond the end of patience.
        raise Transient(str(fault), retry_after=min(wait, left.total_seconds())) from fault


def thought_at_once(
    store: Store, thinkers: Thinkers, settings: Settings, claim: Claim, think: Callable[[Mind], T], without: T
) -> T:
    """Let a mechanical step think of what it can do without as well: where nobody can right now, it does not wait."""
    try:
        mind = mind_for(store, thinkers, settings, claim)
        return without if isinstance(mind, NoMind) else think(mind)
    except (ProviderError, BudgetSpent) as fault:
        log.info("patrol.went_on_without", step=claim.kind, reason=str(fault), being_id=str(claim.owner_id))
        return without


def _awaited(store: Store, claim: Claim) -> bool:
    """Whether somebody demanded this patrol, or one that has to wait for it."""
    with store.transaction() as tx:
        return runs.awaited(tx, claim.owner_id, UUID(claim.key))


def _patience(store: Store, settings: Settings, claim: Claim) -> tuple[timedelta, timedelta]:
    """How long the step has been at it since its first claim, and how long it may go on."""
    with store.transaction() as tx:
        waited = clock.now(tx) - claim.as_of
    return waited, settings.patience - waited


def _with_what_was_said(claim: Claim, mind: Mind, think: Callable[[Mind], Effects], fault: ProviderError) -> Effects:
    """Ask nobody any longer; what was paid for until now still counts."""
    try:
        return think(mind.without_asking(str(fault)))
    except (ProviderError, BudgetSpent, NotAsked):
        return _given_up(claim, str(fault))


def _given_up(claim: Claim, reason: str, without: Effects | None = None, *, logged: str = "") -> Effects:
    log.info(
        "patrol.thinking_skipped",
        step=claim.kind,
        reason=logged or reason,
        being_id=str(claim.owner_id),
        run_id=claim.key,
    )

    def effects(tx: Transaction) -> dict[str, Any]:
        return {"outcome": "skipped", "reason": reason} if without is None else {"reason": reason, **without(tx)}

    return effects
