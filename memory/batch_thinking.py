"""Many questions asked in one lot, at half the price, for work that nobody waits for.

A unit of work has at most one lot. It is remembered before it is sent and again once it has arrived, so that a crash
costs at most one lot sent twice. The work backs off, and each time that it is claimed it looks whether the answers are
there. They are kept like any others; what has none when the lot is over is asked directly.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import structlog

from memory.bookkeeping import Books, prompt_hash
from providers.errors import BadAnswer, Misconfigured, ProviderError, Transient
from providers.permission import before_request
from providers.thinking import BatchThinker, Question, Said
from schemas.settings import Settings
from schemas.thinking import Batch
from schemas.work import Claim
from store import batches
from store.database import Store
from store.errors import BudgetSpent, StoreError

log = structlog.get_logger()


class BatchUnderWay(Transient):
    """The provider has not answered yet, and nothing is wrong: back off, and look again."""


class Lot:
    """The lot of one unit of work.

    Args:
        store: The ledger.
        settings: How often to look, and for how long.
        claim: The work.
        thinker: Who is asked.
        books: What was said before, and what it costs.
        key_id: The user's key with which the thinker is asked; None: the platform's.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings,
        claim: Claim,
        thinker: BatchThinker,
        books: Books,
        key_id: UUID | None,
    ) -> None:
        self._store = store
        self._settings = settings
        self._claim = claim
        self._thinker = thinker
        self._books = books
        self._key_id = key_id

    def await_answers(self, questions: Sequence[Question[Any]]) -> None:
        """Return once the answers are kept, or are to be asked for directly.

        Raises:
            BatchUnderWay: They are not there yet.
            ProviderError: The lot could not be handed in.
        """
        before_request()
        asked = {prompt_hash(question).hex(): question for question in questions if not self._books.known(question)}
        with self._store.transaction() as tx:
            lot = batches.find(tx, self._claim, self._settings.batch_patience)
        if lot is None or (lot.batch_id is None and lot.over_at is None):
            # What was begun and did not arrive, as far as anybody knows, is begun anew.
            self._submit(asked)
        elif lot.over_at is None:
            self._collect(lot, asked)

    def _submit(self, asked: Mapping[str, Question[Any]]) -> None:
        calls: dict[str, UUID] = {}
        for name, question in asked.items():
            try:
                calls[name] = self._books.reserve(question, batch=True)
            except BudgetSpent:
                # Asked directly once the lot is over, and told then if there is still too little.
                break
        if not calls:
            return
        with self._store.transaction() as tx:
            batches.begin(tx, self._books.account, self._key_id, calls)
        try:
            batch_id = self._thinker.submit([(name, asked[name]) for name in calls])
        except (ProviderError, StoreError) as error:
            for call_id in calls.values():
                self._books.failed(call_id, error)
            raise
        with self._store.transaction() as tx:
            batches.arrived(tx, self._claim, batch_id)
        log.info("batch.submitted", questions=len(calls))
        raise self._under_way()

    def _collect(self, lot: Batch, asked: Mapping[str, Question[Any]]) -> None:
        answers = self._answers(lot)
        if answers is None and not lot.late:
            raise self._under_way()
        for name, answer in (answers or {}).items():
            if not isinstance(answer, Said | BadAnswer):
                self._books.failed(lot.calls[name], answer)
            elif name in asked:
                self._books.keep(asked[name], lot.calls[name], answer, batch=True)
            else:
                self._books.write_off(lot.calls[name], answer, batch=True)
        with self._store.transaction() as tx:
            batches.end(tx, self._claim)
        log.info("batch.over", answers=len(answers or {}), late=answers is None)

    def _answers(self, lot: Batch) -> Mapping[str, Said | ProviderError] | None:
        """What came of it; None: nothing yet; empty: nothing will, for the provider knows no such lot of this key."""
        if lot.key_id != self._key_id or lot.batch_id is None:
            return {}
        try:
            return self._thinker.collect(lot.batch_id)
        except Misconfigured as fault:
            log.warning("batch.given_up", reason=str(fault))
            return {}

    def _under_way(self) -> BatchUnderWay:
        wait = self._settings.batch_wait.total_seconds()
        return BatchUnderWay("The provider has not answered the batch yet.", retry_after=wait)
