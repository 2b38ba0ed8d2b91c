"""Knowledge that programs keep under keys."""

from memory.intake import keyed_knowledge
from memory.search import knowledge_search as searching
from operations.declaration import operation
from schemas.accounts.accounts import Being
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
from workers.runtime.resources import Resources


@operation("POST /v1/beings/{being}/knowledge", scope="ingest", conflicts=True, body="batch")
def put_knowledge(on: Resources, being: Being, changes: KnowledgeChanges) -> KnowledgeChanged:
    """Keep JSON objects under keys, in place of what is there, or remove them.

    What is kept is a knowledge note of the Being: it is found by its searches, and stays out of the snapshot. All of a
    request is done, or nothing.
    """
    return keyed_knowledge.change(on.store, on.settings, being, changes.items)


@operation("POST /v1/beings/{being}/knowledge/get", scope="read", body="document", repeated="harmless")
def get_knowledge(
    on: Resources,
    being: Being,
    wanted: KnowledgeKeys,
) -> KnowledgeShown:
    """Show what is kept under each of some keys, null where nothing is."""
    return keyed_knowledge.show(on.store, being, wanted.keys)


@operation("POST /v1/beings/{being}/knowledge/search", scope="read", repeated="harmless")
def search_knowledge(
    on: Resources,
    being: Being,
    question: KnowledgeQuestion,
) -> KnowledgeFound:
    """Search what is kept under keys: in a namespace, by fields, and by words and meaning where there is a query.

    What was put is found at once. With a query, what it does not find comes last and has no score.
    """
    return searching.search(on.store, on.embedders, being, question)


@operation("POST /v1/beings/{being}/knowledge/namespaces", scope="read", repeated="harmless")
def list_knowledge_namespaces(
    on: Resources,
    being: Being,
    question: NamespaceQuestion,
) -> Namespaces:
    """List the namespaces in which knowledge is kept."""
    return keyed_knowledge.namespaces(on.store, being, question)
