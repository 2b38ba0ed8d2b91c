"""Entity resolution: which entity a new name may stand for. Safe matches are merged, the others proposed.

A match is safe if the new name fits one entity only, and is either pronounced the same, or sounds similar and both
occur beside the same other entity in facts; short forms and parts of names are never safe. Two names in one message are
two entities. New names are compared with all known ones and with each other, while the user's facts are locked, so that
every pair is compared once, however the names come in.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.grounding.name_similarity import compare_names
from memory.text.entity_names import USER_REF
from store.facts import entities
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class MergeCandidate:
    """A known entity that a new name may stand for; `safe` if the two may be merged without a person's decision."""

    kept_ref: str
    merged_ref: str
    similarity: float
    safe: bool


def find_candidates(
    fresh: Collection[str],
    known: Mapping[str, str],
    named_together: Sequence[Collection[str]],
    neighbours: Mapping[str, Collection[str]],
) -> list[MergeCandidate]:
    """Compare new names with known ones.

    Args:
        fresh: The new names, as `<type>:<slug>`.
        known: The known names, each with the entity that it stands for.
        named_together: The names in each message.
        neighbours: For each known entity, the entities that occur beside it in facts.
    """
    found: list[MergeCandidate] = []
    known = dict(known)
    # The order of the names decides which of two new ones stays; a full name before a part of it.
    for ref in sorted(set(fresh) - {USER_REF}, key=lambda ref: (-ref.count("_"), ref)):
        entity_type, _, name = ref.partition(":")
        together = {other for names in named_together if ref in names for other in names} - {ref}
        alike: dict[str, tuple[float, bool]] = {}
        for alias, entity in known.items():
            alias_type, _, alias_name = alias.partition(":")
            like = compare_names(name, alias_name) if alias_type == entity_type else None
            if like is None or {alias, entity} & together or entity == USER_REF:
                continue
            shares = bool(together & set(neighbours.get(entity, ())) - {USER_REF})
            best = alike.get(entity, (0.0, False))
            alike[entity] = max(best, (like.similarity, like.certain or (shares and not like.weak)))
        for entity, (similarity, safe) in alike.items():
            found.append(MergeCandidate(entity, ref, similarity, safe and len(alike) == 1))
        known[ref] = next((each.kept_ref for each in found if each.merged_ref == ref and each.safe), ref)
    return found


def candidates(tx: Transaction, user_id: UUID, named_together: Sequence[Collection[str]]) -> list[MergeCandidate]:
    """Merge candidates for the names that are new to all Beings of the user, among those and the names that all know.

    A merge shows wherever the name is used. So names that occur in confidences alone are not compared.

    Args:
        tx: The transaction.
        user_id: The user.
        named_together: The names in each message or seed that all of the user's Beings may know.
    """
    named = {ref for names in named_together for ref in names}
    shared = entities.shared_aliases(tx, user_id, {ref.partition(":")[0] for ref in named})
    fresh = named - shared.keys()
    if not fresh:
        return []
    neighbours = entities.neighbours(tx, user_id, list(set(shared.values())))
    return find_candidates(fresh, shared, named_together, neighbours)


def record_candidates(tx: Transaction, user_id: UUID, candidates: Sequence[MergeCandidate]) -> None:
    """Propose the candidates, and merge the safe ones. The caller has locked the user's facts and added the names."""
    for candidate in candidates:
        merge_id = entities.propose(tx, user_id, candidate.kept_ref, candidate.merged_ref, candidate.similarity)
        if merge_id is not None and candidate.safe:
            entities.merge(tx, user_id, entities.get_merge(tx, user_id, merge_id))
