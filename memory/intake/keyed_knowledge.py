"""Use cases of knowledge that programs keep under keys."""

import hashlib
import json
from collections.abc import Sequence

from memory.intake.off_the_record import must_be_kept
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.intake.knowledge import (
    KeyedKnowledge,
    KnowledgeChanged,
    KnowledgeKey,
    KnowledgeShown,
    NamespaceQuestion,
    Namespaces,
    NewKnowledge,
)
from schemas.settings import Settings
from store import limits
from store.accounts import request_answers, users
from store.database import Store
from store.intake import keyed_knowledge
from store.intake.keyed_knowledge import Kept, Place, Put
from store.transaction import new_ids


def change(store: Store, settings: Settings, being: Being, items: Sequence[NewKnowledge]) -> KnowledgeChanged:
    """Put and remove knowledge, together or not at all; of several items under one key the last counts.

    Where something is removed, the answers stored for repeated requests go too, because they may show it.

    Raises:
        Refused: The Being would have more keys than it may, or is off the record.
    """
    if any(item.value is not None for item in items):
        must_be_kept(being)
    with store.transaction() as tx:
        users.hold(tx, being.user_id)
        # One at a time changes a Being's knowledge, so that two with the same keys can't deadlock.
        held = limits.count(tx, "keyed_knowledge", being.being_id)
        changes = {
            _place(item): Put(note_id, item.value, item.search_text, _hash(item))
            for item, note_id in zip(items, new_ids(tx, len(items)), strict=True)
        }
        unwanted = [place for place, new in changes.items() if new.value is None]
        removed = keyed_knowledge.remove(tx, being.being_id, unwanted) if unwanted else 0
        if removed:
            request_answers.remove(tx, being.user_id)
        kept = keyed_knowledge.put(tx, being.being_id, changes)
        if any(kept) and held - removed + sum(kept) > settings.most_keyed_knowledge:
            raise Refused(limits.TOO_MANY["keyed_knowledge"].format(most=settings.most_keyed_knowledge))
    return KnowledgeChanged(kept=len(kept), removed=removed)


def show(store: Store, being: Being, keys: Sequence[KnowledgeKey]) -> KnowledgeShown:
    """Show what is kept under each of these keys, or None."""
    places = [_place(key) for key in keys]
    found = store.run(keyed_knowledge.get, being.being_id, places)
    return KnowledgeShown(items=[_shown(found.get(place)) for place in places])


def namespaces(store: Store, being: Being, question: NamespaceQuestion) -> Namespaces:
    """List the namespaces in which something is kept."""
    conditions = [(one.at, one.path) for one in question.conditions]
    found = store.run(
        keyed_knowledge.namespaces, being.being_id, conditions, question.max_depth, question.limit, question.offset
    )
    return Namespaces(namespaces=found)


def _place(key: KnowledgeKey) -> Place:
    return (*key.namespace,), key.key


def _hash(item: NewKnowledge) -> bytes:
    return hashlib.sha256(json.dumps(item.value, sort_keys=True).encode()).digest()


def _shown(kept: Kept | None) -> KeyedKnowledge | None:
    if kept is None:
        return None
    return KeyedKnowledge(
        namespace=kept.namespace,
        key=kept.key,
        value=kept.value,
        created_at=kept.created_at,
        updated_at=kept.updated_at,
    )
