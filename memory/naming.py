"""Names that are new: which known entity they may stand for, merged where that is safe, else proposed.

Safe is what reads aloud the same, with one entity alone to fit it; or what sounds alike and shares company: both stand
beside the same other entity in facts. Two that are named in one message are two.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.entity_names import USER_REF
from memory.namesakes import likeness
from store import entities
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Guess:
    """A known entity that a new name may stand for."""

    kept_ref: str
    merged_ref: str
    similarity: float
    safe: bool


def guesses(
    fresh: Collection[str],
    known: Mapping[str, str],
    companies: Sequence[Collection[str]],
    neighbours: Mapping[str, Collection[str]],
) -> list[Guess]:
    """Say what new names may stand for.

    Args:
        fresh: The new names, as `<type>:<slug>`.
        known: Every name that was heard before, and the entity that it stands for.
        companies: What was named together, message by message.
        neighbours: For each known entity, those that stand beside it in facts.
    """
    found: list[Guess] = []
    for ref in sorted(set(fresh) - {USER_REF}):
        entity_type, _, name = ref.partition(":")
        together = {other for company in companies if ref in company for other in company} - {ref}
        alike: dict[str, tuple[float, bool]] = {}
        for alias, entity in known.items():
            alias_type, _, alias_name = alias.partition(":")
            like = likeness(name, alias_name) if alias_type == entity_type else None
            if like is None or {alias, entity} & together or entity == USER_REF:
                continue
            shares = bool(together & set(neighbours.get(entity, ())) - {USER_REF})
            best = alike.get(entity, (0.0, False))
            alike[entity] = max(best, (like.similarity, like.certain or shares))
        for entity, (similarity, safe) in alike.items():
            found.append(Guess(entity, ref, similarity, safe and len(alike) == 1))
    return found


def decide(tx: Transaction, user_id: UUID, guessed: Sequence[Guess]) -> None:
    """Note guesses, and merge the safe ones. The user's facts are held, and the new names noted."""
    for guess in guessed:
        merge_id = entities.propose(tx, user_id, guess.kept_ref, guess.merged_ref, guess.similarity)
        if merge_id is not None and guess.safe:
            entities.merge(tx, user_id, entities.get_merge(tx, user_id, merge_id))
