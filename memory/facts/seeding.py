"""Seeding: facts about a user that a producer hands in directly, rather than in conversation.

Each item is stored as a seed, once however often it is handed in, and the seed is the evidence of its statement. When
that statement is erased, the seed goes with it, so that the same item handed in later is new. When another seed has
replaced it, the same item handed in later is dated anew, and replaces in turn.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from memory.facts import entity_resolution, vectors
from memory.facts.matters.exclusive_values import give_different_values
from memory.facts.reconciliation import STATEMENTS_COMPARED, key_of
from memory.facts.scope import stay_with_those_present
from memory.text.entity_names import entity_ref, slug
from schemas.accounts.accounts import Being
from schemas.facts.fact_answers import SeedCounts
from schemas.facts.fact_requests import Seed
from schemas.ledger.kinds import COMPARE_SEEDS
from schemas.limits import USER_SEEDS
from schemas.settings import Settings
from store import clock, limits
from store.database import Store
from store.facts import entities, facts, seeds, todos
from store.facts.entities import Mention
from store.facts.statements import KnownStatement, NewStatement, add_statements, find_by_keys, known_statements
from store.ledger import work
from store.transaction import Transaction, new_ids

SOURCE = "seeded_profile"
# An item without entity refs gets one from the beginning of its content.
SLUG_CHARACTERS = 80


def seed(
    store: Store,
    settings: Settings,
    being: Being,
    items: Sequence[Seed],
    *,
    told_at: Sequence[datetime | None] | None = None,
) -> SeedCounts:
    """Add seeds; returns how many became facts, additions to known facts, and todos.

    Facts are known to all of the user's Beings, except those in confidence and those of a user whose facts stay with
    the Beings present; open loops become this Being's todos. `told_at` is when each was stated elsewhere, None
    for now; an item that was added before then changes nothing, even if another has replaced it.

    Raises:
        Refused: The user would have more than 10,000 seeds; nothing was taken.
    """
    statements: list[NewStatement] = []
    mentions: list[Mention] = []
    loops = retold = 0
    with store.transaction() as tx:
        facts.lock(tx, being.user_id)
        now = clock.now(tx)
        kept_apart = stay_with_those_present(tx, settings, being.user_id)
        times = [min(time or now, now) for time in told_at or [now] * len(items)]
        for item, time, statement_id in zip(items, times, new_ids(tx, len(items)), strict=True):
            content = item.model_dump(mode="json")
            # Items for one Being alone belong to it: the seed, its statement, and the names in it.
            scope = being.being_id if item.in_confidence or kept_apart or item.type == "OPEN_LOOP" else None
            seed_id = seeds.add_seed(tx, being.user_id, scope, content)
            if seed_id is None:
                if told_at is None:
                    retold += seeds.retell(tx, being.user_id, scope, content)
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
                    told_at=time,
                )
                seeds.link_todo(tx, being.user_id, seed_id, todo_id)
                todos.change(tx, being.being_id, todo_id, {"in_confidence": item.in_confidence or None})
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
                    told_at=time,
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
        added = add_statements(tx, being.user_id, _replacing(tx, being.user_id, statements))
        # A statement that was added to a known fact and replaced nothing may contradict it: a model compares them.
        uncompared = [one.statement_id for one, (_, how) in zip(statements, added, strict=True) if how == "added"]
        if uncompared:
            seeds.mark_compared(tx, being.user_id, uncompared, compared=False)
            work.ask(tx, being.user_id, COMPARE_SEEDS)
        new = [fact_id for fact_id, how in added if how == "new"]
        vectors.request_embedding(tx, being.user_id)
        return SeedCounts(
            facts=len(new),
            told_again=len(statements) - len(new) + retold,
            todos=loops,
            repeated=len(items) - len(statements) - loops - retold,
            fact_ids=new,
        )


def _replacing(tx: Transaction, user_id: UUID, statements: Sequence[NewStatement]) -> list[NewStatement]:
    """The statements, each with those under its key of which it gives a different value."""
    entity_of = entities.resolve(tx, user_id, [statement.mentioned_refs[0] for statement in statements])
    keys = [key_of(statement, entity_of) for statement in statements]
    facts_of = find_by_keys(tx, user_id, list(dict.fromkeys(keys)))
    known = known_statements(tx, user_id, list(facts_of.values()), STATEMENTS_COMPARED)
    under = {key: list(known.get(fact_id, ())) for key, fact_id in facts_of.items()}
    settled: list[NewStatement] = []
    for statement, key in zip(statements, keys, strict=True):
        others = under.setdefault(key, [])
        about = entity_of.get(statement.mentioned_refs[0], statement.mentioned_refs[0])
        rivals = [each.statement_id for each in others if give_different_values(about, each.content, statement.content)]
        settled.append(replace(statement, contradicts=tuple(rivals)))
        others.append(KnownStatement(statement.statement_id, statement.content, statement.told_at))
    return settled


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
