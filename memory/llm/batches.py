"""Sends the questions of one unit of work as a provider batch, at half the price, when no caller waits for the answers.

A unit of work has at most one provider batch. Its row is committed before the batch is submitted and updated with the
provider's id after, so a crash costs at most one repeated submission. The work backs off, and each claim polls the
provider. Answers are stored like those of direct calls; questions without one when the batch ends are asked directly.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import structlog

from memory.llm.call_ledger import CallLedger, prompt_hash
from providers.errors import BadAnswer, Misconfigured, ProviderError, Transient
from providers.lease_guard import before_request
from providers.thinking import BatchThinker, Completion, Question
from schemas.llm.calls import ProviderBatch
from schemas.settings import Settings
from schemas.work import Claim
from store.database import Store
from store.errors import BudgetSpent, StoreError
from store.llm import batches

log = structlog.get_logger()


class BatchPending(Transient):
    """The provider has not finished the batch: back off and poll again. Not a failure."""


class BatchedRequests:
    """The provider batch of one unit of work.

    Args:
        store: The ledger.
        settings: The polling interval and the longest wait.
        claim: The work.
        thinker: The provider.
        ledger: Stored answers and cost accounting.
        key_id: The user's key that pays; None: the platform's.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        claim: Claim,
        thinker: BatchThinker,
        ledger: CallLedger,
        key_id: UUID | None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._claim = claim
        self._thinker = thinker
        self._ledger = ledger
        self._key_id = key_id

    def await_answers(self, questions: Sequence[Question[Any]]) -> None:
        """Return once the answers are stored, or the batch has ended and the rest must be asked directly.

        Raises:
            BatchPending: The batch is submitted and not finished.
            ProviderError: The batch could not be submitted.
        """
        before_request()
        asked = {prompt_hash(question).hex(): question for question in questions if not self._ledger.known(question)}
        with self._store.transaction() as tx:
            batch = batches.find(tx, self._claim, self._settings.batch_patience)
        if batch is None or (batch.provider_batch_id is None and batch.ended_at is None):
            # A row without a provider id comes from a submission that crashed: submit again.
            self._submit(asked)
        elif batch.ended_at is None:
            self._collect(batch, asked)

    def _submit(self, asked: Mapping[str, Question[Any]]) -> None:
        calls: dict[str, UUID] = {}
        for name, question in asked.items():
            try:
                calls[name] = self._ledger.reserve(question, batch=True)
            except BudgetSpent:
                # The rest is asked directly after the batch, and raises BudgetSpent then if the budget is still short.
                break
        if not calls:
            return
        with self._store.transaction() as tx:
            batches.begin(tx, self._ledger.account, self._key_id, calls)
        try:
            batch_id = self._thinker.submit([(name, asked[name]) for name in calls])
        except (ProviderError, StoreError) as error:
            for call_id in calls.values():
                self._ledger.failed(call_id, error)
            raise
        with self._store.transaction() as tx:
            batches.submitted(tx, self._claim, batch_id)
        log.info("batch.submitted", questions=len(calls))
        raise self._pending()

    def _collect(self, batch: ProviderBatch, asked: Mapping[str, Question[Any]]) -> None:
        answers = self._answers(batch)
        if answers is None and not batch.late:
            raise self._pending()
        for name, answer in (answers or {}).items():
            if not isinstance(answer, Completion | BadAnswer):
                self._ledger.failed(batch.call_ids[name], answer)
            elif name in asked:
                self._ledger.keep(asked[name], batch.call_ids[name], answer, batch=True)
            else:
                self._ledger.write_off(batch.call_ids[name], answer, batch=True)
        with self._store.transaction() as tx:
            batches.end(tx, self._claim)
        log.info("batch.over", answers=len(answers or {}), late=answers is None)

    def _answers(self, batch: ProviderBatch) -> Mapping[str, Completion | ProviderError] | None:
        """Poll the provider. None: not finished; empty: there will be no answers, as this key has no such batch."""
        if batch.key_id != self._key_id or batch.provider_batch_id is None:
            return {}
        try:
            return self._thinker.collect(batch.provider_batch_id)
        except Misconfigured as fault:
            log.warning("batch.given_up", reason=str(fault))
            return {}

    def _pending(self) -> BatchPending:
        wait = self._settings.batch_wait.total_seconds()
        return BatchPending("The provider has not answered the batch yet.", retry_after=wait)
