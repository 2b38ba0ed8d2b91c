"""Steps of a patrol that ask a model: they never wait for one, and go on without it where none is available."""

from abc import abstractmethod
from collections.abc import Callable, Collection
from functools import partial
from typing import Any, TypeVar
from uuid import UUID

import structlog

from memory.llm.model_work import Asking, ModelWork, OpenSession
from memory.llm.payer import LlmUnavailable
from memory.llm.provider_batches import BatchPending
from memory.llm.session import LlmSession, RequestsStopped, llm_session
from providers.errors import ProviderError, Transient
from providers.thinkers import Thinkers
from schemas.errors import BudgetSpent
from schemas.ledger.kinds import PATROL_STEPS, STEPS
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.database import Store
from store.ledger import work
from store.patrol import runs
from store.transaction import Transaction

log = structlog.get_logger()

T = TypeVar("T")

Effects = Callable[[Transaction], dict[str, Any]]
"""The writes of a step, made in the transaction that finishes it; returns the step's report."""


class ThinkingStep(ModelWork[Effects]):
    """A step that asks a model, and has effects without one as well.

    A step that is skipped because the provider is away is noted as owed, and a run follows when the provider is back.
    """

    llm: LlmSession
    settled: Effects | None = None

    @abstractmethod
    def think(self, llm: LlmSession) -> Effects:
        """The step with a model; no connection is held."""

    def go_without(self) -> Effects | None:
        """The step without a key or budget; no connection is held. None: it is skipped."""
        return None

    def open(
        self,
        tx: Transaction,
        open_session: OpenSession,
        request_keys: Collection[UUID | None] = (),
        *,
        min_inputs: int | None = None,
    ) -> Asking[Effects]:
        """Open the session of the step; the arguments are those of `llm_session`."""
        awaited = runs.awaited(tx, self.claim.owner_id, UUID(self.claim.key))
        llm = open_session(request_keys, min_inputs=min_inputs, awaited=awaited)
        if isinstance(llm, LlmUnavailable):
            return llm
        self.llm = llm
        return partial(self.think, llm)

    def without_model(self, unavailable: LlmUnavailable) -> Effects:
        """The effects where no model can be asked."""
        if not self._logged_before(unavailable.reason):
            log.info(
                "patrol.without_model",
                reason=unavailable.logged,
                skipped="consolidation, splitting by a model, diary and think_md",
                being_id=str(self.claim.owner_id),
                run_id=self.claim.key,
            )
        if unavailable.away:
            return self._owing(_skipping(unavailable.reason))
        return self._alone(unavailable.reason)

    def after_fault(self, fault: ProviderError | BudgetSpent) -> Effects:
        """The effects of the answers that are stored, and paid; no more is requested.

        Raises:
            Transient: Another provider, such as the embedder's, is down: back off.
            BatchPending: A provider batch is not finished: back off.
        """
        away = self.llm.found_away
        if isinstance(fault, BatchPending) or (isinstance(fault, Transient) and not away):
            raise fault
        if isinstance(fault, BudgetSpent):
            self._log_skipped(fault)
            return self._alone(str(fault))
        try:
            effects = self.think(self.llm.stored_answers_only(str(fault)))
        except (ProviderError, BudgetSpent, RequestsStopped):
            self._log_skipped(fault)
            effects = _skipping(str(fault))
        return self._owing(effects) if away else effects

    def keep(self, tx: Transaction, answer: Effects | None) -> None:
        """Finish the step."""
        finish(tx, self.claim, answer or self.settled or (lambda _: {}))

    def _alone(self, reason: str) -> Effects:
        effects = self.go_without()
        return _skipping(reason) if effects is None else lambda tx: {"reason": reason, **effects(tx)}

    def _owing(self, effects: Effects) -> Effects:
        """Note with a step's effects that a run is to follow when the provider is back."""

        def owing(tx: Transaction) -> dict[str, Any]:
            runs.owe_thinking(tx, self.claim.owner_id, UUID(self.claim.key))
            return effects(tx)

        return owing

    def _logged_before(self, reason: str) -> bool:
        """Whether an earlier step of this run went without a model for the same reason: a run logs it once."""
        with self.store.transaction() as tx:
            reports = runs.get(tx, self.claim.owner_id, UUID(self.claim.key)).steps.values()
        return any(report.get("reason") == reason for report in reports)

    def _log_skipped(self, fault: Exception) -> None:
        log.info(
            "patrol.thinking_skipped",
            step=self.claim.kind,
            reason=str(fault),
            being_id=str(self.claim.owner_id),
            run_id=self.claim.key,
        )


def finish(tx: Transaction, claim: Claim, effects: Effects) -> None:
    """Finish a step: its effects, its report, and the ledger's row for the next step, which the Celery chain runs."""
    being_id, run_id = claim.owner_id, UUID(claim.key)
    step = claim.kind.removeprefix("patrol.")
    following = STEPS[PATROL_STEPS[PATROL_STEPS.index(step) + 1]]
    runs.lock_for_step(tx, being_id, run_id)
    did = {"outcome": "done", **effects(tx)}
    runs.note_step(tx, being_id, run_id, step, did)
    work.ask(tx, being_id, following, claim.key, in_chain=True)


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
        llm = store.run(llm_session, store, thinkers, settings, claim, request_keys)
        return default if isinstance(llm, LlmUnavailable) else with_llm(llm)
    except (ProviderError, BudgetSpent) as fault:
        log.info("patrol.went_on_without", step=claim.kind, reason=str(fault), being_id=str(claim.owner_id))
        return default


def _skipping(reason: str) -> Effects:
    return lambda _: {"outcome": "skipped", "reason": reason}
