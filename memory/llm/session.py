"""A model session for one unit of work: selects the payer, keeps to the budget, and pays for no answer twice.

A question is looked up among the work's stored answers. If there is none, its cost is reserved, the call is made
without a database connection, and the answer is stored in the transaction that settles the cost, before it is applied.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel

from memory.llm.call_ledger import CallLedger
from memory.llm.payer import LlmUnavailable, Payer, blamed, find_payer
from memory.llm.provider_batches import BatchedRequests, BatchPending
from memory.text.prompt_escaping import tagged
from providers.completion import Completion, Usage
from providers.errors import TRUNCATED, BadAnswer, InputRefused, Misconfigured, Transient
from providers.lease_guard import before_request
from providers.thinkers import Thinkers
from providers.thinking import BatchThinker, Question, Reading, read
from schemas.errors import BudgetSpent, Withdrawn
from schemas.ledger.work import Claim
from schemas.llm.calls import Response
from schemas.settings import Settings
from store.database import Store
from store.llm import batches
from store.transaction import Transaction

A = TypeVar("A", bound=BaseModel)

# The first request of a question and its re-asks.
TRIES = 3
# The tries of a question with cut-off answers: a third answer would cost as much, and be cut off as well.
CUT_TRIES = 2
CUT_TWICE = "Two answers were truncated at their length limit."
# Characters of the answer before, which a re-ask shows.
ANSWER_SHOWN = 12_000

Check = Callable[[A], None]
"""Domain validation of an answer: raises BadAnswer with a reason that the model is shown when asked again."""


class RequestsStopped(Exception):
    """The session sends no more requests, and this question has no stored answer; the message says why."""


Unanswered = BadAnswer | InputRefused | BudgetSpent | RequestsStopped
"""Why one of several questions has no answer."""


@dataclass(frozen=True, slots=True)
class ValidAnswer(Generic[A]):
    """A valid answer.

    Attributes:
        response_id: The id of its stored response, for the lineage of memory made from it.
        cut: Whether its end was cut off, so that lists in it may lack items.
    """

    answer: A
    response_id: UUID
    cut: bool = False


def llm_session(
    tx: Transaction,
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    request_keys: Collection[UUID | None] = (),
    *,
    min_inputs: int | None = None,
    awaited: bool = True,
) -> "LlmSession | LlmUnavailable":
    """Open a session with the model that serves a unit of work, and choose the key that pays for it.

    The key of a request pays if all inputs came with it (`memory.llm.payer`).

    Args:
        tx: The transaction in which the keys are read, best with the work's inputs.
        settings: Prices, budgets, and whether to use provider batches.
        request_keys: For each input of the work, the id of the key of the request that handed it in, or None.
        min_inputs: If no single key pays for all inputs, accept a request's key that pays for at least this many; the
            caller then leaves out the inputs for which `pays_for` is false. None: all inputs or none.
        awaited: Whether a caller waits for the result; if not, `ask_all` may use a provider batch, which takes hours.
    """
    inputs_by_key = Counter(request_keys)
    sole = next(iter(inputs_by_key)) if len(inputs_by_key) == 1 else None
    found = _session(tx, store, thinkers, settings, claim, sole, awaited=awaited)
    if isinstance(found, LlmSession) or min_inputs is None:
        return found
    # The newest key first: it is the least likely to have expired.
    for key in sorted((key for key, inputs in inputs_by_key.items() if key and inputs >= min_inputs), reverse=True):
        some = _session(tx, store, thinkers, settings, claim, key, awaited=awaited)
        if isinstance(some, LlmSession) and some.request_key == key:
            return some
    return found


def _session(
    tx: Transaction,
    store: Store,
    thinkers: Thinkers,
    settings: Settings,
    claim: Claim,
    request_key: UUID | None,
    *,
    awaited: bool,
) -> "LlmSession | LlmUnavailable":
    payer = find_payer(tx, thinkers, settings, claim.owner_id, request_key)
    if isinstance(payer, LlmUnavailable):
        return payer
    # A batch that was submitted is collected all the same: its answers are paid for.
    away = None if batches.is_submitted(tx, claim) else payer.away(tx)
    if away:
        return away
    ledger = CallLedger(store, settings, claim, payer)
    batch = None
    if isinstance(payer.thinker, BatchThinker):
        batch = BatchedRequests(store, settings, claim, payer.thinker, ledger, payer.key_id, awaited=awaited)
    return LlmSession(store, ledger, settings, payer, batch)


class LlmSession:
    """Model calls for one unit of work.

    Args:
        ledger: Stored answers and cost accounting.
        settings: The most requests at a time.
        payer: The model, and the key that pays.
        batch: The provider batch that `ask_all` uses, if there is one; None: the provider offers none.
        stopped: Why no more requests may be sent; None: they may.

    Attributes:
        request_key: The id of a key that came with a request, and so pays for no input that came without it.
    """

    def __init__(
        self,
        store: Store,
        ledger: CallLedger,
        settings: Settings,
        payer: Payer,
        batch: BatchedRequests | None,
        *,
        stopped: str | None = None,
    ) -> None:
        self._store = store
        self._ledger = ledger
        self._settings = settings
        self._payer = payer
        self._batch = batch
        self._stopped = stopped
        self.request_key = payer.key_id if payer.paid_with == "request" else None

    def stored_answers_only(self, reason: str) -> "LlmSession":
        """Return a session that gives stored answers, and raises `RequestsStopped` for questions without one."""
        return LlmSession(self._store, self._ledger, self._settings, self._payer, None, stopped=reason)

    @property
    def found_away(self) -> bool:
        """Whether a request of this session found the provider away, or its key rejected."""
        return self._ledger.breaker.found_away

    def pays_for(self, request_key_id: UUID | None) -> bool:
        """Whether this session's key may pay for an input, given the id of the key that the input came with."""
        return self.request_key is None or self.request_key == request_key_id

    def ask(self, question: Question[A], check: Check[A] = lambda _: None) -> ValidAnswer[A]:
        """Ask until an answer is valid, three times at most; a re-ask shows the answer before and its faults.

        From the second answer on, texts that are too long are cut. If no answer is valid, the last one that has valid
        parts counts with these alone. A question to which no answer was valid is marked, and not asked again.

        An answer that is cut off at its length limit is asked for once more, and then its whole items count. If the
        question is divisible, it is not asked again. A model that gave no valid answer to the last nine questions of
        this purpose is asked each question once.

        Args:
            question: The question.
            check: Domain validation of the answer.

        Raises:
            BadAnswer: No answer was valid, or that to a divisible question was cut off.
            InputRefused: The provider refuses the question.
            BudgetSpent: The rest of the day's budget is too small.
            RequestsStopped: See `stored_answers_only`.
            Transient: The provider is busy, down or unreachable, which opens its breaker, or the breaker is open. Or it
                rejects the user's key: the rejection is stored. The next attempt of the same work finds no model.
            Misconfigured: The platform's key, address or model is wrong, which opens the breaker as well.
            LeaseLost: Another worker holds the work.
            Withdrawn: Something of the user's was withdrawn since the work was claimed; no answer was stored.
        """
        self._refuse_unanswered(question)
        current, tries = question, 1
        partly: ValidAnswer[A] | None = None
        lost = 0
        while True:
            response, call_id = self._response(current)
            answer: A | None = None
            cut = response.defect == TRUNCATED
            try:
                reading = self._read(question, response, shorten=tries > 1)
                answer, cut = reading.answer, reading.cut
                check(answer)
                _is_whole(reading)
                return ValidAnswer(answer, response.response_id)
            except BadAnswer as bad:
                if call_id and bad.valid is None:
                    self._ledger.mark_bad(call_id)
                kept = _items(partly.answer) if partly else 0
                if isinstance(bad.valid, question.answer) and _items(bad.valid) >= kept:
                    partly = ValidAnswer(bad.valid, response.response_id, cut)
                    lost = _items(answer) - _items(bad.valid)
                if cut and question.divisible:
                    self._ledger.mark_unanswered(question, TRUNCATED)
                    raise BadAnswer(TRUNCATED, why="truncation") from None
                if tries == (CUT_TRIES if cut else TRIES) or self._ledger.always_errs(question.purpose):
                    if partly is None:
                        self._ledger.mark_unanswered(question, CUT_TWICE if cut else str(bad))
                        raise
                    self.count_dropped(question.purpose, {"broke a rule in three tries": lost})
                    return partly
                tries += 1
                complaint = _complaint(bad, response.completion, tries, cut=cut)
                current = replace(question, material=f"{question.material}\n\n{complaint}")

    def _refuse_unanswered(self, question: Question[Any]) -> None:
        """Raises BadAnswer if the question was asked before without a valid answer."""
        unanswered = self._ledger.unanswered(question)
        if unanswered == TRUNCATED:
            # Its parts were asked about then; without parts, the whole items of the answer count.
            if question.divisible:
                raise BadAnswer(TRUNCATED, why="truncation")
        elif unanswered:
            raise BadAnswer(f"Asked before about the same, without a valid answer: {unanswered}")

    def ask_all(self, questions: Sequence[tuple[Question[A], Check[A]]]) -> list[ValidAnswer[A] | Unanswered]:
        """Ask several questions concurrently; a question that fails does not stop the others.

        Returns:
            For each question its answer, or why it has none.

        Raises:
            Transient: As `ask`; the answers to other questions are stored. Likewise Misconfigured and LeaseLost.
            Withdrawn: As `ask`.
            BatchPending: A provider batch of this work is not finished: back off, and ask the same again.
        """
        if self._batch:
            try:
                self._batch.await_answers([question for question, _ in questions])
            except BatchPending as pending:
                if pending.polled:
                    self._ledger.breaker.close()
                raise
            except (Transient, Misconfigured) as error:
                self._ledger.breaker.trip(error)
                raise (
                    blamed(self._store, self._payer.key, error) if isinstance(error, Misconfigured) else error
                ) from None
        pool = ThreadPoolExecutor(self._settings.thinking_calls, thread_name_prefix="thinking")
        try:
            # The copied context carries the lease guard into the threads.
            futures = [pool.submit(copy_context().run, self._try, question, check) for question, check in questions]
            answers = [each.result() for each in futures]
        except Exception:
            # Requests that were sent will be charged: let their answers arrive and be stored.
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            # A stopping process does not wait for the threads.
            pool.shutdown(wait=False, cancel_futures=True)
        return answers

    def _try(self, question: Question[A], check: Check[A]) -> ValidAnswer[A] | Unanswered:
        try:
            return self.ask(question, check)
        except (BadAnswer, InputRefused, BudgetSpent, RequestsStopped) as fault:
            # The traceback would keep its frames, and with them every text, in memory.
            return fault.with_traceback(None)

    def count_dropped(self, purpose: str, reasons: Mapping[str, int]) -> None:
        """Count items of a valid answer that its caller drops, by reason."""
        self._ledger.count_dropped(purpose, reasons)

    def _read(self, question: Question[A], response: Response, *, shorten: bool) -> Reading[A]:
        completion = Completion(response.completion, response.model, Usage())
        if response.defect is not None:
            raise BadAnswer(response.defect, completion=completion)
        return read(question, completion, shorten=shorten)

    def _response(self, question: Question[Any]) -> tuple[Response, UUID | None]:
        """The stored response to a question, or that of a call; with the call's id if one was made."""
        if self._stopped:
            stored = self._ledger.known(question)
            if stored is None:
                raise RequestsStopped(self._stopped)
            return stored, None
        before_request()
        reserved = self._ledger.known_or_reserved(question)
        if isinstance(reserved, Response):
            return reserved, None
        answer = self._ledger.make(question, reserved)
        kept = self._ledger.keep(question, reserved.call_id, answer)
        if kept is None:
            raise Withdrawn("Something that the model was asked about was withdrawn meanwhile.")
        return kept, reserved.call_id


def _is_whole(reading: Reading[Any]) -> None:
    """Raises BadAnswer, with all that is whole, if the end of an answer is cut off."""
    if reading.cut:
        raise BadAnswer(TRUNCATED, why="truncation", valid=reading.answer)


def _items(answer: BaseModel | None) -> int:
    """How many items the lists of an answer have."""
    return sum(len(value) for _, value in answer or () if isinstance(value, list))


def _complaint(bad: BadAnswer, answered: str, tries: int, *, cut: bool) -> str:
    wanted = "Answer the whole question again" + (", with fewer items and in fewer words." if cut else ".")
    # The number makes the prompts of two re-asks with the same reason differ, and so their hashes.
    complaint = f"Try {tries} of {TRIES}. Your answer before this was not valid: {bad} {wanted}"
    shown = [tagged("your-answer", answered[:ANSWER_SHOWN])] if answered else []
    return "\n".join([*shown, complaint])
