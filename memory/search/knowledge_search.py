"""Search over knowledge under keys: in a namespace, by a filter on its fields, best first or newest first.

A new entry is found in the next search, by words and by meaning: entries that are not indexed yet are read and embedded
for the search. Entries that do not match the query come behind those that do, as callers of a key-value store expect of
a search within a namespace.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np
import structlog

from memory.retrieval.query_vectors import QueryVectors, embed_query
from memory.retrieval.text_vectors import embed_whole
from memory.search.candidates import language_of, nominate_by_vectors, nominate_by_words
from memory.search.indexing import CHARACTERS_INDEXED
from memory.search.questions import Term, read
from memory.search.ranking import WEIGHTS, Query, ranked
from memory.search.terms import digest
from memory.search.terms import terms as terms_of
from providers.embedders import Embedders
from providers.errors import InputRefused, ProviderError
from providers.metering import RequestOwner, on_behalf_of
from schemas.accounts.accounts import Being
from schemas.errors import BudgetSpent
from schemas.intake.knowledge import KeyedKnowledge, KnowledgeFound, KnowledgeQuestion
from store.database import Store
from store.intake.keyed_knowledge import KeyedValue, by_ids
from store.nodes.embeddings import ModelVectors
from store.search import candidates, documents, knowledge_search, vectors
from store.search.candidates import SearchCandidate
from store.search.knowledge_search import UnindexedKnowledge
from store.search.scope import KeyedFilter, SearchScope, plan_once
from store.transaction import Transaction

log = structlog.get_logger()

# The most unindexed entries that a search reads, and the most of these that it embeds: indexing follows within seconds.
MOST_UNINDEXED = 200
MOST_EMBEDDED = 32
CHARACTERS_EMBEDDED = 2000
# The highest sum of these signals; a score is the share of it.
HIGHEST_BY_WORDS = WEIGHTS["words"] + WEIGHTS["all_words"]
HIGHEST = HIGHEST_BY_WORDS + WEIGHTS["meaning"] + WEIGHTS["around"]


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The vector of a query, None while the embedder is out of reach, and the knowledge that is not indexed yet.

    Attributes:
        query: The query's vectors.
        fresh: The knowledge that is not indexed yet.
        similarities: The similarities of its embedded entries, by note.
    """

    query: ModelVectors | None
    fresh: Sequence[UnindexedKnowledge]
    similarities: Mapping[UUID, float]


def search(store: Store, embedders: Embedders, being: Being, question: KnowledgeQuestion) -> KnowledgeFound:
    """Search, by words alone and marked `degraded` while the embedder is out of reach.

    Raises:
        InvalidRequest: The embedder refuses the query.
    """
    among = KeyedFilter(being.being_id, question.namespace_prefix, question.filter or {})
    asks = bool(question.query and question.query.strip())
    meaning = _meaning(store, embedders, being, among, question.query or "") if asks else None
    with store.transaction() as tx:
        scores = _ranked(tx, being, among, question, meaning) if meaning else {}
        best = list(scores)[question.offset : question.offset + question.limit]
        rest = knowledge_search.newest(
            tx, among, list(scores), question.limit - len(best), max(0, question.offset - len(scores))
        )
        found = by_ids(tx, being.being_id, [*best, *rest])
        # Unindexed entries were read before, and may have been removed since.
        ids = [note_id for note_id in (*best, *rest) if note_id in found]
    return KnowledgeFound(
        items=[shown(found[note_id], scores.get(note_id)) for note_id in ids],
        degraded=meaning is not None and meaning.query is None,
    )


def shown(kept: KeyedValue, score: float | None = None) -> KeyedKnowledge:
    """Return an entry in the form of answers, with its score if a query found it."""
    return KeyedKnowledge(
        namespace=kept.namespace,
        key=kept.key,
        value=kept.value,
        created_at=kept.created_at,
        updated_at=kept.updated_at,
        score=score,
    )


def _meaning(store: Store, embedders: Embedders, being: Being, among: KeyedFilter, query: str) -> _Meaning:
    """Embed a query, and the newest knowledge that has no vector yet.

    Raises:
        InvalidRequest: The embedder refuses the query.
    """
    with store.transaction() as tx:
        owner = documents.owner(tx, being.being_id)
        # Where nothing is embedded yet, new entries will be embedded by the model of the Being's memories.
        model = (owner and owner.embedding_model) or vectors.being_model(tx, being.being_id)
        # Before the index is read: entries indexed meanwhile are found in both; the other way round, in neither.
        fresh = knowledge_search.unindexed(tx, among, MOST_UNINDEXED)
    of_question = embed_query(embedders, RequestOwner(being.being_id, "recall"), query, model)
    if of_question is None:
        return _Meaning(None, fresh, {})
    evidence = [one for one in fresh if one.text.strip()][:MOST_EMBEDDED]
    try:
        with on_behalf_of(RequestOwner(being.being_id, "recall")):
            made = embed_whole(embedders.serving(model), [one.text[:CHARACTERS_EMBEDDED] for one in evidence])
    except (ProviderError, BudgetSpent) as fault:
        log.warning("knowledge.unembedded", being_id=str(being.being_id), error=type(fault).__name__)
        return _Meaning(of_question, fresh, {})
    similarities = {
        one.note_id: max(float(np.dot(vector, of_query)) for of_query in of_question.vectors)
        for one, vector in zip(evidence, made, strict=True)
        if not isinstance(vector, InputRefused)
    }
    return _Meaning(of_question, fresh, similarities)


def _ranked(
    tx: Transaction, being: Being, among: KeyedFilter, question: KnowledgeQuestion, meaning: _Meaning
) -> dict[UUID, float]:
    """Return the ids of the entries that match the question, best first, with their scores from 0 to 1."""
    plan_once(tx)
    limit = question.offset + question.limit
    scope = SearchScope(being.being_id, being.user_id, ["knowledge"], among=among)
    language = language_of(tx, being)
    terms, _ = read(question.query or "", language, [])
    collection, places = nominate_by_words(tx, scope, terms, terms, limit)
    query_vectors = QueryVectors(talk=meaning.query)
    places += nominate_by_vectors(tx, replace(scope, kinds=[]), scope, query_vectors, limit)
    rows = candidates.load_candidates(
        tx,
        scope,
        list(dict.fromkeys(places)),
        [term.digest for term in terms],
        called={},
        around=0,
        talk=query_vectors.talk,
        nodes=None,
        facts=None,
    )
    indexed = {row.item_id: row for row in rows}
    for place, one in enumerate(meaning.fresh):
        row = indexed.get(one.note_id)
        # An entry that waits but is not embedded for the search, as during a change of model, has its earlier vector.
        similarity = meaning.similarities.get(one.note_id, row.similarity if row else None)
        indexed[one.note_id] = _as_indexed(-1 - place, one, terms, language, similarity)
    rows = list(indexed.values())
    query = Query(
        talk=collection,
        rest=collection,
        apart=False,
        one_per_session=False,
        names=[False for _ in terms],
        speakers=frozenset(),
        mentions=frozenset(),
        intervals=[],
    )
    highest = HIGHEST if query_vectors.talk else HIGHEST_BY_WORDS
    best = ranked(query, rows, lambda _: True, limit)
    return {one.item.item_id: min(1.0, one.score / highest) for one in best if one.score > 0}


def _as_indexed(
    document_id: int, one: UnindexedKnowledge, terms: Sequence[Term], language: str, similarity: float | None
) -> SearchCandidate:
    """The knowledge that waits to be indexed, as the index would hold it."""
    held = Counter(digest(term) for term in terms_of(one.text[:CHARACTERS_INDEXED], language))
    return SearchCandidate(
        document_id=document_id,
        kind="knowledge",
        item_id=one.note_id,
        session_id=None,
        said_at=one.at,
        question=False,
        length=held.total(),
        times=[held[term.digest] for term in terms],
        similarity=similarity,
        starts_at=None,
        speaker=None,
    )
