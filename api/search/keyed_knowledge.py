"""Routes of knowledge that programs keep under keys."""

from fastapi import APIRouter

from api.http.auth import IngestBeing, ReadBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.idempotency import RepeatableKey
from api.http.openapi import problems
from api.http.resources import On
from memory.intake import keyed_knowledge
from memory.search import keyed_knowledge as searching
from schemas.intake.knowledge import (
    KnowledgeChanged,
    KnowledgeChanges,
    KnowledgeFound,
    KnowledgeKeys,
    KnowledgeQuestion,
    KnowledgeShown,
    NamespaceQuestion,
    Namespaces,
)

router = APIRouter(prefix="/v1/beings/{being}/knowledge", tags=["Knowledge"], route_class=JsonRoute)


@router.post("", responses=problems(409))
@body_limit("batch")
def put_knowledge(on: On, being: IngestBeing, changes: KnowledgeChanges) -> KnowledgeChanged:
    """Keep JSON objects under keys, in place of what is there, or remove them.

    Scope `ingest`.

    What is kept is a knowledge note of the Being: it is found by its searches, and stays out of the snapshot. All of a
    request is done, or nothing.
    """
    return keyed_knowledge.change(on.store, on.settings, being, changes.items)


@router.post("/get")
@body_limit("document")
def get_knowledge(
    on: On,
    being: ReadBeing,
    wanted: KnowledgeKeys,
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> KnowledgeShown:
    """Show what is kept under each of some keys, null where nothing is.

    Scope `read`.
    """
    return keyed_knowledge.show(on.store, being, wanted.keys)


@router.post("/search")
def search_knowledge(
    on: On,
    being: ReadBeing,
    question: KnowledgeQuestion,
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> KnowledgeFound:
    """Search what is kept under keys: in a namespace, by fields, and by words and meaning where there is a query.

    Scope `read`.

    What was put is found at once. With a query, what it does not find comes last and has no score.
    """
    return searching.search(on.store, on.embedders, being, question)


@router.post("/namespaces")
def list_knowledge_namespaces(
    on: On,
    being: ReadBeing,
    question: NamespaceQuestion,
    idempotency_key: RepeatableKey = None,  # noqa: ARG001  # the document names it
) -> Namespaces:
    """List the namespaces in which knowledge is kept.

    Scope `read`.
    """
    return keyed_knowledge.namespaces(on.store, being, question)
