"""Finding memories: by meaning, by topic, by word."""

from random import SystemRandom
from typing import Any

from memory.nodes import activation, recall
from memory.text.pages import cut_page, parse_cursor, time_and_id
from operations.declaration import Flag, Tool, operation
from schemas.accounts.accounts import Being
from schemas.errors import existing
from schemas.limits import PAGE_NODES
from schemas.nodes.nodes import TopicPage
from schemas.nodes.recall import (
    Explanation,
    FoundNodes,
    Recalled,
    RecalledFragments,
    RecalledNode,
    RecalledNodes,
    RecallRequest,
    SearchRequest,
    TopicRequest,
)
from store.nodes import clusters, nodes
from store.transaction import Transaction
from workers.runtime.resources import Resources

CHANCE = SystemRandom()


@operation(
    "POST /v1/beings/{being}/recall",
    scope="read",
    omits="unset",
    repeated="done again",
    tool=Tool(
        "recall",
        "Recall by meaning what happened before, as a diffuse impression.\n\n"
        "Use it first, and often: being recalled keeps memories alive. Ask for single `memories` only if you must tell"
        " them apart, or need a topic for `recall_memory`.",
        takes=("query", "limit"),
        flags={
            "memories": Flag(
                "Also list each memory with its people, dates and topic. Rarely needed.", {"format": "nodes"}
            )
        },
        hints={"query": "What was just said, or what you want to remember, in a sentence."},
    ),
)
def recall_memories(on: Resources, being: Being, question: RecallRequest) -> RecalledFragments | RecalledNodes:
    """Recall by meaning, up to `limit` living memories.

    As `fragments`, actions and feelings are shuffled into one stream, which blurs their borders as human memory does;
    as `nodes`, each memory comes whole. While the embedder is out of reach words are compared, and `degraded` is true.
    """
    activates = question.activate and not question.off_the_record
    query = recall.RecallQuery(question.query, question.limit, question.threshold, activates)
    recalled = recall.recall(on.store, on.embedders, being, query, CHANCE)
    more: dict[str, Any] = {"explanation": _explain(recalled, question.threshold)} if question.explain else {}
    more |= {"off_the_record": True} if _is_off(being, question) else {}
    if question.format == "fragments":
        return RecalledFragments(recalled=recalled.fragments, degraded=recalled.degraded, **more)
    single = [
        RecalledNode(**node.model_dump(), similarity=similarity)
        for node, similarity in zip(recalled.nodes, recalled.similarities, strict=True)
    ]
    return RecalledNodes(recalled=recalled.fragments, nodes=single, degraded=recalled.degraded, **more)


@operation(
    "POST /v1/beings/{being}/recall_memory",
    scope="read",
    repeated="done again",
    tool=Tool(
        "recall_memory",
        "Read all memories of one topic, forgotten ones too, 50 at a time.\n\n"
        "Use it after `recall`, when one memory is not enough and you want the whole story around it.",
        takes=("cluster_id", "cursor"),
        hints={"cluster_id": "The `topic` of a memory that another tool gave."},
    ),
)
def recall_topic(tx: Transaction, being: Being, question: TopicRequest) -> TopicPage:
    """Remember a topic: all its memories, dead ones too, newest first, 50 at a time."""
    before, off = parse_cursor(question.cursor, time_and_id), _is_off(being, question)
    wanted = clusters.find(tx, being.being_id, question.cluster_id, muted=False)
    cluster = existing(wanted, f"This Being has no cluster {question.cluster_id}.")
    found = nodes.page(
        tx,
        being.being_id,
        cluster_id=cluster.cluster_id,
        forgotten=False,
        muted=False,
        before=before,
        limit=PAGE_NODES + 1,
    )
    shown, end = cut_page(found, PAGE_NODES, lambda node: (node.created_at, node.node_id))
    if question.activate and not off:
        activation.activate(tx, being.being_id, [node.node_id for node in shown])
    return TopicPage(cluster=cluster, nodes=shown, cursor=end, off_the_record=off)


@operation(
    "POST /v1/beings/{being}/search_memory",
    scope="read",
    repeated="done again",
    tool=Tool(
        "search_memory",
        "Search memories for exact words: a name, a place, a date, a theme. It finds long-forgotten ones too.\n\n"
        "Use it when you know the word that was used; to find by meaning, use `recall`.",
        takes=("query", "mode", "limit"),
    ),
)
def search_memories(on: Resources, being: Being, question: SearchRequest) -> FoundNodes:
    """Search memories, dead ones too, by words.

    Themes match whole and to the letter; action, feeling and dates match as parts, ignoring case.
    """
    off = _is_off(being, question)
    found = recall.search(
        on.store,
        being.being_id,
        question.query,
        all_terms=question.mode == "and",
        limit=question.limit,
        activate=question.activate and not off,
    )
    return found.model_copy(update={"off_the_record": off})


def _is_off(being: Being, question: RecallRequest | TopicRequest | SearchRequest) -> bool:
    return being.off_the_record or question.off_the_record


def _explain(recalled: Recalled, threshold: float) -> list[Explanation]:
    return [
        Explanation(
            node_id=node.node_id,
            similarity=similarity,
            effective_importance=node.effective_importance,
            session_count=node.session_count,
            why="words of the query stand in it; the embedder is out of reach"
            if similarity is None
            else f"similarity {similarity:.3f} is at least the threshold {threshold:g}",
        )
        for node, similarity in zip(recalled.nodes, recalled.similarities, strict=True)
    ]
