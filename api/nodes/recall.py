"""Finding memories: by meaning, by topic, by word."""

from random import SystemRandom

from fastapi import APIRouter

from api.http.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.idempotency import calls_models
from api.http.resources import On
from memory.nodes import recall
from schemas.nodes.nodes import TopicPage
from schemas.nodes.recall import (
    Explanation,
    Recalled,
    RecalledFragments,
    RecalledNode,
    RecalledNodes,
    RecallRequest,
    Searched,
    SearchRequest,
    TopicRequest,
)

router = APIRouter(prefix="/v1/beings/{being}", tags=["Recall"], route_class=JsonRoute)

CHANCE = SystemRandom()


@router.post("/recall", response_model_exclude_unset=True)
@calls_models
def recall_memories(on: On, being: ReadBeing, question: RecallRequest) -> RecalledFragments | RecalledNodes:
    """Recall by meaning, up to `limit` living memories.

    Scope `read`.

    As `fragments`, actions and feelings are shuffled into one stream, which blurs their borders as human memory does;
    as `nodes`, each memory comes whole. While the embedder is out of reach words have to do, and the answer says so.
    """
    asked = recall.RecallQuery(question.query, question.limit, question.threshold, question.activate)
    recalled = recall.recall(on.store, on.embedders, being, asked, CHANCE)
    explained = {"explanation": _explain(recalled, question.threshold)} if question.explain else {}
    if question.format == "fragments":
        return RecalledFragments(recalled=recalled.fragments, degraded=recalled.degraded, **explained)
    nodes = [
        RecalledNode(**node.model_dump(), similarity=similarity)
        for node, similarity in zip(recalled.nodes, recalled.similarities, strict=True)
    ]
    return RecalledNodes(nodes=nodes, degraded=recalled.degraded, **explained)


@router.post("/recall_memory")
@calls_models
def recall_topic(on: On, being: ReadBeing, question: TopicRequest) -> TopicPage:
    """Remember a topic: all its memories, dead ones too, newest first, 50 at a time.

    Scope `read`.
    """
    return recall.recall_topic(
        on.store, being.being_id, question.cluster_id, question.cursor, activate=question.activate
    )


@router.post("/search_memory")
@calls_models
def search_memories(on: On, being: ReadBeing, question: SearchRequest) -> Searched:
    """Search memories, dead ones too, by words.

    Scope `read`.

    Themes match whole and to the letter; action, feeling and dates match as parts, whatever the case.
    """
    return recall.search(
        on.store,
        being.being_id,
        question.query,
        all_terms=question.mode == "and",
        limit=question.limit,
        activate=question.activate,
    )


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
