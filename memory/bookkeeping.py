"""The books of thinking: what was said before, what a call may cost before it is made, and what it did cost."""

from dataclasses import asdict
from hashlib import sha256
from typing import Any
from uuid import UUID

from pydantic_core import to_json

from providers.errors import BadAnswer, ProviderError
from providers.prices import cost_of
from providers.thinking import Question, Said, Thinker, most_usage, read
from schemas.settings import Settings
from schemas.thinking import Outcome, Response
from schemas.work import Claim
from store import calls, responses
from store.calls import Account, Budget
from store.database import Store
from store.transaction import Transaction


class Books:
    """The books of one unit of work.

    Args:
        store: The ledger.
        settings: Prices, and what a day may cost.
        claim: The work.
        account: Who pays, and for whom.
        thinker: Who is asked.
    """

    def __init__(self, store: Store, settings: Settings, claim: Claim, account: Account, thinker: Thinker) -> None:
        self._store = store
        self._settings = settings
        self._claim = claim
        self.account = account
        self._thinker = thinker

    def known(self, question: Question[Any]) -> Response | None:
        """What was said to a question before."""
        with self._store.transaction() as tx:
            return responses.find(tx, self._claim, prompt_hash(question))

    def reserve(self, question: Question[Any], *, batch: bool = False) -> UUID:
        """Account for a call, at the most that it can come to; returns its id.

        Raises:
            BudgetSpent: The day's budget has not so much left.
        """
        model = self._thinker.model(question.size)
        most = most_usage(question, self._settings.thinking_room)
        with self._store.transaction() as tx:
            return calls.reserve(
                tx,
                self.account,
                purpose=question.purpose,
                provider=self._thinker.provider,
                model=model,
                batch=batch,
                input_tokens=most.prompt_tokens,
                output_tokens=most.output_tokens,
                cost=cost_of(model, most, self._settings.prices, batch=batch),
                budget=Budget(self._settings.daily_tokens, self._settings.daily_cost),
            )

    def failed(self, call_id: UUID, error: Exception) -> None:
        """Settle a call that brought nothing; one that may be charged for all the same stays at its most."""
        if isinstance(error, ProviderError) and error.perhaps_paid:
            return
        with self._store.transaction() as tx:
            calls.settle(tx, self.account.owner_id, call_id, "failed")

    def keep(
        self, question: Question[Any], call_id: UUID, answer: Said | BadAnswer, *, batch: bool = False
    ) -> Response:
        """Settle a call and keep what was said, together, before anything is made of it."""
        said, fault = self._judged(question, answer)
        with self._store.transaction() as tx:
            self._settle(tx, call_id, said, "answered" if fault is None else "bad", batch=batch)
            return responses.put(
                tx,
                self.account,
                prompt_hash(question),
                purpose=question.purpose,
                model=said.model if said else self._thinker.model(question.size),
                said=said.text if said else "",
                fault=fault,
            )

    def write_off(self, call_id: UUID, answer: Said | BadAnswer, *, batch: bool = False) -> None:
        """Settle a call whose answer nobody asks for any longer."""
        said = answer if isinstance(answer, Said) else answer.said
        with self._store.transaction() as tx:
            self._settle(tx, call_id, said, "answered" if said else "bad", batch=batch)

    def _judged(self, question: Question[Any], answer: Said | BadAnswer) -> tuple[Said | None, str | None]:
        if isinstance(answer, BadAnswer):
            return answer.said, str(answer)
        try:
            read(question, answer)
        except BadAnswer as bad:
            return answer, str(bad)
        return answer, None

    def _settle(self, tx: Transaction, call_id: UUID, said: Said | None, outcome: Outcome, *, batch: bool) -> None:
        if said is None:
            calls.settle_at_most(tx, self.account.owner_id, call_id, outcome)
            return
        cost = cost_of(said.model, said.usage, self._settings.prices, batch=batch)
        calls.settle(tx, self.account.owner_id, call_id, outcome, model=said.model, cost=cost, **asdict(said.usage))


def prompt_hash(question: Question[Any]) -> bytes:
    """What a question is known by: all that is asked, and in what form; not who is asked, for what is paid is paid."""
    schema = question.answer.model_json_schema()
    asked = [question.purpose, question.instructions, question.about, question.material, schema]
    return sha256(to_json(asked)).digest()
