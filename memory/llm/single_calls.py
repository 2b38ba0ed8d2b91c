"""Model calls that answer a request: each is made once, reserved and settled as those of work are, and not stored.

A request that is sent again asks anew: its answer is kept by the request's own key (`memory.accounts.request_answers`).
"""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

from pydantic import BaseModel

from memory.llm.call_ledger import CallAccounts, ReservedCall, SettledCall, read_answer
from memory.llm.payer import Payer
from providers.answers.json_text import items_so_far
from providers.completion import Completion
from providers.errors import BadAnswer
from providers.lease_guard import before_request
from providers.thinking import Question, Reading
from schemas.errors import Withdrawn
from schemas.llm.calls import PaidWith
from schemas.settings import Settings
from store.database import Store
from store.llm.calls import Account

A = TypeVar("A", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class CallUsage:
    """The usage of some calls.

    Attributes:
        calls: The calls that were answered, well or badly.
        input_tokens: The tokens of their prompts.
        output_tokens: The tokens of their answers.
        cost: In dollars; None: of one the price or the usage is unknown.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = Decimal(0)

    def with_call(self, settled: SettledCall) -> "CallUsage":
        """The same with one more call."""
        usage = settled.usage
        return CallUsage(
            self.calls + 1,
            self.input_tokens + (usage.prompt_tokens if usage else 0),
            self.output_tokens + (usage.output_tokens if usage else 0),
            None if self.cost is None or settled.cost is None else self.cost + settled.cost,
        )


class SingleCalls:
    """The model calls of one request, which holds no database connection while a model is asked.

    Args:
        settings: Prices, budgets and the timeout of a request.
        payer: The model, and the key that pays.
        owner_id: The Being with the budget that bounds them.

    Attributes:
        spent: Their usage up to now.
    """

    def __init__(self, store: Store, settings: Settings, payer: Payer, owner_id: UUID) -> None:
        self._store = store
        self._settings = settings
        self._payer = payer
        self._account = Account(owner_id, None, None, payer.paid_with)
        self.spent = CallUsage()

    @property
    def paid_with(self) -> PaidWith:
        """The kind of payer that owns the paying key."""
        return self._payer.paid_with

    def ask(self, question: Question[A], withdrawals: int | None = None) -> Reading[A]:
        """Ask once, at the highest cost reserved before; the cost is settled also for an invalid answer.

        Args:
            question: The question.
            withdrawals: The result of `store.llm.calls.withdrawals` before the material was read; None: the material is
                nothing that can be withdrawn.

        Raises:
            BadAnswer: The answer is not one.
            InputRefused: The provider refuses the question.
            BudgetSpent: The rest of the day's budget is too small.
            Transient: The provider is busy, down or unreachable, its breaker is open, or it rejects the user's key.
            Misconfigured: The platform's key, address or model is wrong.
            Withdrawn: Something of the user's was withdrawn since `withdrawals` was read.
        """
        accounts, reserved = self._reserved(question, withdrawals)
        answer = accounts.make(question, reserved)
        reading = self._ended(accounts, reserved.call_id, question, answer)
        accounts.count_dropped(question.purpose, reading.dropped)
        return reading

    def stream(self, question: Question[A], withdrawals: int) -> Generator[Reading[A], None, None]:
        """Ask once, as `ask`, and read the answer while it is written; closing the iterator ends the call.

        Returns:
            The answer with the items that are whole by then, again and again, and at last all of it. The caller counts
            the dropped items of that. A call that is left early is settled with the text until then.

        Raises:
            Exception: As `ask`.
        """
        accounts, reserved = self._reserved(question, withdrawals)
        call_id = reserved.call_id
        answer: Completion | BadAnswer | None = None
        known: str | None = None
        with closing(accounts.make_in_parts(question, reserved)) as parts:
            try:
                for answer in parts:
                    whole = items_so_far(answer.text) if isinstance(answer, Completion) else None
                    if isinstance(answer, Completion) and whole and whole != known:
                        known = whole
                        _, so_far, _ = read_answer(question, replace(answer, text=whole), shorten=True)
                        if so_far is not None:
                            yield so_far
            except GeneratorExit:
                if answer is not None:
                    self._settled(accounts, call_id, answer)
                raise
        yield self._ended(accounts, call_id, question, answer or BadAnswer("The model wrote nothing."))

    def _reserved(self, question: Question[A], withdrawals: int | None) -> tuple[CallAccounts, ReservedCall]:
        before_request()
        accounts = CallAccounts(self._store, self._settings, self._account, self._payer, withdrawals)
        return accounts, accounts.reserve(question)

    def _settled(
        self, accounts: CallAccounts, call_id: UUID, answer: Completion | BadAnswer, *, bad: bool = False
    ) -> SettledCall:
        settled = accounts.settle(call_id, answer, bad=bad)
        self.spent = self.spent.with_call(settled)
        return settled

    def _ended(
        self, accounts: CallAccounts, call_id: UUID, question: Question[A], answer: Completion | BadAnswer
    ) -> Reading[A]:
        completion, reading, fault = read_answer(question, answer, shorten=True)
        settled = self._settled(accounts, call_id, completion or answer, bad=fault is not None)
        if not settled.wanted:
            raise Withdrawn("Something that the model was asked about was withdrawn meanwhile.")
        if reading is None:
            raise fault or BadAnswer("The answer can't be read.")
        return reading
