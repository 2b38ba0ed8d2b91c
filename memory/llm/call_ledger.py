"""Cost accounting of model calls, and the stored answers of one unit of work's."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Any, TypeVar
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import to_json

from memory.llm.breaker import Breaker
from memory.llm.payer import Payer, blamed
from providers.completion import Completion, Usage
from providers.errors import BadAnswer, Misconfigured, ProviderError
from providers.prices import cost_of
from providers.thinking import Question, Reading, max_usage, read
from schemas.errors import StoreError
from schemas.ledger.work import Claim
from schemas.llm.calls import Outcome, Response
from schemas.settings import Settings
from store.database import Store
from store.llm import budgets, calls, drops, responses
from store.llm.calls import Account
from store.transaction import Transaction, commit_soon

A = TypeVar("A", bound=BaseModel)

# A model that gave this many invalid answers in a row, three questions' worth, is taken for one that always errs.
ANSWERS_JUDGED = 9

# The schema of each kind of answer, which takes longer to derive than a prompt takes to hash.
_schemas: dict[type[BaseModel], dict[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class ReservedCall:
    """A call that may be made: its id, and whether its request is its breaker's probe."""

    call_id: UUID
    probes: bool


@dataclass(frozen=True, slots=True)
class SettledCall:
    """A call that has ended.

    Attributes:
        usage: Its usage; None: unknown, so that its reservation stays as its cost.
        cost: In dollars; None: the price or the usage is unknown.
        wanted: Whether its answer may be used: none of its possible subjects was withdrawn meanwhile.
    """

    usage: Usage | None
    cost: Decimal | None
    wanted: bool


class CallAccounts:
    """Reserves and settles the model calls of one account.

    Args:
        settings: Prices and daily budgets.
        account: The owner of the calls, and the owner of the paying key.
        payer: The model, and the key that pays.
        withdrawals: See `Claim`; None: the calls are about nothing that can be withdrawn.

    Attributes:
        breaker: That of the provider and the key.
    """

    def __init__(
        self, store: Store, settings: Settings, account: Account, payer: Payer, withdrawals: int | None = None
    ) -> None:
        self._store = store
        self._settings = settings
        self.account = account
        self._payer = payer
        self._thinker = payer.thinker
        self._withdrawals = withdrawals
        self.breaker = Breaker(store, payer.thinker.provider, payer.key_id, settings.thinking_timeout)

    def reserve(self, question: Question[Any], *, batch: bool = False) -> ReservedCall:
        """Reserve the highest possible cost of a call against the day's budget, unless the breaker holds it back.

        Args:
            question: The question.
            batch: Whether it becomes part of a provider batch, for which no breaker is asked here.

        Raises:
            BudgetSpent: The rest of the day's budget is smaller.
            Transient: The breaker of the provider and the key is open.
            Withdrawn: Something of the user's was withdrawn since `withdrawals` was read.
        """
        reserve = self._reservation(question, batch=batch)
        with budgets.noted(self._store), self._store.transaction() as tx:
            return reserve(tx)

    def make(self, question: Question[Any], reserved: ReservedCall) -> Completion | BadAnswer:
        """Make a reserved call, without a connection; one that fails is settled.

        Args:
            question: The question.
            reserved: The reserved call.

        Raises:
            InputRefused: The provider refuses the question.
            Transient: The provider is busy, down or unreachable, or it rejects the user's key.
            Misconfigured: The platform's key, address or model is wrong.
        """
        try:
            with self._calling(question, reserved):
                return self._thinker.ask(question)
        except BadAnswer as bad:
            return bad

    def make_in_parts(
        self, question: Question[Any], reserved: ReservedCall
    ) -> Generator[Completion | BadAnswer, None, None]:
        """Make a reserved call as `make` does, and read its answer while it is written.

        Returns:
            The text so far, again and again, and at last the result of `make`.
        """
        try:
            with self._calling(question, reserved):
                yield from self._thinker.stream(question)
        except BadAnswer as bad:
            yield bad

    @contextmanager
    def _calling(self, question: Question[Any], reserved: ReservedCall) -> Iterator[None]:
        """Let the breaker learn from a call, and settle it if it fails without an answer."""
        traced = {"gen_ai.provider.name": self._thinker.provider, "patrol.purpose": question.purpose}
        try:
            with self._store.tracing.span("model call", traced), self.breaker.watching(probes=reserved.probes):
                yield
        except BadAnswer:
            raise
        except (ProviderError, StoreError) as error:
            self.failed(reserved.call_id, error)
            if isinstance(error, Misconfigured):
                raise blamed(self._store, self._payer.key, error) from None
            raise

    def failed(self, call_id: UUID, error: Exception) -> None:
        """Settle a failed call at zero; one that the provider may charge for keeps its reservation."""
        if isinstance(error, ProviderError) and error.perhaps_paid:
            return
        self._store.run(calls.settle, self.account.owner_id, call_id, "failed")

    def settle(
        self, call_id: UUID, answer: Completion | BadAnswer, *, bad: bool | None = None, batch: bool = False
    ) -> SettledCall:
        """Settle a call without storing its answer or waiting for the disk.

        A crash of the database right after it leaves the call at its highest cost, as one that is never settled.

        Args:
            answer: The answer, or its fault.
            bad: Whether it is counted as invalid; None: if it is a BadAnswer without a completion.
            batch: Whether it was part of a provider batch.
        """
        completion = answer if isinstance(answer, Completion) else answer.completion
        bad = completion is None if bad is None else bad
        with self._store.transaction() as tx:
            commit_soon(tx)
            return self._settle(tx, call_id, completion, "bad" if bad else "answered", batch=batch)

    def count_dropped(self, purpose: str, reasons: Mapping[str, int]) -> None:
        """Count items of answers that were dropped, by reason."""
        if any(reasons.values()):
            self._store.run(drops.count, self.account.owner_id, purpose, reasons)

    def _reservation(self, question: Question[Any], *, batch: bool) -> Callable[[Transaction], ReservedCall]:
        """Prepare the reservation of a call at the highest cost that it can have."""
        model = self._thinker.model(question.size)
        most = max_usage(question, self._settings.thinking_room)
        cost = cost_of(model, most, self._settings.prices, batch=batch)

        def reserve(tx: Transaction) -> ReservedCall:
            call_id = calls.reserve(
                tx,
                self.account,
                purpose=question.purpose,
                provider=self._thinker.provider,
                model=model,
                batch=batch,
                input_tokens=most.prompt_tokens,
                output_tokens=most.output_tokens,
                cost=cost,
                limits=budgets.limits(self._settings, cost),
                withdrawals=self._withdrawals,
            )
            # After the reservation: it waits while this user withdraws, and others may take the probe meanwhile.
            return ReservedCall(call_id, not batch and self.breaker.admit(tx))

        return reserve

    def _settle(
        self, tx: Transaction, call_id: UUID, completion: Completion | None, outcome: Outcome, *, batch: bool
    ) -> SettledCall:
        if completion is None:
            return SettledCall(None, None, calls.settle_at_most(tx, self.account.owner_id, call_id, outcome))
        model, usage = completion.model, completion.usage
        cost = cost_of(model, usage, self._settings.prices, batch=batch)
        wanted = calls.settle(tx, self.account.owner_id, call_id, outcome, model=model, cost=cost, **asdict(usage))
        return SettledCall(usage, cost, wanted)


class CallLedger(CallAccounts):
    """Accounts of one unit of work's model calls, with stored answers.

    Args:
        settings: Prices and daily budgets.
        payer: The model, and the key that pays.
    """

    def __init__(self, store: Store, settings: Settings, claim: Claim, payer: Payer) -> None:
        account = Account(claim.owner_id, claim.kind, claim.key, payer.paid_with)
        super().__init__(store, settings, account, payer, claim.withdrawals)
        self._claim = claim

    def known(self, question: Question[Any]) -> Response | None:
        """Return the stored response to a question of this work, if there is one."""
        return self._store.run(responses.find, self._claim, prompt_hash(question))

    def unanswered(self, question: Question[Any]) -> str | None:
        """Return why a question had no valid answer when it was asked before; None if it was not, or had one."""
        return self._store.run(responses.why_unanswered, self.account.owner_id, self._digest(question))

    def mark_unanswered(self, question: Question[Any], reason: str) -> None:
        """Mark a question to which no answer was valid, so that it is not asked again unchanged."""
        self._store.run(responses.mark_unanswered, self.account.owner_id, self._digest(question), reason)

    def mark_bad(self, call_id: UUID) -> None:
        """Count an answered call among those with an invalid answer, since its answer broke a rule of its purpose."""
        self._store.run(calls.mark_bad, self.account.owner_id, call_id)

    def always_errs(self, purpose: str) -> bool:
        """Whether the last nine answers to questions of a purpose, within a day, were all invalid."""
        return self._store.run(calls.all_bad, self.account.owner_id, purpose, ANSWERS_JUDGED)

    def _digest(self, question: Question[Any]) -> bytes:
        # The hash names the model: another one may answer a question that this one did not.
        return sha256(prompt_hash(question) + self._thinker.model(question.size).encode()).digest()

    def known_or_reserved(self, question: Question[Any]) -> Response | ReservedCall:
        """Return the stored response to a question, or reserve a call for it.

        Raises:
            BudgetSpent, Transient, Withdrawn: As `reserve`.
        """
        prompt, reserve = prompt_hash(question), self._reservation(question, batch=False)
        with budgets.noted(self._store), self._store.transaction() as tx:
            found = responses.find(tx, self._claim, prompt)
            return reserve(tx) if found is None else found

    def keep(
        self, question: Question[Any], call_id: UUID, answer: Completion | BadAnswer, *, batch: bool = False
    ) -> Response | None:
        """Settle a call and store its answer in one transaction, before the answer is applied.

        Returns:
            The stored answer; None, and nothing is stored, if something that it may be about was withdrawn meanwhile.
        """
        completion, reading, fault = read_answer(question, answer)
        with self._store.transaction() as tx:
            outcome: Outcome = "answered" if fault is None else "bad"
            if not self._settle(tx, call_id, completion, outcome, batch=batch).wanted:
                return None
            if reading is not None:
                drops.count(tx, self.account.owner_id, question.purpose, reading.dropped)
            return responses.put(
                tx,
                self.account,
                prompt_hash(question),
                purpose=question.purpose,
                model=completion.model if completion else self._thinker.model(question.size),
                completion=completion.text if completion else "",
                defect=None if fault is None else str(fault),
            )


def prompt_hash(question: Question[Any]) -> bytes:
    """Hash a question's prompt and answer schema; the model is left out, so a changed model repays nothing."""
    form = question.answer
    if form not in _schemas:
        _schemas[form] = form.model_json_schema()
    parts = [question.purpose, question.instructions, question.about, question.material, _schemas[form]]
    return sha256(to_json(parts)).digest()


def read_answer(
    question: Question[A], answer: Completion | BadAnswer, *, shorten: bool = False
) -> tuple[Completion | None, Reading[A] | None, BadAnswer | None]:
    """Return the completion, its reading in the requested form, and the fault if it has none; `shorten`: see `read`."""
    if isinstance(answer, BadAnswer):
        return answer.completion, None, answer
    try:
        return answer, read(question, answer, shorten=shorten), None
    except BadAnswer as bad:
        return answer, None, bad
