"""From sound items to facts: names resolved, keys made, and what is new compared with what is known under its key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from memory import naming
from memory.entity_names import slug
from memory.evidence import SoundFact
from memory.fences import fenced
from memory.naming import Guess
from memory.prompting import prompt
from memory.thinking import Mind
from providers.errors import BadAnswer, InputRefused
from schemas.judgement import Reconciliation
from store import entities, facts
from store.database import Store
from store.facts import Told
from store.transaction import Transaction, new_ids

RECONCILE = prompt("reconcile", Reconciliation, size="small", most_tokens=2_000)
Key = tuple[UUID | None, str]
"""A scope and a memory key: statements under the same one are about the same matter."""


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement on its matter; `place` is its place among the new ones, None for what is known."""

    statement_id: UUID
    words: str
    place: int | None = None


@dataclass(frozen=True)
class Telling:
    """What is about to be told, and what its names may stand for."""

    told: Sequence[Told]
    labels: dict[str, str]
    guessed: Sequence[Guess]

    def keep(self, tx: Transaction, user_id: UUID) -> list[tuple[UUID, str]]:
        """Note the names, then tell; returns each fact's id and what became of the item."""
        facts.hold(tx, user_id)
        entities.add(tx, user_id, self.labels)
        naming.decide(tx, user_id, self.guessed)
        return facts.tell(tx, user_id, self.told)


def prepare(store: Store, mind: Mind, user_id: UUID, being_id: UUID, sound: Sequence[SoundFact]) -> Telling:
    """Make ready to tell what was found in messages of a Being.

    Raises:
        Transient, Misconfigured, BudgetSpent, LeaseLost: As `Mind.ask`; nothing is lost, it can be asked again.
    """
    labels = {ref: label for fact in sound for ref, label in fact.refs.items()}
    with store.transaction() as tx:
        ids = new_ids(tx, len(sound))
        stands_for = entities.known(tx, user_id, list(labels))
        guessed = _guesses(tx, user_id, [fact for fact in sound if not fact.in_confidence])
        stands_for |= {guess.merged_ref: guess.kept_ref for guess in guessed if guess.safe}
        told = [_told(fact, being_id, id_) for fact, id_ in zip(sound, ids, strict=True)]
        keys = [_key(one, stands_for) for one in told]
        under = facts.under_keys(tx, user_id, list(dict.fromkeys(keys)))
        standing = facts.standing(tx, user_id, list(under.values()))
    earlier = {key: standing.get(fact_id, []) for key, fact_id in under.items()}
    return Telling(_reconciled(mind, told, keys, earlier), labels, guessed)


def _guesses(tx: Transaction, user_id: UUID, sound: Sequence[SoundFact]) -> list[Guess]:
    """What names that are new to all Beings of the user may stand for, among what all of them know by name.

    What a name stands for shows wherever it is said. So no guess is made about a name, or from a name, that was said in
    confidence alone.
    """
    named = {ref for fact in sound for ref in fact.refs}
    heard = entities.heard_openly(tx, user_id, {ref.partition(":")[0] for ref in named})
    fresh = named - heard.keys()
    if not fresh:
        return []
    near = entities.neighbours(tx, user_id, list(set(heard.values())))
    together: dict[UUID, set[str]] = {}
    for fact in sound:
        together.setdefault(fact.message.message_id, set()).update(fact.refs)
    return naming.guesses(fresh, heard, list(together.values()), near)


def _told(fact: SoundFact, being_id: UUID, statement_id: UUID) -> Told:
    refs = list(fact.refs)
    return Told(
        statement_id=statement_id,
        scope=being_id if fact.in_confidence else None,
        type=fact.type,
        entity_label=fact.refs[refs[0]],
        fact_type=fact.fact_type,
        told_as=refs,
        content=fact.content,
        source="shadow_extraction",
        confidence=fact.confidence,
        importance=fact.importance,
        told_at=fact.message.created_at,
        span=fact.span,
        being_id=being_id,
        message_id=fact.message.message_id,
    )


def _key(told: Told, stands_for: dict[str, str]) -> Key:
    primary = stands_for.get(told.told_as[0], told.told_as[0])
    return told.scope, memory_key(told.type, primary, told.fact_type)


def memory_key(type_: str, primary_ref: str, fact_type: str) -> str:
    """The seed's memoryKey, which the ledger makes likewise: `people|person|john_doe|relationship`."""
    entity_type, _, name = primary_ref.partition(":")
    return f"{type_}|{entity_type}|{name}|{fact_type}".lower()


def _reconciled(
    mind: Mind, told: Sequence[Told], keys: Sequence[Key], earlier: dict[Key, list[tuple[UUID, str]]]
) -> list[Told]:
    """Say how each statement stands to the earlier ones under its key; only what meets others there is asked about."""
    settled = list(told)
    matters: dict[Key, list[_Statement]] = {}
    for place, (one, key) in enumerate(zip(told, keys, strict=True)):
        matter = matters.setdefault(key, [_Statement(*known) for known in earlier.get(key, [])])
        same = next((said.statement_id for said in matter if slug(said.words) == slug(one.content)), None)
        if same is not None:
            settled[place] = replace(one, relation="same", other=same)
        else:
            matter.append(_Statement(one.statement_id, one.content, place))
    met = [matter for matter in matters.values() if len(matter) > 1 and matter[-1].place is not None]
    if not met:
        return settled
    refs = {
        f"{'e' if said.place is None else 'n'}{number}.{order}": (number, order)
        for number, matter in enumerate(met)
        for order, said in enumerate(matter)
    }
    try:
        answer = mind.ask(RECONCILE.question("", _material(met, refs))).answer
    except (BadAnswer, InputRefused):
        # Nobody can say how they stand to each other: then all of them stand.
        return settled
    repeats: dict[UUID, UUID] = {}
    for comparison in sorted(answer.comparisons, key=lambda one: refs.get(one.new, (0, 0))):
        number, order = refs.get(comparison.new, (0, 0))
        new = met[number][order].place
        in_matter, before = refs.get(comparison.earlier or "", (-1, 0))
        if new is None or in_matter != number or before >= order:
            continue
        other = met[number][before].statement_id
        other = repeats.get(other, other)
        if comparison.relation == "same":
            repeats[settled[new].statement_id] = other
        settled[new] = replace(settled[new], relation=comparison.relation, other=other)
    return settled


def _material(met: Sequence[Sequence[_Statement]], refs: Mapping[str, tuple[int, int]]) -> str:
    return "\n".join(
        fenced(
            "earlier" if met[number][order].place is None else "new",
            met[number][order].words,
            ref=ref,
            matter=f"k{number}",
        )
        for ref, (number, order) in refs.items()
    )
