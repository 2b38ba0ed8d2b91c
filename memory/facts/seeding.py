"""Seeding: facts about a user that a producer hands in directly, rather than in conversation.

Each item is stored as a seed, once however often it is handed in, and the seed is the evidence of its statement. When
that statement is erased, the seed goes with it, so that the same item handed in later is new.
"""

from collections.abc import Sequence

from memory.facts import entity_resolution, vectors
from memory.facts.scope import stay_with_being
from memory.text.entity_names import entity_ref, slug
from schemas.accounts.accounts import Being
from schemas.facts.answers import Seeded
from schemas.facts.requests import Seed
from schemas.limits import USER_SEEDS
from schemas.settings import Settings
from store import clock, limits
from store.database import Store
from store.facts import entities, facts, todos
from store.facts.entities import Mention
from store.facts.facts import NewStatement
from store.transaction import new_ids

SOURCE = "seeded_profile"
# An item without entity refs gets one from the beginning of its content.
SLUG_CHARACTERS = 80


def seed(store: Store, settings: Settings, being: Being, items: Sequence[Seed]) -> Seeded:
    """Add seeds; returns how many became facts, additions to known facts, and todos.

    Facts are known to all of the user's Beings, except those in confidence and those of a user whose facts stay with
    the Being that heard them; open loops become this Being's todos.

    Raises:
        Refused: The user would have more than 10,000 seeds; nothing was taken.
    """
    statements: list[NewStatement] = []
    mentions: list[Mention] = []
    loops = 0
    with store.transaction() as tx:
        facts.lock(tx, being.user_id)
        now = clock.now(tx)
        kept_apart = stay_with_being(tx, settings, being.user_id)
        for item, statement_id in zip(items, new_ids(tx, len(items)), strict=True):
            content = item.model_dump(mode="json")
            # Items for one Being alone belong to it: the seed, its statement, and the names in it.
            scope = being.being_id if item.in_confidence or kept_apart or item.type == "OPEN_LOOP" else None
            seed_id = facts.add_seed(tx, being.user_id, scope, content)
            if seed_id is None:
                continue
            if item.type == "OPEN_LOOP":
                todo_id = todos.add(
                    tx,
                    being.being_id,
                    kind="thread",
                    content=item.content,
                    source=SOURCE,
                    confidence=1.0,
                    pinned=item.pinned,
                )
                facts.link_todo(tx, being.user_id, seed_id, todo_id)
                loops += 1
                continue
            refs = _refs(item)
            mentions += [Mention(scope, ref, label) for ref, label in refs.items()]
            statements.append(
                NewStatement(
                    statement_id=statement_id,
                    scope=scope,
                    type=item.type,
                    entity_label=next(iter(refs.values())),
                    fact_type=item.fact_type,
                    mentioned_refs=list(refs),
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
        limits.check(tx, "seed", being.user_id, USER_SEEDS)
        shared = [set(statement.mentioned_refs) for statement in statements if statement.scope is None]
        candidates = entity_resolution.candidates(tx, being.user_id, shared)
        entities.add(tx, being.user_id, mentions)
        entity_resolution.record_candidates(tx, being.user_id, candidates)
        outcomes = [outcome for _, outcome in facts.add_statements(tx, being.user_id, statements)]
        new = outcomes.count("new")
        vectors.request_embedding(tx, being.user_id)
        return Seeded(
            facts=new, told_again=len(statements) - new, todos=loops, repeated=len(items) - len(statements) - loops
        )


def _refs(item: Seed) -> dict[str, str]:
    """The entities that an item names: labels by ref, first the one that it is about."""
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
