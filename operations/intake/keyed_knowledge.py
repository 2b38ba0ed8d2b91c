"""Knowledge that programs keep under keys."""

import hashlib
import json

from memory.intake.off_the_record import must_be_kept
from memory.search import knowledge_search as searching
from operations.declaration import operation
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.intake.knowledge import (
    KnowledgeChanged,
    KnowledgeChanges,
    KnowledgeFound,
    KnowledgeKey,
    KnowledgeKeys,
    KnowledgeQuestion,
    KnowledgeShown,
    NamespaceQuestion,
    Namespaces,
    NewKnowledge,
)
from store import limits
from store.accounts import request_answers, users
from store.intake import keyed_knowledge
from store.intake.keyed_knowledge import KeyedWrite, Place
from store.transaction import Transaction, new_ids
from workers.runtime.resources import Resources


@operation("POST /v1/beings/{being}/knowledge", scope="ingest", conflicts=True, body="batch")
def put_knowledge(on: Resources, being: Being, changes: KnowledgeChanges) -> KnowledgeChanged:
    """Keep JSON objects under keys, in place of earlier ones, or remove them.

    An object is a knowledge note of the Being: it is found by its searches, and stays out of the snapshot. All of a
    request is done, or nothing.
    """
    items, most = changes.items, on.settings.most_keyed_knowledge
    if any(item.value is not None for item in items):
        must_be_kept(being)
    with on.store.transaction() as tx:
        users.hold(tx, being.user_id)
        # One at a time changes a Being's knowledge, so that two with the same keys can't deadlock.
        held = limits.count(tx, "keyed_knowledge", being.being_id)
        # Of several items under one key the last counts.
        wanted = {
            _place(item): KeyedWrite(note_id, item.value, item.search_text, _hash(item))
            for item, note_id in zip(items, new_ids(tx, len(items)), strict=True)
        }
        unwanted = [place for place, new in wanted.items() if new.value is None]
        removed = keyed_knowledge.remove(tx, being.being_id, unwanted) if unwanted else 0
        if removed:
            # Answers stored for repeated requests may show it.
            request_answers.remove(tx, being.user_id)
        kept = keyed_knowledge.put(tx, being.being_id, wanted)
        if any(kept) and held - removed + sum(kept) > most:
            raise Refused(limits.TOO_MANY["keyed_knowledge"].format(most=most))
    return KnowledgeChanged(kept=len(kept), removed=removed)


@operation("POST /v1/beings/{being}/knowledge/get", scope="read", body="document", repeated="harmless")
def get_knowledge(tx: Transaction, being: Being, wanted: KnowledgeKeys) -> KnowledgeShown:
    """Show the object under each of some keys, null where there is none."""
    places = [_place(key) for key in wanted.keys]
    found = keyed_knowledge.get(tx, being.being_id, places)
    return KnowledgeShown(items=[searching.shown(found[place]) if place in found else None for place in places])


@operation("POST /v1/beings/{being}/knowledge/search", scope="read", repeated="harmless")
def search_knowledge(
    on: Resources,
    being: Being,
    question: KnowledgeQuestion,
) -> KnowledgeFound:
    """Search the objects under keys: in a namespace, by fields, and by words and meaning where there is a query.

    New objects are found at once. With a query, objects that do not match come last and have no score.
    """
    return searching.search(on.store, on.embedders, being, question)


@operation("POST /v1/beings/{being}/knowledge/namespaces", scope="read", repeated="harmless")
def list_knowledge_namespaces(tx: Transaction, being: Being, question: NamespaceQuestion) -> Namespaces:
    """List the namespaces in which knowledge is kept."""
    conditions = [(one.at, one.path) for one in question.conditions]
    found = keyed_knowledge.namespaces(
        tx, being.being_id, conditions, question.max_depth, question.limit, question.offset
    )
    return Namespaces(namespaces=found)


def _place(key: KnowledgeKey) -> Place:
    return (*key.namespace,), key.key


def _hash(item: NewKnowledge) -> bytes:
    return hashlib.sha256(json.dumps(item.value, sort_keys=True).encode()).digest()
