"""Asking models for a unit of work: who pays, what it may cost, and that no answer is ever paid for twice.

A question is looked for among what was said before. If it is not there, the call is reserved in the books, made without
a connection, and settled in one transaction with what was said, before anybody makes anything of it.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

from memory.batch_thinking import Lot
from memory.bookkeeping import Books
from memory.keys import opened
from memory.sealing import CannotOpen, seals_of
from providers.errors import BadAnswer, InputRefused, Misconfigured, ProviderError, Transient
from providers.permission import before_request
from providers.thinkers import Thinkers
from providers.thinking import BatchThinker, Question, Said, Thinker, Usage, read
from schemas.settings import Settings
from schemas.thinking import PaidWith, Response, SealedKey
from schemas.work import Claim
from store import calls, keys
from store.calls import Account
from store.database import Store
from store.errors import BudgetSpent, StoreError

A = TypeVar("A", bound=BaseModel)

# How often one question is asked, counting the first time.
TRIES = 3

Check = Callable[[A], None]
"""The domain's own rules for an answer: raises BadAnswer, in words about its form, where they refuse it."""


class NotAsked(Exception):
    """Nobody is asked any longer, and this was not answered before; the text says why."""


Unanswered = BadAnswer | InputRefused | BudgetSpent | NotAsked
"""Why one question has no answer, though others may have one."""


@dataclass(frozen=True, slots=True)
class Answered(Generic[A]):
    """An answer that passed every check, and the id under which it is kept, for the lineage of what is made of it."""

    answer: A
    response_id: UUID


@dataclass(frozen=True, slots=True)
class NoMind:
    """Nobody can think for this work.

    Attributes:
        reason: Why, for the one whose work it is.
        logged: Why, in words without anything of a key.
    """

    reason: str
    logged: str = "no key"


def mind_for(
    store: Store, thinkers: Thinkers, settings: Settings, claim: Claim, *, awaited: bool = True
) -> "Mind | NoMind":
    """Find who can think for a unit of work: behind the request's key, else the user's, else the platform's.

    A key of the user's that can't be used stands in the way of the platform's: nobody is charged in another's place.

    Args:
        store: The ledger.
        thinkers: Who can be asked.
        settings: Prices, budgets, and whether to ask in batches.
        claim: The work.
        awaited: Whether somebody waits for it; if not, `ask_each` may take hours, for half the price.
    """
    with store.transaction() as tx:
        user_id, being_id = calls.account(tx, claim.owner_id)
        key = keys.paying(tx, user_id, claim.paid_by)
        if key and keys.refused(tx, key):
            reason = f"The provider refuses the key that ends in {key.last_four}: {key.refusal}"
            return NoMind(reason, "the key is refused")
    paid_with: PaidWith = "platform" if key is None else "request" if key.key_id == claim.paid_by else "user"
    try:
        if key is None:
            thinker = thinkers.platform()
        else:
            thinker = thinkers.with_key(key.provider, opened(seals_of(settings), key))
    except (CannotOpen, Misconfigured) as fault:
        return NoMind(str(fault), "the key or the settings can't be used")
    if thinker is None:
        return NoMind("no key")
    account = Account(user_id, being_id, claim.kind, claim.key, paid_with)
    books = Books(store, settings, claim, account, thinker)
    lot = None
    if settings.batch_thinking and not awaited and isinstance(thinker, BatchThinker):
        lot = Lot(store, settings, claim, thinker, books, key.key_id if key else None)
    return Mind(store, thinker, books, settings.thinking_calls, key, lot)


class Mind:
    """Who thinks for one unit of work.

    Args:
        store: The ledger.
        thinker: Who is asked.
        books: What was said before, and what it costs.
        at_once: How many questions are asked at a time.
        key: The user's key with which the thinker is asked; None: the platform's.
        lot: The way in which many questions are asked where nobody waits; None: directly.
        asks_no_more: Why nobody is asked any longer; None: they are.
    """

    def __init__(
        self,
        store: Store,
        thinker: Thinker,
        books: Books,
        at_once: int,
        key: SealedKey | None,
        lot: Lot | None,
        *,
        asks_no_more: str | None = None,
    ) -> None:
        self._store = store
        self._thinker = thinker
        self._books = books
        self._at_once = at_once
        self._key = key
        self._lot = lot
        self._asks_no_more = asks_no_more

    def without_asking(self, reason: str) -> "Mind":
        """Who answers what was asked before, so that nothing that was paid for is lost, and raises `NotAsked` else."""
        return Mind(self._store, self._thinker, self._books, self._at_once, self._key, None, asks_no_more=reason)

    def ask(self, question: Question[A], check: Check[A] = lambda _: None) -> Answered[A]:
        """Ask until an answer passes, three times at most; each time the model is told what was wrong the last time.

        Args:
            question: What to ask.
            check: The domain's rules for the answer.

        Raises:
            BadAnswer: No answer passed.
            InputRefused: The provider won't take the question.
            BudgetSpent: The day's budget has not so much left.
            NotAsked: Nobody is asked any longer.
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
            BatchUnderWay: The answers are not there yet: back off, and ask the same again.
        """
        if self._lot:
            try:
                self._lot.await_answers([question for question, _ in questions])
            except Misconfigured as error:
                raise self._blamed(error) from None
        pool = ThreadPoolExecutor(self._at_once, thread_name_prefix="thinking")
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
        except (BadAnswer, InputRefused, BudgetSpent, NotAsked) as fault:
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
        return self._books.known(question) or self._call(question)

    def _call(self, question: Question[Any]) -> Response:
        if self._asks_no_more:
            raise NotAsked(self._asks_no_more)
        before_request()
        call_id = self._books.reserve(question)
        try:
            said: Said | BadAnswer = self._thinker.ask(question)
        except BadAnswer as bad:
            said = bad
        except (ProviderError, StoreError) as error:
            self._books.failed(call_id, error)
            if isinstance(error, Misconfigured):
                raise self._blamed(error) from None
            raise
        return self._books.keep(question, call_id, said)

    def _blamed(self, error: Misconfigured) -> ProviderError:
        """The platform's settings are at fault; or the user's key, which is then not used for a while."""
        if self._key is None:
            return error
        with self._store.transaction() as tx:
            keys.refuse(tx, self._key.user_id, self._key.key_id, str(error))
        return Transient(f"The user's key can't be used: {error}", retry_after=0)


def _complaint(bad: BadAnswer, tries: int) -> str:
    # The number keeps two prompts apart that follow upon the same complaint.
    return f"Try {tries} of {TRIES}. What you said before could not be used: {bad} Answer the whole question anew."
