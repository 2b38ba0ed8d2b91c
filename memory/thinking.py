"""Asking models for a unit of work: who pays, what it may cost, and that no answer is ever paid for twice.

A question is looked for among what was said before. If it is not there, the call is reserved in the accounts, made
without a connection, and settled in one transaction with what was said, before anybody makes anything of it.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel
from pydantic_core import to_json

from memory.keys import opened
from memory.sealing import CannotOpen, seals_of
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.permission import before_request
from providers.prices import cost_of
from providers.thinkers import Thinkers
from providers.thinking import Question, Said, Thinker, Usage, most_usage, read
from schemas.settings import Settings
from schemas.thinking import Outcome, PaidWith, Response
from schemas.work import Claim
from store import calls, keys, responses
from store.calls import Account, Budget
from store.database import Store
from store.errors import BudgetSpent, StoreError

A = TypeVar("A", bound=BaseModel)

# How often one question is asked, counting the first time.
TRIES = 3

Check = Callable[[A], None]
"""The domain's own rules for an answer: raises BadAnswer, in words about its form, where they refuse it."""

Unanswered = BadAnswer | InputRefused | BudgetSpent
"""Why one question has no answer, though others may have one."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[A]):
    """An answer that passed every check, and the id under which it is kept, for the lineage of what is made of it."""

    answer: A
    response_id: UUID


@dataclass(frozen=True, slots=True)
class NoMind:
    """Nobody can think for this work; `reason` says why, to be shown."""

    reason: str


def mind_for(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> "Mind | NoMind":
    """Find who can think for a unit of work: behind the request's key, else the user's, else the platform's.

    A key of the user's that can't be used stands in the way of the platform's: nobody is charged in another's place.
    """
    with store.transaction() as tx:
        user_id, being_id = calls.account(tx, claim.owner_id)
        key = keys.paying(tx, user_id, claim.paid_by)
        if key and keys.refused(tx, key):
            return NoMind(f"The provider refuses the key that ends in {key.last_four}: {key.refusal}")
    paid_with: PaidWith = "platform" if key is None else "request" if key.key_id == claim.paid_by else "user"
    try:
        if key is None:
            thinker = thinkers.platform()
        else:
            thinker = thinkers.with_key(key.provider, opened(seals_of(settings), key))
    except (CannotOpen, Misconfigured) as fault:
        return NoMind(str(fault))
    if thinker is None:
        return NoMind("no key")
    account = Account(user_id, being_id, claim.kind, claim.key, paid_with)
    return Mind(store, thinker, settings, claim, account, key.key_id if key else None)


class Mind:
    """Who thinks for one unit of work.

    Args:
        store: The ledger.
        thinker: Who is asked.
        settings: What a day may cost, and how many are asked at a time.
        claim: The work.
        account: Who pays, and for whom.
        key_id: The user's key with which the thinker is asked, if it is not the platform's.
    """

    def __init__(
        self, store: Store, thinker: Thinker, settings: Settings, claim: Claim, account: Account, key_id: UUID | None
    ) -> None:
        self._store = store
        self._thinker = thinker
        self._settings = settings
        self._claim = claim
        self._account = account
        self._key_id = key_id

    def ask(self, question: Question[A], check: Check[A] = lambda _: None) -> Answered[A]:
        """Ask until an answer passes, three times at most; each time the model is told what was wrong the last time.

        Args:
            question: What to ask.
            check: The domain's rules for the answer.

        Raises:
            BadAnswer: No answer passed.
            InputRefused: The provider won't take the question.
            BudgetSpent: The day's budget has not so much left.
            Transient: The provider is busy, down or out of reach. Or it refuses the user's key: that is written down,
                and the same work finds nobody to think for it when it is tried again.
            Misconfigured: The platform's key, address or model won't do.
            LeaseLost: Another holds the work now.
        """
        asked, tries = question, 1
        while True:
            try:
                response = self._response(asked)
                return Answered(self._read(question, response, check), response.response_id)
            except BadAnswer as bad:
                if tries == TRIES:
                    raise
                tries += 1
                asked = replace(question, material=f"{question.material}\n\n{_complaint(bad, tries)}")

    def ask_each(self, questions: Sequence[tuple[Question[A], Check[A]]]) -> list[Answered[A] | Unanswered]:
        """Ask several questions, some at a time; one that finds no answer keeps no other from it.

        Returns:
            For each question its answer, or why there is none.

        Raises:
            Transient: As `ask`; what was said to other questions is kept. Likewise Misconfigured and LeaseLost.
        """
        pool = ThreadPoolExecutor(self._settings.thinking_calls, thread_name_prefix="thinking")
        try:
            # Each thread works under what this one was told to mind, such as the lease.
            asked = [pool.submit(copy_context().run, self._try, question, check) for question, check in questions]
            answers = [each.result() for each in asked]
        except Exception:
            # What is on its way will be paid for: let it come and be kept.
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            # A process that is told to stop waits for nobody.
            pool.shutdown(wait=False, cancel_futures=True)
        return answers

    def _try(self, question: Question[A], check: Check[A]) -> Answered[A] | Unanswered:
        try:
            return self.ask(question, check)
        except (BadAnswer, InputRefused, BudgetSpent) as fault:
            # Its traceback would keep the frames, and with them every text, alive.
            return fault.with_traceback(None)

    def _read(self, question: Question[A], response: Response, check: Check[A]) -> A:
        said = Said(response.said, response.model, Usage())
        if response.fault is not None:
            raise BadAnswer(response.fault, said=said)
        answer = read(question, said)
        check(answer)
        return answer

    def _response(self, question: Question[Any]) -> Response:
        """What was said to a question: before, or now."""
        hashed = prompt_hash(question)
        with self._store.transaction() as tx:
            known = responses.find(tx, self._claim, hashed)
        return known or self._call(question, hashed)

    def _call(self, question: Question[Any], hashed: bytes) -> Response:
        before_request()
        model = self._thinker.model(question.size)
        call_id = self._reserve(question, model)
        try:
            said = self._thinker.ask(question)
            fault = _fault(question, said)
        except BadAnswer as bad:
            said, fault = bad.said or Said("", model, Usage()), str(bad)
        except (ProviderError, StoreError) as error:
            with self._store.transaction() as tx:
                calls.settle(tx, self._account.owner_id, call_id, "failed")
            if isinstance(error, Misconfigured) and self._key_id:
                raise self._refused(self._key_id, error) from None
            raise
        return self._keep(question, hashed, call_id, said, fault)

    def _reserve(self, question: Question[Any], model: str) -> UUID:
        most = most_usage(question, self._settings.thinking_room)
        with self._store.transaction() as tx:
            return calls.reserve(
                tx,
                self._account,
                purpose=question.purpose,
                provider=self._thinker.provider,
                model=model,
                batch=False,
                input_tokens=most.prompt_tokens,
                output_tokens=most.output_tokens,
                cost=cost_of(model, most, self._settings.prices),
                budget=Budget(self._settings.daily_tokens, self._settings.daily_cost),
            )

    def _keep(self, question: Question[Any], hashed: bytes, call_id: UUID, said: Said, fault: str | None) -> Response:
        """Settle the call and keep what was said, together, before anything is made of it."""
        cost = cost_of(said.model, said.usage, self._settings.prices)
        with self._store.transaction() as tx:
            outcome: Outcome = "answered" if fault is None else "bad"
            owner = self._account.owner_id
            calls.settle(tx, owner, call_id, outcome, model=said.model, cost=cost, **asdict(said.usage))
            return responses.put(
                tx, self._account, hashed, purpose=question.purpose, model=said.model, said=said.text, fault=fault
            )

    def _refused(self, key_id: UUID, error: Misconfigured) -> Transient:
        with self._store.transaction() as tx:
            keys.refuse(tx, self._account.user_id, key_id, str(error))
        return Transient(f"The user's key can't be used: {error}", retry_after=0)


def prompt_hash(question: Question[Any]) -> bytes:
    """What a question is known by: all that is asked, and in what form; not who is asked, for what is paid is paid."""
    schema = question.answer.model_json_schema()
    asked = [question.purpose, question.instructions, question.about, question.material, schema]
    return sha256(to_json(asked)).digest()


def _fault(question: Question[Any], said: Said) -> str | None:
    try:
        read(question, said)
    except BadAnswer as bad:
        return str(bad)
    return None


def _complaint(bad: BadAnswer, tries: int) -> str:
    # The number keeps two prompts apart that follow upon the same complaint.
    return f"Try {tries} of {TRIES}. What you said before could not be used: {bad} Answer the whole question anew."
