"""Introducing a user: facts that somebody hands in, rather than the user's own words in a conversation.

Each item is kept as a seed, once however often it is handed in, and what it says rests on that seed.
"""

import hashlib
import json
from collections.abc import Sequence

from memory import fact_vectors
from memory.entity_names import entity_ref, slug
from schemas.fact_answers import Seeded
from schemas.fact_requests import Seed
from schemas.rows import Being
from schemas.work import Ring
from store import clock, entities, facts, todos
from store.database import Store
from store.facts import Told
from store.transaction import new_ids

SOURCE = "seeded_profile"
# An item that names nothing is about itself, and is known by the beginning of its words.
SLUG_CHARACTERS = 80


def seed(store: Store, being: Being, items: Sequence[Seed]) -> tuple[Seeded, list[Ring]]:
    """Take in what a user is introduced with; returns what became of it, and what to ring for.

    Facts are known to all of the user's Beings, unless told in confidence; open loops become this Being's todos.
    """
    told: list[Told] = []
    labels: dict[str, str] = {}
    loops = 0
    with store.transaction() as tx:
        facts.hold(tx, being.user_id)
        now = clock.now(tx)
        for item, statement_id in zip(items, new_ids(tx, len(items)), strict=True):
            content = item.model_dump(mode="json")
            # A Being's own seeds are apart from what others of the user's are told.
            scope = being.being_id if item.in_confidence or item.type == "OPEN_LOOP" else None
            hashed = hashlib.sha256(json.dumps([content, str(scope)], sort_keys=True).encode()).digest()
            seed_id = facts.add_seed(tx, being.user_id, content, hashed)
            if seed_id is None:
                continue
            if item.type == "OPEN_LOOP":
                todos.add(
                    tx,
                    being.being_id,
                    kind="thread",
                    content=item.content,
                    source=SOURCE,
                    confidence=1.0,
                    pinned=item.pinned,
                )
                loops += 1
                continue
            refs = _refs(item)
            labels |= refs
            told.append(
                Told(
                    statement_id=statement_id,
                    scope=scope,
                    type=item.type,
                    entity_label=next(iter(refs.values())),
                    fact_type=item.fact_type,
                    told_as=list(refs),
                    content=item.content,
                    source=SOURCE,
                    confidence=1.0,
                    importance=item.importance,
                    told_at=now,
                    span=item.content,
                    seed_id=seed_id,
                    pinned=item.pinned,
                )
            )
        entities.add(tx, being.user_id, labels)
        outcomes = [outcome for _, outcome in facts.tell(tx, being.user_id, told)]
        new = outcomes.count("new")
        answer = Seeded(facts=new, told_again=len(told) - new, todos=loops, repeated=len(items) - len(told) - loops)
        return answer, fact_vectors.ask(tx, being.user_id)


def _refs(item: Seed) -> dict[str, str]:
    """What an item names, by key, with what people call it."""
    refs: dict[str, str] = {}
    for named in item.entity_refs:
        entity_type, _, name = named.partition(":")
        if ref := entity_ref(entity_type, name):
            refs.setdefault(ref, name.replace("_", " "))
    if not refs:
        refs[f"thing:{slug(item.content)[:SLUG_CHARACTERS] or 'something'}"] = item.content
    if item.entity_label:
        refs[next(iter(refs))] = item.entity_label
    return refs
