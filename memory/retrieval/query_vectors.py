"""The words of a query, and its vectors, one kind for each kind of rows that they are compared with.

Recall, the retrieval of facts, the search, knowledge under keys and contexts read a query here. Where it can't be
embedded they go by its words, and say that they are degraded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import structlog

from memory.retrieval.text_vectors import embed_question, embed_questions
from memory.text.errors import InvalidRequest
from memory.text.languages import likeliest
from memory.text.words import is_stop_word, read_words
from providers.embedders import Embedders
from providers.errors import InputRefused, ProviderError
from providers.metering import RequestOwner, on_behalf_of
from schemas.errors import BudgetSpent
from schemas.limits import SEARCH_TERMS
from store.nodes.embeddings import ModelVectors

log = structlog.get_logger()

VectorKind = Literal["talk", "nodes", "facts"]
"""A kind of vectors that a query's are compared with, each of its own model: messages, memories, facts."""


@dataclass(frozen=True, slots=True)
class QueryVectors:
    """The vectors of a query in the models of messages, of memories, and of the user's facts.

    Attributes:
        talk: None if it is not compared with that, or could not be embedded; so are the others.
        nodes: As `talk`.
        facts: As `talk`.
        degraded: Whether it could not be embedded by a model.
    """

    talk: ModelVectors | None = None
    nodes: ModelVectors | None = None
    facts: ModelVectors | None = None
    degraded: bool = False


def embed_for_each_model(
    embedders: Embedders,
    request_owner: RequestOwner,
    query: str,
    models: Mapping[VectorKind, str | None],
    known: Mapping[str | None, ModelVectors | None] | None = None,
    further: Sequence[str] = (),
) -> QueryVectors:
    """Embed a query, once for each model.

    Args:
        embedders: The embedders.
        request_owner: The Being or user of the query.
        query: The query.
        models: The model of each thing that it is compared with; None: the embedder that is configured.
        known: Its vectors of some models, if they were computed before.
        further: Other words for it, which nominate and count as the query does.

    Raises:
        InvalidRequest: The embedder refuses the query.
    """
    made = dict(known or {})
    for model in models.values():
        if model not in made:
            vectors = embed_query(embedders, request_owner, query, model, further)
            made |= {model: vectors, vectors.model: vectors} if vectors else {model: None}
    meanings = {name: made[model] for name, model in models.items()}
    return QueryVectors(**meanings, degraded=None in meanings.values())


def embed_query(
    embedders: Embedders, request_owner: RequestOwner, query: str, model: str | None, further: Sequence[str] = ()
) -> ModelVectors | None:
    """Embed a query with a model, by default the configured one; None while the embedder is unavailable.

    Raises:
        InvalidRequest: The embedder refuses the query.
    """
    try:
        embedder = embedders.serving(model)
        with on_behalf_of(request_owner):
            vectors = embed_questions(embedder, [query, *further]) if further else embed_question(embedder, query)
        return ModelVectors(embedder.model, vectors)
    except InputRefused as refusal:
        raise InvalidRequest(f"The embedder refuses the query, rephrase it: {refusal}") from None
    except (ProviderError, BudgetSpent) as error:
        log.warning(
            "query.degraded",
            being_id=str(request_owner.owner_id),
            asks=request_owner.purpose,
            error=type(error).__name__,
        )
        return None


def significant_terms(query: str) -> list[str]:
    """Select the terms of a query for keyword search when it can't be embedded: its first 32 content terms.

    Stop words and hiragana are mostly grammar, and are used only if there is nothing else. Scripts without spaces are
    searched by overlapping pairs of characters (CJK bigrams), as in full-text search.
    """
    found = list(read_words(query))
    language = likeliest([word.text.casefold() for word in found])
    content, grammar = list[str](), list[str]()
    for word in found:
        tells = word.script != "hiragana" and not is_stop_word(word.text.casefold(), language)
        (content if tells else grammar).extend(word.units())
    return list(dict.fromkeys(content or grammar or query.split()))[:SEARCH_TERMS]
