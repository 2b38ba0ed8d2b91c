"""Reconciliation: extracted items become statements, compared with the statements under the same memory key.

The model says which statements contradict each other; which of them stands follows from their dates (SQL's
`settle_facts`), so that messages may come in any order.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from uuid import UUID

import structlog

from memory.facts import entity_resolution
from memory.facts.extraction_rules import ExtractedFact
from memory.facts.matters.matters import OF_REF, filed, matter_of, replaced
from memory.llm.portions import ask_in_turn, halves
from memory.llm.prompting import prompt
from memory.llm.session import LlmSession
from memory.text.entity_names import slug
from memory.text.prompt_escaping import tagged
from schemas.accounts.accounts import Being
from schemas.facts.judgement import Comparison, Reconciliation
from store.database import Store
from store.facts import entities, facts
from store.facts.entities import Mention
from store.facts.statements import (
    FiledFact,
    KnownStatement,
    NewStatement,
    add_statements,
    find_by_keys,
    known_statements,
    users_own,
)
from store.transaction import Transaction, new_ids

log = structlog.get_logger()

RECONCILE = prompt("reconcile", Reconciliation, size="small", most_tokens=2_000)
# Of a key with more statements, the current and the latest ones are compared.
STATEMENTS_COMPARED = 40
FACTS_COMPARED = 300
PAIR = 2
Key = tuple[UUID | None, str]
"""A scope and a memory key: statements under the same key are compared with each other."""


@dataclass(frozen=True)
class PreparedFacts:
    """Statements that are ready to be added, and the names in them: each with its scope, and by message."""

    statements: Sequence[NewStatement]
    mentions: Sequence[Mention]
    named_together: Sequence[Collection[str]]

    def keep(self, tx: Transaction, user_id: UUID) -> list[tuple[UUID, str]]:
        """Add the names, then the statements; returns each statement's fact id and outcome (`add_statements`)."""
        facts.lock(tx, user_id)
        # Other Beings' messages may have brought names in since `prepare` compared them.
        candidates = entity_resolution.candidates(tx, user_id, self.named_together)
        entities.add(tx, user_id, self.mentions)
        entity_resolution.record_candidates(tx, user_id, candidates)
        return add_statements(tx, user_id, self.statements)


def prepare(
    store: Store,
    llm: LlmSession,
    being: Being,
    extracted: Sequence[ExtractedFact],
    secret: Collection[UUID],
) -> PreparedFacts:
    """Resolve the names in extracted facts, and compare the facts with known statements under the same keys.

    Facts of the messages with ids in `secret` are known to this Being in confidence.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`; nothing was written.
    """
    user_id = being.user_id
    extracted = [filed(fact) for fact in extracted]
    scopes = [being.being_id if fact.message.message_id in secret else None for fact in extracted]
    mentions = [
        Mention(scope, ref, label)
        for scope, fact in zip(scopes, extracted, strict=True)
        for ref, label in fact.refs.items()
    ]
    with store.transaction() as tx:
        ids = new_ids(tx, len(extracted))
        entity_of = entities.resolve(tx, user_id, list({mention.ref for mention in mentions}))
        named_together = _named_together([fact for fact in extracted if fact.message.message_id not in secret])
        candidates = entity_resolution.candidates(tx, user_id, named_together)
        entity_of |= {candidate.merged_ref: candidate.kept_ref for candidate in candidates if candidate.safe}
        statements = [
            _statement(fact, being.being_id, scope, id_)
            for fact, scope, id_ in zip(extracted, scopes, ids, strict=True)
        ]
        statements = _beside_their_matter(tx, user_id, statements)
        keys = [key_of(statement, entity_of) for statement in statements]
        known = find_by_keys(tx, user_id, list(dict.fromkeys(keys)))
        statements_of = known_statements(tx, user_id, list(known.values()), STATEMENTS_COMPARED)
    earlier = {key: statements_of.get(fact_id, []) for key, fact_id in known.items()}
    return PreparedFacts(_reconcile(llm, statements, keys, earlier), mentions, named_together)


def _beside_their_matter(tx: Transaction, user_id: UUID, statements: Sequence[NewStatement]) -> list[NewStatement]:
    """Return the statements, those about an exclusive matter under the key of the newest fact about it.

    A fact that was filed under another entity, as `place:austin`, is about the same home.
    """
    matters = [OF_REF.get(statement.mentioned_refs[0]) for statement in statements]
    if not any(matters):
        return list(statements)
    scopes = list(dict.fromkeys(statement.scope for statement in statements))
    there: dict[tuple[UUID | None, str], FiledFact] = {}
    for known in users_own(tx, user_id, scopes, FACTS_COMPARED):
        matter = None if known.subject_ref else matter_of(known.type, known.mentioned_refs[0], known.content, "")
        if matter is not None:
            there.setdefault((known.scope, matter), known)
    settled = list(statements)
    for place, (statement, matter) in enumerate(zip(statements, matters, strict=True)):
        known_fact = there.get((statement.scope, matter)) if matter else None
        if known_fact is not None and statement.subject_ref is None:
            first = known_fact.mentioned_refs[0]
            refs = [first, *(ref for ref in statement.mentioned_refs if ref != first)]
            settled[place] = replace(
                statement, type=known_fact.type, fact_type=known_fact.fact_type, mentioned_refs=refs
            )
    return settled


def _named_together(extracted: Sequence[ExtractedFact]) -> list[set[str]]:
    """The names in each message."""
    together: dict[UUID, set[str]] = {}
    for fact in extracted:
        together.setdefault(fact.message.message_id, set()).update(fact.refs)
    return list(together.values())


def _statement(fact: ExtractedFact, being_id: UUID, scope: UUID | None, statement_id: UUID) -> NewStatement:
    refs = list(fact.refs)
    return NewStatement(
        statement_id=statement_id,
        scope=scope,
        type=fact.type,
        entity_label=fact.refs[refs[0]],
        fact_type=fact.fact_type,
        mentioned_refs=refs,
        content=fact.content,
        source="shadow_extraction",
        confidence=fact.confidence,
        importance=fact.importance,
        told_at=fact.message.created_at,
        span=fact.span,
        subject_ref=fact.subject_ref,
        being_id=being_id,
        message_id=fact.message.message_id,
        about_from=fact.time.starts_at if fact.time else None,
        about_until=fact.time.ends_at if fact.time else None,
    )


def key_of(statement: NewStatement, entity_of: dict[str, str]) -> Key:
    """The scope and memory key of a statement, with its names resolved by `entity_of`."""
    primary = entity_of.get(statement.mentioned_refs[0], statement.mentioned_refs[0])
    subject = statement.subject_ref and entity_of.get(statement.subject_ref, statement.subject_ref)
    return statement.scope, memory_key(statement.type, primary, statement.fact_type, subject)


def memory_key(type_: str, primary_ref: str, fact_type: str, subject_ref: str | None) -> str:
    """Return the seed's memoryKey, as `people|person|john_doe|relationship`, with the fact's subject if not the user.

    SQL's `memory.memory_key` makes the same.
    """
    entity_type, _, name = primary_ref.partition(":")
    whose = f"|{subject_ref.partition(':')[2]}" if subject_ref else ""
    return f"{type_}|{entity_type}|{name}|{fact_type}{whose}".lower()


def _reconcile(
    llm: LlmSession, statements: Sequence[NewStatement], keys: Sequence[Key], known: dict[Key, list[KnownStatement]]
) -> list[NewStatement]:
    """Set each new statement's relations to the others under its key; the model compares those with other words."""
    settled = {statement.statement_id: statement for statement in statements}
    matters = {
        statement.statement_id: matter
        for statement in statements
        if statement.subject_ref is None
        and (matter := matter_of(statement.type, statement.mentioned_refs[0], statement.content, statement.span))
    }
    compared: dict[Key, list[KnownStatement]] = {}
    for statement, key in zip(statements, keys, strict=True):
        others = compared.setdefault(key, list(known.get(key, [])))
        same = next((each.statement_id for each in others if slug(each.content) == slug(statement.content)), None)
        if same is not None:
            settled[statement.statement_id] = replace(statement, same_as=same)
        others.append(KnownStatement(statement.statement_id, statement.content, statement.told_at, statement.span))
    groups = [group for group in compared.values() if _differ(group, settled)]
    if not groups:
        return list(settled.values())
    relations = compare(llm, groups, settled)
    for new, other, relation in relations:
        _relate(settled, new, other, relation)
    for key, group in compared.items():
        matter = next((matters[id_] for each in group if (id_ := each.statement_id) in matters), None)
        if matter is not None and key in keys:
            replace_values(settled, matter, group)
    return [_contradicting_kept(statement, settled) for statement in settled.values()]


def replace_values(settled: dict[UUID, NewStatement], matter: str, group: Sequence[KnownStatement]) -> None:
    """Set which statements about an exclusive matter contradict each other, by the words of the later of each two.

    Args:
        settled: The new statements by id, with those that they contradict by a model's answer.
        matter: The exclusive matter (`matters.matter_of`).
        group: All statements about it, new ones included.
    """
    by_date = sorted(group, key=lambda each: each.said_at)
    same = {frozenset({id_, one.same_as}) for id_, one in settled.items() if one.same_as is not None}
    contradicted = {frozenset({id_, other}) for id_, one in settled.items() for other in one.contradicts}
    conflicts: dict[UUID, list[UUID]] = {id_: [] for id_ in settled}
    for place, later in enumerate(by_date):
        pairs = [
            (earlier, frozenset({earlier.statement_id, later.statement_id}))
            for earlier in by_date[:place]
            if {earlier.statement_id, later.statement_id} & settled.keys()
        ]
        pairs = [(earlier, pair) for earlier, pair in pairs if pair not in same]
        outcome = replaced(
            matter, later.span, later.content, [(one.content, pair in contradicted) for one, pair in pairs]
        )
        for (earlier, _), is_replaced in zip(pairs, outcome, strict=True):
            if is_replaced:
                new, other = (later, earlier) if later.statement_id in settled else (earlier, later)
                conflicts[new.statement_id].append(other.statement_id)
    ids = {each.statement_id for each in group}
    for id_ in ids & settled.keys():
        settled[id_] = replace(settled[id_], contradicts=tuple(conflicts[id_]))


def _contradicting_kept(statement: NewStatement, settled: Mapping[UUID, NewStatement]) -> NewStatement:
    """The statement, contradicting in place of each mention the statement that it is a mention of."""
    kept = (_first_mention(settled, other) for other in statement.contradicts)
    return replace(statement, contradicts=tuple(dict.fromkeys(kept)))


def _first_mention(settled: Mapping[UUID, NewStatement], statement_id: UUID) -> UUID:
    while statement_id in settled and (repeated := settled[statement_id].same_as) is not None:
        statement_id = repeated
    return statement_id


def compare(
    llm: LlmSession, groups: Sequence[Sequence[KnownStatement]], fresh: Collection[UUID]
) -> list[tuple[UUID, UUID, str]]:
    """Ask the model how new statements relate to the others of their group.

    Args:
        llm: The session that asks.
        groups: Statements under the same key, each group in the order of dates.
        fresh: The new ones among them.

    Returns:
        Triples of a new statement, another one of its group, and `same`, `contradicts` or `adds`; invalid ones of the
        answer are left out. Statements that no valid answer compares are in none, and stand.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `LlmSession.ask`.
    """
    relations: list[tuple[UUID, UUID, str]] = []

    def ask(some: Sequence[Sequence[KnownStatement]], divisible: bool) -> None:
        relations.extend(_compared(llm, some, fresh, divisible=divisible))

    left = ask_in_turn([groups], ask, partial(_divided, fresh))
    if left:
        log.info("facts.not_compared", groups=sum(len(some) for some, _ in left))
    return relations


def _divided(
    fresh: Collection[UUID], groups: Sequence[Sequence[KnownStatement]]
) -> Sequence[Sequence[Sequence[KnownStatement]]]:
    """Half of the groups each; of a single group the new statements with the later half of the others, or halves."""
    if len(groups) != 1:
        return halves(groups)
    (group,) = groups
    earlier = [each for each in group if each.statement_id not in fresh]
    if len(earlier) > 1:
        outdated = earlier[: len(earlier) // 2]
        return [[[each for each in group if each not in outdated]]]
    return [[half] for half in halves(group)] if len(group) > PAIR else []


def _compared(
    llm: LlmSession, groups: Sequence[Sequence[KnownStatement]], fresh: Collection[UUID], *, divisible: bool
) -> list[tuple[UUID, UUID, str]]:
    refs = {
        f"{'n' if each.statement_id in fresh else 'e'}{number}.{order}": each
        for number, group in enumerate(groups)
        for order, each in enumerate(group)
    }
    group_of = {each.statement_id: number for number, group in enumerate(groups) for each in group}
    question = replace(RECONCILE.question("", _material(refs, fresh, group_of)), divisible=divisible)
    answer = llm.ask(question).answer
    named = [_read(each, refs, fresh, group_of) for each in answer.comparisons]
    unknown = sum(new is None or (other is None and relation != "adds") for new, other, relation in named)
    llm.count_dropped("reconcile", {"no such statement": unknown})
    return [
        (new.statement_id, other.statement_id, relation)
        for new, other, relation in named
        if new is not None
        and other is not None
        and new is not other
        and new.statement_id in fresh
        and group_of[new.statement_id] == group_of[other.statement_id]
    ]


def _read(
    each: Comparison, refs: Mapping[str, KnownStatement], fresh: Collection[UUID], group_of: Mapping[UUID, int]
) -> tuple[KnownStatement | None, KnownStatement | None, str]:
    """A comparison's statements, also where a contradiction has them swapped, or names one that has only one rival."""
    new, other = refs.get(each.new), refs.get(each.earlier or "")
    if each.relation == "contradicts" and new is not None:
        if other is None and not each.earlier:
            rivals = [one for one in refs.values() if group_of[one.statement_id] == group_of[new.statement_id]]
            rivals = [one for one in rivals if one is not new]
            other = rivals[0] if len(rivals) == 1 else None
        if other is not None and new.statement_id not in fresh and other.statement_id in fresh:
            new, other = other, new
    return new, other, each.relation


def _differ(group: Sequence[KnownStatement], settled: Mapping[UUID, NewStatement]) -> bool:
    """Whether there is a new statement beside another one with other words."""
    words = {slug(each.content) for each in group}
    return len(words) > 1 and any(each.statement_id in settled for each in group)


def _relate(settled: dict[UUID, NewStatement], new: UUID, other: UUID, relation: str) -> None:
    if relation == "contradicts":
        settled[new] = replace(settled[new], contradicts=(*settled[new].contradicts, other))
    elif relation == "same":
        order = list(settled)
        # Of two new statements the later one is added as a mention of the earlier.
        if other in settled and order.index(other) > order.index(new):
            new, other = other, new
        other = _first_mention(settled, other)
        if other != new and settled[new].same_as is None:
            settled[new] = replace(settled[new], same_as=other)


def _material(refs: Mapping[str, KnownStatement], fresh: Collection[UUID], group_of: Mapping[UUID, int]) -> str:
    return "\n".join(
        tagged(
            "new" if each.statement_id in fresh else "earlier",
            each.content,
            ref=ref,
            matter=f"k{group_of[each.statement_id]}",
            said=f"{each.said_at:%Y-%m-%d %H:%M}",
        )
        for ref, each in refs.items()
    )
