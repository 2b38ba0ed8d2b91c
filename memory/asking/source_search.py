"""Finds the sources of an answer: by the search, by names, in facts' history, by counting."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from itertools import zip_longest

from memory.asking import counting
from memory.asking.counting import Period
from memory.asking.planning import Plan
from memory.asking.sources import Key, Source, facts, read_items
from memory.grounding import setting
from memory.grounding.setting import Setting
from memory.retrieval.query_vectors import QueryVectors, VectorKind, embed_for_each_model
from memory.retrieval.weighing import Ranked
from memory.search.candidates import LexicalEvidence, candidates, lexical_evidence
from memory.search.passages import excerpt, is_relevant
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import RequestOwner
from providers.tokens import estimated_tokens
from schemas.accounts.accounts import Being
from schemas.context.asking import AskRequest, CiteKind
from schemas.limits import QUERY_CHARACTERS
from schemas.search import KINDS, EverythingRequest
from store.database import Store
from store.facts import cards
from store.llm import calls
from store.search import queue
from store.search.candidates import SearchCandidate
from store.search.scope import plan_once
from store.transaction import Transaction

# The most results of each search that are read with the messages beside them.
MOST_RESULTS = 30
FACTS_OF_NAME = 5
Result = tuple[Ranked[SearchCandidate], Sequence[SearchCandidate]]
# The tags of a source with its date.
FENCE_TOKENS = 20


@dataclass(frozen=True, slots=True)
class _LexicalResults:
    """Results of the searches that need no vector."""

    withdrawals: int
    setting: Setting
    evidence: Sequence[LexicalEvidence]
    named: Sequence[Source]
    computed: Sequence[Source]


@dataclass(frozen=True)
class FoundSources:
    """The sources that were found.

    Attributes:
        queries: The queries of the search.
        passages: For each result, best first, its source and the neighbours in its conversation, in order.
        best: The result of each passage.
        computed: The rows that code counted.
        degraded: Whether the embedder was out of reach.
        unindexed: How much is not searchable yet.
        withdrawals: How often something of the user's was withdrawn before all of it was read.
        setting: The talk's user, time zone and language.
    """

    queries: Sequence[str]
    passages: Sequence[Sequence[Source]]
    best: Sequence[Ranked[SearchCandidate] | None]
    computed: Sequence[Source]
    degraded: bool
    unindexed: int
    withdrawals: int
    setting: Setting

    @cached_property
    def sources(self) -> list[Source]:
        """All sources found, each once: by date, and then the counted rows."""
        found = {one.key: one for passage in self.passages for one in passage}
        return [*sorted(found.values(), key=lambda one: (one.at is None, one.at)), *self.computed]

    @property
    def counts(self) -> dict[CiteKind, int]:
        """The number of sources found, by kind."""
        return dict(Counter(one.key.kind for one in self.sources))

    def only_relevant(self) -> "FoundSources":
        """The same without passages that have little to do with the question."""
        kept = [
            (passage, one)
            for passage, one in zip(self.passages, self.best, strict=True)
            if one is None or is_relevant(one)
        ]
        return replace(self, passages=[passage for passage, _ in kept], best=[one for _, one in kept])


def find_sources(
    store: Store,
    embedders: Embedders,
    being: Being,
    request: AskRequest,
    plan: Plan,
    now: datetime,
    models: Mapping[VectorKind, str],
) -> FoundSources:
    """Search for sources that may answer a question, as many as the request's budget holds.

    Args:
        store: The ledger.
        embedders: Embed the question and the plan's queries.
        being: The Being that is asked.
        request: The question.
        plan: Further queries, names and times.
        now: The moment that is asked about, in the user's time zone.
        models: The result of `compared_models`.

    Raises:
        InvalidRequest: The embedder refuses the question.
    """
    text = request.question if request.about is None else f"{request.question} {request.about}"
    queries = list(dict.fromkeys([text, *plan.queries, *plan.names]))
    question = EverythingRequest(query=" ".join(queries)[:QUERY_CHARACTERS], kinds=list(KINDS), as_of=request.as_of)
    periods = [question]
    if plan.since or plan.until:
        periods.append(question.model_copy(update={"since": plan.since, "until": plan.until}))

    def search_without_vectors(tx: Transaction) -> _LexicalResults:
        # The counter is read before anything else, so that later withdrawals are noticed.
        withdrawals = calls.withdrawals(tx, being.user_id)
        of_being = setting.of_being(tx, being)
        plan_once(tx)
        named = _named(tx, being, [*plan.names, *([request.about] if request.about else [])], request.as_of)
        period = Period(now, plan.since, plan.until, request.as_of)
        computed = counting.rows(tx, being, plan.counts, period)
        evidence = [lexical_evidence(tx, being, one) for one in periods]
        return _LexicalResults(withdrawals, of_being, evidence, named, computed)

    # The lexical search runs while the question is embedded.
    reading = store.begin_read(search_without_vectors)
    # A name alone means little; its words are looked for.
    query_vectors = _query_vectors(embedders, being, text, plan.queries, models)
    with store.transaction() as tx:
        read = reading(tx)
        searches = zip(periods, read.evidence, strict=True)
        results = _alternating([_search(tx, being, one, query_vectors, evidence) for one, evidence in searches])
        items = {_key(row): row.said_at for _, beside in results for row in beside}
        sources = read_items(tx, being, items, request.as_of)
        unindexed = queue.unindexed(tx, [being.being_id, being.user_id], KINDS)
    passages: list[Sequence[Source]] = [[one] for one in read.named]
    best: list[Ranked[SearchCandidate] | None] = [None for _ in read.named]
    for one, beside in results:
        passages.append(
            [
                replace(source, excerpt=excerpt(source.text, text, row.starts_at))
                for row in beside
                for source in sources.get(_key(row), ())
            ]
        )
        best.append(one)
    passages, best = _fitting(passages, best, request.budget_tokens)
    return FoundSources(
        queries, passages, best, read.computed, query_vectors.degraded, unindexed, read.withdrawals, read.setting
    )


def _query_vectors(
    embedders: Embedders, being: Being, text: str, queries: Sequence[str], models: Mapping[VectorKind, str]
) -> QueryVectors:
    """Embed a question with the plan's further queries, or alone if the embedder refuses these."""
    request_owner = RequestOwner(being.being_id, "recall")
    try:
        return embed_for_each_model(embedders, request_owner, text, models, further=queries)
    except InvalidRequest:
        return embed_for_each_model(embedders, request_owner, text, models)


def _search(
    tx: Transaction, being: Being, question: EverythingRequest, query_vectors: QueryVectors, evidence: LexicalEvidence
) -> list[Result]:
    """The results of a search, best first, each with the messages right before and after it in its conversation."""
    found = candidates(tx, being, question, query_vectors, evidence)
    places = {row.document_id: at for at, row in enumerate(found.rows)}

    def beside(item: SearchCandidate) -> list[SearchCandidate]:
        if item.kind != "message":
            return [item]
        place = places[item.document_id]
        near = found.rows[max(0, place - 1) : place + 2]
        return [row for row in near if row.kind == "message" and row.session_id == item.session_id]

    return [(one, beside(one.item)) for one in found.best(MOST_RESULTS)]


def _alternating(searches: Sequence[Sequence[Result]]) -> list[Result]:
    """The results of searches, the best of each first, each item once."""
    taken: dict[int, Result] = {}
    for of_rank in zip_longest(*searches):
        for result in filter(None, of_rank):
            taken.setdefault(result[0].item.document_id, result)
    return list(taken.values())


def _key(row: SearchCandidate) -> Key:
    return Key(row.kind, row.item_id)


def _named(tx: Transaction, being: Being, names: Sequence[str], as_of: datetime | None) -> list[Source]:
    """The statements of facts on entities that are called so."""
    labels = cards.named(tx, being.user_id, being.being_id, [name.lower() for name in names], len(names))
    if not labels:
        return []
    known = cards.important(tx, being.user_id, being.being_id, list(labels), apart_from=[], limit=FACTS_OF_NAME)
    ids = [fact.fact_id for of_name in known.values() for fact in of_name]
    return facts(tx, being, list(dict.fromkeys(ids)), as_of)


def _fitting(
    passages: Sequence[Sequence[Source]], best: Sequence[Ranked[SearchCandidate] | None], tokens: int
) -> tuple[list[Sequence[Source]], list[Ranked[SearchCandidate] | None]]:
    """The first passages that there is room for; of one that does not fit, its result alone if that does."""
    kept: list[Sequence[Source]] = []
    of_kept: list[Ranked[SearchCandidate] | None] = []
    taken = set[Key]()
    for passage, one in zip(passages, best, strict=True):
        alone = [source for source in passage if one is None or source.key == _key(one.item)]
        for part in (passage, alone):
            needed = sum(estimated_tokens(source.shown) + FENCE_TOKENS for source in part if source.key not in taken)
            if part and needed <= tokens:
                tokens -= needed
                taken |= {source.key for source in part}
                kept.append(part)
                of_kept.append(one)
                break
    return kept, of_kept
