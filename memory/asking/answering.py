"""Answers a question: plans, looks, writes and checks, with two model calls at most; without a model by passages.

No database connection is held while a model is called. Messages withdrawn meanwhile are not in the answer: its sources
are read again when it is checked, in the transaction that records its provenance.
"""

from collections import Counter
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Any
from uuid import UUID

import structlog

from memory.asking import planning, writing
from memory.asking.checking import SentenceCheck, with_current_statements
from memory.asking.extracts import passages
from memory.asking.planning import Plan
from memory.asking.source_search import FoundSources, find_sources
from memory.asking.sources import standing
from memory.llm.payer import LlmUnavailable, find_payer
from memory.llm.single_calls import CallUsage, SingleCalls
from memory.retrieval.query_vectors import VectorKind
from memory.search.search import compared_models
from memory.talk.context_provenance import record_context
from memory.text.time_expressions.resolution import named_zone
from providers.answers.answer_reader import CUT
from providers.embedders import Embedders
from providers.errors import BadAnswer, InputRefused, ProviderError
from providers.thinkers import Thinkers
from schemas.accounts.accounts import Being
from schemas.context.asking import AskAnswer, AskCost, AskRequest, Cite, ComputedRow, DraftSentence, LookedAt, Sentence
from schemas.errors import BudgetSpent, Withdrawn
from schemas.search import KINDS
from schemas.settings import Settings
from store import clock
from store.accounts import users
from store.database import Store
from store.llm import calls, drops

log = structlog.get_logger()

# The process and the region under which an answer is among the contexts.
PROCESS = "ask"
ANSWER = "answer"

Part = LookedAt | Sentence | AskAnswer
"""A part of an answer, sent as soon as it is known: the sources read, each sentence, at the end the whole answer."""


@dataclass(frozen=True, slots=True)
class AskInputs:
    """A question, and the resources to answer it.

    Attributes:
        store: The ledger.
        embedders: Embed the queries.
        thinkers: The providers.
        settings: Prices and budgets.
        being: The Being that is asked.
        request: The question.
        request_key: The id of the key that came with it, and pays if the user has stored none.
    """

    store: Store
    embedders: Embedders
    thinkers: Thinkers
    settings: Settings
    being: Being
    request: AskRequest
    request_key: UUID | None = None

    @property
    def off_the_record(self) -> bool:
        """Whether no word of the question and its answer is kept."""
        return self.request.off_the_record or self.being.off_the_record


@dataclass
class _AnswerInProgress:
    """One question on its way to an answer."""

    asking: AskInputs
    user: str
    now: datetime
    models: Mapping[VectorKind, str]
    calls: SingleCalls | None
    without_model: str | None
    plan: Plan = field(default_factory=Plan)
    searches_again: bool = False
    sentences: list[Sentence] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def zone(self) -> tzinfo | None:
        return self.now.tzinfo

    def find_sources(self) -> FoundSources:
        asking = self.asking
        return find_sources(
            asking.store, asking.embedders, asking.being, asking.request, self.plan, self.now, self.models
        )

    def give_up(self, fault: Exception) -> None:
        """Go on without a model, and without its plan and sentences."""
        self.without_model = str(fault)
        # Without the plan, or without the withdrawn messages, the sources are others.
        self.searches_again = self.plan != Plan() or isinstance(fault, Withdrawn)
        self.plan = Plan()
        self.sentences = []
        log.info("ask.without_model", being_id=str(self.asking.being.being_id), reason=type(fault).__name__)


def ask(asking: AskInputs) -> AskAnswer:
    """Answer a question; the errors are those of `answered_in_parts`."""
    for part in answered_in_parts(asking):
        if isinstance(part, AskAnswer):
            return part
    raise AssertionError("An answer ends with all of it.")


def answered_in_parts(asking: AskInputs) -> Generator[Part, None, None]:
    """Answer a question, and yield each part as soon as it is known: a sentence when the model has written it.

    The last part is the whole answer, and it alone counts: a sentence on messages withdrawn meanwhile is not in it.
    Closing the iterator ends the model's call, which is paid for as far as it went.

    Raises:
        InvalidRequest: The embedder refuses the question.
        NotFound: The Being does not exist any more.
    """
    on = _begin(asking)
    _plan(on)
    found = on.find_sources()
    yield _looked_at(on, found)
    try:
        yield from _write_sentences(on, found)
        if on.without_model is not None:
            found = on.find_sources() if on.searches_again else found
            on.sentences = passages(found, on.zone)
            yield from on.sentences
    except GeneratorExit:
        # The caller has left, and was shown the sentences until then.
        _record(on)
        raise
    yield _record_answer(on, found)


def _begin(asking: AskInputs) -> _AnswerInProgress:
    store, settings, being = asking.store, asking.settings, asking.being
    with store.transaction() as tx:
        user = users.get_user(tx, being.user_id)
        now = (asking.request.as_of or clock.now(tx)).astimezone(named_zone(user.time_zone))
        payer = find_payer(tx, asking.thinkers, settings, being.being_id, asking.request_key)
        unavailable = payer if isinstance(payer, LlmUnavailable) else payer.away(tx)
        models = compared_models(tx, being, KINDS)
    if isinstance(payer, LlmUnavailable) or unavailable:
        return _AnswerInProgress(asking, user.name, now, models, None, unavailable.reason if unavailable else None)
    single = SingleCalls(store, settings, payer, being.being_id)
    return _AnswerInProgress(asking, user.name, now, models, single, None)


def _plan(on: _AnswerInProgress) -> None:
    if on.calls is None or on.zone is None:
        return
    try:
        question = planning.question(on.asking.being, on.user, on.asking.request, on.now)
        plan = on.calls.ask(question).answer
        on.plan = planning.checked(plan, on.zone)
    except (BadAnswer, InputRefused):
        # The question itself is the query.
        return
    except (ProviderError, BudgetSpent) as fault:
        on.give_up(fault)


def _write_sentences(on: _AnswerInProgress, found: FoundSources) -> Iterator[Sentence]:
    """Yield the sentences that pass the check, while the model writes them; without sources none, and no call.

    An answer that breaks off leaves the sentences that were whole. A withdrawal meanwhile leaves none.
    """
    if on.calls is None or on.without_model is not None or not found.sources:
        return
    asking = on.asking
    check = SentenceCheck(found.setting, asking.request.question, writing.with_refs(found.sources))
    question = writing.question(asking.being, on.user, asking.request, on.now, check.shown)
    read: list[DraftSentence] = []
    try:
        with closing(on.calls.stream(question, found.withdrawals)) as readings:
            for reading in readings:
                new = [draft for draft in reading.answer.sentences if draft not in read]
                read += new
                yield from _check_drafts(on, check, new, found.withdrawals)
        on.dropped += reading.dropped
    except (BudgetSpent, Withdrawn) as fault:
        return on.give_up(fault)
    except ProviderError as fault:
        if not on.sentences:
            return on.give_up(fault)
        on.dropped[CUT] += 1
    whole = with_current_statements(on.sentences, check.shown, on.now)
    added = [one for one in whole if one not in on.sentences]
    on.sentences = whole
    yield from added


def _check_drafts(
    on: _AnswerInProgress, check: SentenceCheck, drafts: Sequence[DraftSentence], withdrawals: int
) -> Iterator[Sentence]:
    if not drafts:
        return
    being = on.asking.being
    with on.asking.store.transaction() as tx:
        if calls.withdrawals(tx, being.user_id) != withdrawals:
            raise Withdrawn("Something that the model was asked about was withdrawn meanwhile.")
        sources = standing(tx, being, check.cited(drafts), on.asking.request.as_of)
    kept, dropped = check.standing(drafts, sources)
    on.dropped += dropped
    for sentence in kept:
        on.sentences.append(sentence)
        yield sentence


def _looked_at(on: _AnswerInProgress, found: FoundSources) -> LookedAt:
    return LookedAt(
        queries=list(found.queries),
        names=list(on.plan.names),
        since=on.plan.since,
        until=on.plan.until,
        found=found.counts,
        computed=[ComputedRow(id=one.id, text=one.text) for one in found.computed],
    )


def _record_answer(on: _AnswerInProgress, found: FoundSources) -> AskAnswer:
    context_id = _record(on)
    spent = on.calls.spent if on.calls else CallUsage()
    return AskAnswer(
        answer=on.sentences,
        known=bool(on.sentences),
        method="model" if on.without_model is None else "extract",
        without_model=on.without_model,
        dropped=dict(on.dropped),
        looked_at=_looked_at(on, found),
        context_id=context_id,
        off_the_record=on.asking.off_the_record,
        cost=AskCost(
            calls=spent.calls,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            dollars=spent.cost,
            paid_with=on.calls.paid_with if on.calls and spent.calls else None,
        ),
        degraded=found.degraded,
        unindexed=found.unindexed,
    )


def _record(on: _AnswerInProgress) -> UUID | None:
    """Record the answer as contexts are, so that it is recognised when it comes back in a message; returns its id.

    Off the record there is none.
    """
    being_id = on.asking.being.being_id
    cites: list[Cite] = [cite for one in on.sentences for cite in one.cites if cite.kind != "computed"]
    pieces = [*(one.sentence for one in on.sentences), *(cite.quote for cite in cites)]
    items = [UUID(cite.id) for cite in cites if cite.kind in {"node", "fact"}]
    quoted = list(dict.fromkeys(cite.id for cite in cites if cite.kind == "message"))
    reasons: dict[str, Any] = {"passages": [{"message_ids": [one], "score": 0.0} for one in quoted]}
    with on.asking.store.transaction() as tx:
        drops.count(tx, being_id, writing.ANSWER.purpose, on.dropped)
        if on.asking.off_the_record:
            return None
        return record_context(
            tx, being_id, PROCESS, pieces, items={ANSWER: list(dict.fromkeys(items))}, reasons=reasons
        )
