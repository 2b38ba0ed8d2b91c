"""Search over all items of a Being (DESIGN section 13), by words and by meaning; no model has to think.

Candidates are nominated by each signal, and read with their neighbours in the conversation; one weighted sum ranks them
all.
"""

from collections.abc import Sequence
from uuid import UUID

from memory.nodes import activation
from memory.retrieval.query_vectors import QueryVectors, VectorKind, embed_for_each_model
from memory.retrieval.weighing import Ranked
from memory.search.candidates import candidates, scope_of, speaker_of
from memory.search.indexing import text_of
from memory.search.named_entity import named_entities
from memory.search.ranking import WEIGHTS
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import RequestOwner
from schemas.accounts.accounts import Being
from schemas.search import EverythingRequest, Kind, Neighbour, SearchResult, SearchResults, Signal
from schemas.talk.messages import SaidMessage
from store.database import Store
from store.facts import fact_vectors
from store.search import documents, queue, result_texts
from store.search.candidates import SearchCandidate
from store.transaction import Transaction


def search(
    store: Store, embedders: Embedders, being: Being, question: EverythingRequest, *, muted: bool = False
) -> SearchResults:
    """Search, by words alone and marked `degraded` while the embedder is out of reach; muted items only with `muted`.

    Raises:
        InvalidRequest: The query is empty, or the embedder refuses it.
    """
    if not question.query.strip():
        raise InvalidRequest("The query is empty: ask for something.")
    query_vectors = embed_question(store, embedders, being, question.query, question.kinds)
    return store.run(search_with_vectors, being, question, query_vectors, muted=muted)


def embed_question(store: Store, embedders: Embedders, being: Being, query: str, kinds: Sequence[Kind]) -> QueryVectors:
    """Embed a question, once for each model of the vectors that it is compared with.

    Raises:
        InvalidRequest: The embedder refuses the query.
    """
    models = store.run(compared_models, being, kinds)
    return embed_for_each_model(embedders, RequestOwner(being.being_id, "recall"), query, models)


def compared_models(tx: Transaction, being: Being, kinds: Sequence[Kind]) -> dict[VectorKind, str]:
    """Return the models of the vectors that a question is compared with, by kind of vectors."""
    owners = [documents.owner(tx, owner_id) for owner_id in (being.being_id, being.user_id)]
    models: dict[VectorKind, str | None] = {
        # Memories are ranked by the talk of their day too, and long ones and long facts have windows there.
        "talk": next((owner.embedding_model for owner in owners if owner and owner.embedding_model), None),
        "nodes": being.embedding_model if "node" in kinds else None,
        "facts": fact_vectors.serving_model(tx, being.user_id) if "fact" in kinds else None,
    }
    return {name: model for name, model in models.items() if model is not None}


def search_with_vectors(
    tx: Transaction, being: Being, question: EverythingRequest, query_vectors: QueryVectors, *, muted: bool = False
) -> SearchResults:
    """Search by the words and vectors of a question, within a transaction."""
    scope = scope_of(being, question, muted=muted)
    found = candidates(tx, being, question, query_vectors, muted=muted)
    best = found.best(question.limit)
    texts = {
        (one.kind, one.item_id): one
        for one in result_texts.texts_of(
            tx, being.being_id, being.user_id, [(one.item.kind, one.item.item_id) for one in best]
        )
    }
    messages = [one.item.item_id for one in best if one.item.kind == "message"]
    beside = (
        result_texts.neighbours(tx, being.being_id, messages, question.neighbours, question.as_of, muted=muted)
        if question.neighbours
        else {}
    )
    results = [
        _result(being, question, one, texts[one.item.kind, one.item.item_id], beside.get(one.item.item_id, ((), ())))
        for one in best
        if (one.item.kind, one.item.item_id) in texts
    ]
    off_the_record = question.off_the_record or being.off_the_record
    if question.activate and not off_the_record:
        activation.activate(tx, being.being_id, [UUID(one.id) for one in results if one.kind == "node"])
    return SearchResults(
        entities=named_entities(tx, being, question, scope),
        results=results,
        degraded=query_vectors.degraded,
        unindexed=queue.unindexed(tx, scope.owners, question.kinds),
        off_the_record=off_the_record,
    )


def _result(
    being: Being,
    question: EverythingRequest,
    one: Ranked[SearchCandidate],
    text: result_texts.ItemText,
    beside: tuple[Sequence[SaidMessage], Sequence[SaidMessage]],
) -> SearchResult:
    before, after = beside
    return SearchResult(
        kind=text.kind,
        id=text.id,
        producer_id=text.producer_id,
        text=text_of(text.kind, text.content, text.feeling),
        at=one.item.said_at,
        speaker=one.item.speaker,
        session_id=one.item.item_id if one.item.kind == "summary" else one.item.session_id,
        score=one.score,
        before=[_neighbour(being, message) for message in before],
        after=[_neighbour(being, message) for message in after],
        signals={
            name: Signal(value=one.values[name], share=weight * one.values[name]) for name, weight in WEIGHTS.items()
        }
        if question.explain
        else None,
    )


def _neighbour(being: Being, message: SaidMessage) -> Neighbour:
    return Neighbour(
        id=message.message_id,
        speaker=speaker_of(being, message.speaker, message.role),
        text=message.content,
        at=message.created_at,
    )
