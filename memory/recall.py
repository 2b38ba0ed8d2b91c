"""Finding memories: by meaning, by topic, by word. Being found keeps them alive, unless the caller says otherwise."""

import random
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

import structlog

from memory import activation
from memory.fragments import to_fragments
from memory.pages import cut, read_moment, write_moment
from memory.questions import BadQuestion
from providers.embedders import Embedders
from providers.errors import InputRefused, ProviderError
from providers.metering import Asker, on_behalf_of
from schemas.answers import Recalled, Searched, TopicPage
from schemas.limits import PAGE_NODES, SEARCH_TERMS
from store import clusters, nodes, users
from store.database import Store
from store.embeddings import Vector
from store.errors import BudgetSpent, NotFound
from store.transaction import Transaction

log = structlog.get_logger()

# Runs of one script that is written without spaces, runs of hiragana, and everything else as its spaces part it.
_RUN = re.compile(
    r"(?P<unspaced>[\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af]+"
    r"|[\u30a1-\u30fa\uff66-\uff9f][\u30a1-\u30fa\u30fc-\u30ff\uff66-\uff9f]*"
    r"|[\uac00-\ud7a3]+|[\u0e01-\u0eff]+|[\u1000-\u109f]+|[\u1780-\u17ff]+)"
    r"|(?P<hiragana>[\u3041-\u3096][\u3041-\u3096\u3099-\u309f\u30fc]*)"
    r"|(?P<spaced>[^\s\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uac00-\ud7a3\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f\U00020000-\U000323af]+)"
)


@dataclass(frozen=True)
class Asked:
    """How a recall is asked: up to `limit` nodes whose cosine similarity is at least `threshold`."""

    query: str
    limit: int
    threshold: float
    activate: bool = True


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a question means: a unit vector of a model."""

    model: str
    vector: Vector


def recall(store: Store, embedders: Embedders, being_id: UUID, asked: Asked, chance: random.Random) -> Recalled:
    """Recall by meaning (the seed's `recall`); by words, marked `degraded`, while the embedder is out of reach.

    Raises:
        BadQuestion: The query is empty, or the embedder refuses it.
    """
    if not asked.query.strip():
        raise BadQuestion("The query is empty: ask for something.")
    with store.transaction() as tx:
        being = users.get_being(tx, being_id)
    meant = meaning(embedders, Asker(being_id, "recall"), asked.query, being.embedding_model)
    with store.transaction() as tx:
        recalled = recall_meant(tx, being_id, asked, meant, chance)
        if asked.activate:
            activation.activate(tx, being_id, [node.node_id for node in recalled.nodes])
    return recalled


def meaning(embedders: Embedders, asker: Asker, query: str, model: str | None) -> Meaning | None:
    """Embed a question for a model's vectors; None while the embedder is out of reach, and words have to do.

    Raises:
        BadQuestion: The embedder refuses the query.
    """
    try:
        embedder = embedders.serving(model)
        with on_behalf_of(asker):
            vector = embedder.embed([query])[0]
        return Meaning(embedder.model, vector)
    except InputRefused as refusal:
        raise BadQuestion(f"The embedder refuses the query, put it in other words: {refusal}") from None
    except (ProviderError, BudgetSpent) as error:
        log.warning("query.degraded", being_id=str(asker.owner_id), asks=asker.purpose, error=type(error).__name__)
        return None


def recall_meant(
    tx: Transaction, being_id: UUID, asked: Asked, meant: Meaning | None, chance: random.Random
) -> Recalled:
    """Recall by what a question means, by its words where nobody could embed it; who recalls activates what is found.

    Args:
        tx: The transaction.
        being_id: Whose memories they are.
        asked: How it is asked.
        meant: What it means to the model of the Being's vectors.
        chance: Shuffles the fragments.
    """
    similarities: list[float | None]
    if meant is None:
        words = telling_words(asked.query)
        met = nodes.search(tx, being_id, words, all_terms=False, living=True, limit=asked.limit)
        found = [node for node, _ in met]
        similarities = [None] * len(found)
    else:
        near = nodes.match(tx, being_id, meant.model, meant.vector, threshold=asked.threshold, limit=asked.limit)
        found = [node for node, _ in near]
        similarities = [similarity for _, similarity in near]
    return Recalled(
        fragments=to_fragments(found, chance),
        nodes=found,
        similarities=similarities,
        degraded=meant is None,
    )


def recall_topic(
    store: Store, being_id: UUID, cluster_id: UUID, cursor: str | None, *, activate: bool = True
) -> TopicPage:
    """A topic's nodes, dead ones too, newest first, in pages of 50 (the seed's `recall_memory`).

    Raises:
        NotFound: This Being has no such cluster.
        BadQuestion: The cursor is none that was given out.
    """
    before = read_moment(cursor)
    with store.transaction() as tx:
        cluster = clusters.find(tx, being_id, cluster_id)
        if cluster is None:
            raise NotFound(f"This Being has no cluster {cluster_id}.")
        found = nodes.page(
            tx, being_id, cluster_id=cluster.cluster_id, forgotten=False, before=before, limit=PAGE_NODES + 1
        )
        shown, end = cut(found, PAGE_NODES, lambda node: write_moment(node.created_at, node.node_id))
        if activate:
            activation.activate(tx, being_id, [node.node_id for node in shown])
    return TopicPage(cluster=cluster, nodes=shown, cursor=end)


def search(store: Store, being_id: UUID, query: str, *, all_terms: bool, limit: int, activate: bool = True) -> Searched:
    """Nodes, dead ones too, in which the terms stand (the seed's `search_memory`); quotes keep a phrase together.

    Raises:
        BadQuestion: The query is empty, or of too many terms.
    """
    terms = split_terms(query)
    if not terms:
        raise BadQuestion("The query is empty: name at least one word to search for.")
    with store.transaction() as tx:
        met = nodes.search(tx, being_id, terms, all_terms=all_terms, living=False, limit=limit)
        if activate:
            activation.activate(tx, being_id, [node.node_id for node, _ in met])
    return Searched(nodes=[node for node, _ in met], terms=terms)


def split_terms(query: str) -> list[str]:
    """Split at white space; what stands in double quotes stays one term, and a lone quote is a plain character.

    Raises:
        BadQuestion: There are more terms than a search takes.
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
        raise BadQuestion(
            f"A search takes at most {SEARCH_TERMS} different terms, and this one has {len(distinct)}:"
            " leave some away, or keep a phrase together with double quotes."
        )
    return distinct


def telling_words(query: str) -> list[str]:
    """What of a question is worth looking for as words, when there is no embedding of it: its first 32 terms.

    Short words and hiragana are grammar more often than not: they have to do only where there is nothing else. Scripts
    without spaces are looked for by overlapping pairs of characters, as full-text search does with them (CJK bigrams).
    """
    telling, grammar = list[str](), list[str]()
    for run in _RUN.finditer(query):
        if run["unspaced"]:
            telling += _pairs(run["unspaced"])
        elif run["hiragana"]:
            grammar += _pairs(run["hiragana"])
        elif word := run["spaced"].strip(".,;:!?\"'()[]…"):
            (telling if len(word) > len("the") or not word.isascii() else grammar).append(word)
    return list(dict.fromkeys(telling or grammar or query.split()))[:SEARCH_TERMS]


def _pairs(run: str) -> Iterator[str]:
    """The overlapping pairs of a run of characters; a lone character stands for itself."""
    return map("".join, pairwise(run)) if len(run) > 1 else iter((run,))
