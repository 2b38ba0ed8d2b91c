"""Recalls nodes by similarity and by keyword, and activates them unless the caller opts out."""

import random
import shlex
from dataclasses import dataclass
from uuid import UUID

from memory.nodes import activation
from memory.nodes.fragments import to_fragments
from memory.retrieval.query_vectors import embed_query, significant_terms
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import RequestOwner
from schemas.accounts.accounts import Being
from schemas.limits import SEARCH_TERMS
from schemas.nodes.recall import FoundNodes, Recalled
from store.database import Store
from store.nodes import finding
from store.nodes.embeddings import ModelVectors
from store.nodes.finding import Activation
from store.transaction import Transaction


@dataclass(frozen=True)
class RecallQuery:
    """A recall: up to `limit` nodes with a cosine similarity of at least `threshold`."""

    query: str
    limit: int
    threshold: float
    activate: bool = True


def recall(store: Store, embedders: Embedders, being: Being, question: RecallQuery, chance: random.Random) -> Recalled:
    """Recall by similarity (the seed's `recall`), or by words, marked `degraded`, while the embedder is unavailable.

    Args:
        being: The Being as the caller found it just now: the query is embedded with its model.
        chance: Shuffles the fragments.

    Raises:
        InvalidRequest: The query is empty, or the embedder refuses it.
    """
    if not question.query.strip():
        raise InvalidRequest("The query is empty: name at least one word.")
    meaning = embed_query(embedders, RequestOwner(being.being_id, "recall"), question.query, being.embedding_model)
    activates = activation.ACTIVATION if question.activate and not being.off_the_record else None
    return store.run(recall_by_vector, being.being_id, question, meaning, chance, activates)


def recall_by_vector(
    tx: Transaction,
    being_id: UUID,
    question: RecallQuery,
    meaning: ModelVectors | None,
    chance: random.Random,
    activates: Activation | None = None,
) -> Recalled:
    """Recall by a query's vectors, or by the query's words if there is none, in one statement.

    Args:
        meaning: The query's vectors; None: it could not be embedded.
        chance: Shuffles the fragments.
        activates: How the found nodes are activated; None: they are not, or by the caller.
    """
    similarities: list[float | None]
    if meaning is None:
        words = significant_terms(question.query)
        met = finding.search(
            tx, being_id, words, all_terms=False, living=True, limit=question.limit, activates=activates
        )
        found = [node for node, _ in met]
        similarities = [None] * len(found)
    else:
        near = finding.match(
            tx,
            being_id,
            meaning.model,
            meaning.vectors,
            threshold=question.threshold,
            limit=question.limit,
            activates=activates,
        )
        found = [node for node, _ in near]
        similarities = [similarity for _, similarity in near]
    return Recalled(
        fragments=to_fragments(found, chance),
        nodes=found,
        similarities=similarities,
        degraded=meaning is None,
    )


def search(
    store: Store, being_id: UUID, query: str, *, all_terms: bool, limit: int, activate: bool = True
) -> FoundNodes:
    """Find nodes, including dead ones, that contain the terms (the seed's `search_memory`); quotes make a phrase.

    Raises:
        InvalidRequest: The query is empty, or has too many terms.
    """
    terms = split_terms(query)
    if not terms:
        raise InvalidRequest("The query is empty: name at least one word to search for.")
    activates = activation.ACTIVATION if activate else None
    met = store.run(
        finding.search, being_id, terms, all_terms=all_terms, living=False, limit=limit, activates=activates
    )
    return FoundNodes(nodes=[node for node, _ in met], terms=terms)


def split_terms(query: str) -> list[str]:
    """Split a query at white space; a phrase in double quotes is one term, and an unpaired quote is a plain character.

    Raises:
        InvalidRequest: There are more terms than a search takes.
    """
    reader = shlex.shlex(query, posix=True, punctuation_chars=False)
    reader.whitespace_split = True
    reader.commenters = ""
    reader.quotes = '"'
    reader.escape = ""
    try:
        terms = list(reader)
    except ValueError:
        terms = query.split()
    distinct = list(dict.fromkeys(term for term in terms if term.strip()))
    if len(distinct) > SEARCH_TERMS:
        raise InvalidRequest(
            f"A search takes at most {SEARCH_TERMS} different terms, and this one has {len(distinct)}:"
            " leave some out, or put a phrase in double quotes."
        )
    return distinct
