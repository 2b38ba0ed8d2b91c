"""Sends the questions of one unit of work as a provider batch, at half the price, when no caller waits for the answers.

A unit of work has at most one provider batch. Its row is committed before the batch is submitted and updated with the
provider's id after, so a crash costs at most one repeated submission. The work backs off, and each claim polls the
provider. Answers are stored like those of direct calls; questions without one when the batch ends are asked directly.

A batch that is late, or that a caller has come to wait for, is cancelled and then collected: the provider's answers
until then are charged and used, and only the other questions are asked directly.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

import structlog

from memory.llm.call_ledger import CallLedger, prompt_hash
from providers.completion import Completion
from providers.errors import BadAnswer, Misconfigured, ProviderError, Transient
from providers.lease_guard import before_request
from providers.thinking import BatchThinker, Question
from schemas.errors import BudgetSpent, StoreError
from schemas.ledger.work import Claim
from schemas.llm.calls import ProviderBatch
from schemas.settings import Settings
from store.database import Store
from store.llm import batches

log = structlog.get_logger()

UNFINISHED = "The provider has not answered the batch yet."
# A cancelled batch ends within seconds, and a caller waits for it.
CANCELLED_WAIT = timedelta(seconds=5)
LONGEST_CANCELLING = timedelta(minutes=5)


class BatchPending(Transient):
    """The provider has not finished the batch: back off and poll again. Not a failure.

    Args:
        message: The awaited event.
        retry_after: Seconds to wait.
        polled: Whether the provider answered just now.
    """

    def __init__(self, message: str, *, retry_after: float, polled: bool) -> None:
        super().__init__(message, retry_after=retry_after)
        self.polled = polled


class BatchedRequests:
    """The provider batch of one unit of work.

    Args:
        settings: The polling interval and the longest wait.
        ledger: Stored answers and cost accounting.
        key_id: The user's key that pays; None: the platform's.
        awaited: Whether a caller waits for the answers: nothing is submitted, and a batch in progress is cancelled.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        claim: Claim,
        thinker: BatchThinker,
        ledger: CallLedger,
        key_id: UUID | None,
        *,
        awaited: bool,
    ) -> None:
        self._store = store
        self._settings = settings
        self._claim = claim
        self._thinker = thinker
        self._ledger = ledger
        self._key_id = key_id
        self._awaited = awaited

    def await_answers(self, questions: Sequence[Question[Any]]) -> None:
        """Return once the answers are stored, or the batch has ended and the rest must be asked directly.

        Raises:
            BatchPending: The batch is submitted and not finished.
            ProviderError: The batch could not be submitted.
        """
        batch = self._store.run(
            batches.find, self._claim, late_after=self._settings.batch_patience, overdue_after=LONGEST_CANCELLING
        )
        if batch is not None and batch.provider_batch_id is not None:
            if batch.ended_at is None:
                self._collect(batch, self._unanswered(questions))
        elif self._settings.batch_thinking and not self._awaited:
            # A row without a provider id comes from a submission that crashed: submit again.
            self._submit(self._unanswered(questions))

    def _unanswered(self, questions: Sequence[Question[Any]]) -> dict[str, Question[Any]]:
        """Return the questions without a stored answer, by the name that each has in a batch."""
        before_request()
        return {prompt_hash(question).hex(): question for question in questions if not self._ledger.known(question)}

    def _submit(self, questions: Mapping[str, Question[Any]]) -> None:
        calls: dict[str, UUID] = {}
        for name, question in questions.items():
            try:
                calls[name] = self._ledger.reserve(question, batch=True).call_id
            except BudgetSpent:
                # The rest is asked directly after the batch, and raises BudgetSpent then if the budget is still short.
                break
        if not calls:
            return
        self._store.run(batches.begin, self._ledger.account, self._key_id, calls)
        try:
            batch_id = self._thinker.submit([(name, questions[name]) for name in calls])
        except (ProviderError, StoreError) as error:
            for call_id in calls.values():
                self._ledger.failed(call_id, error)
            raise
        self._store.run(batches.record, self._claim, "submitted", batch_id)
        log.info("batch.submitted", questions=len(calls))
        raise self._pending()

    def _collect(self, batch: ProviderBatch, questions: Mapping[str, Question[Any]]) -> None:
        answers = self._answers(batch)
        if answers is None and not batch.overdue:
            if self._awaited or batch.late:
                self._cancel(batch)
                raise self._pending(CANCELLED_WAIT)
            raise self._pending()
        for name, answer in (answers or {}).items():
            if not isinstance(answer, Completion | BadAnswer):
                self._ledger.failed(batch.call_ids[name], answer)
            elif name in questions:
                self._ledger.keep(questions[name], batch.call_ids[name], answer, batch=True)
            else:
                self._ledger.settle(batch.call_ids[name], answer, batch=True)
        self._store.run(batches.record, self._claim, "ended")
        log.info("batch.over", answers=len(answers or {}), given_up=answers is None)

    def _cancel(self, batch: ProviderBatch) -> None:
        """Cancel the batch, once."""
        if batch.cancelled_at is not None or batch.provider_batch_id is None:
            return
        try:
            self._thinker.cancel(batch.provider_batch_id)
        except Misconfigured as fault:
            # The next poll finds the same, and gives the batch up.
            log.warning("batch.not_cancelled", reason=str(fault))
        self._store.run(batches.record, self._claim, "cancelled")
        log.info("batch.cancelled", late=batch.late)

    def _answers(self, batch: ProviderBatch) -> Mapping[str, Completion | ProviderError] | None:
        """Poll the provider. None: not finished; empty: there will be no answers, as this key has no such batch."""
        if batch.key_id != self._key_id or batch.provider_batch_id is None:
            return {}
        try:
            return self._thinker.collect(batch.provider_batch_id)
        except Misconfigured as fault:
            log.warning("batch.given_up", reason=str(fault))
            return {}
        except Transient as fault:
            if self._awaited or batch.late:
                raise
            # The provider may be working on the batch while it can't be polled.
            raise self._pending(reason=str(fault)) from fault

    def _pending(self, most: timedelta = timedelta.max, reason: str = UNFINISHED) -> BatchPending:
        wait = min(most, self._settings.batch_wait).total_seconds()
        return BatchPending(reason, retry_after=wait, polled=reason == UNFINISHED)
