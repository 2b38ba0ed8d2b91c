"""Entity resolution: which entity a new name may stand for. Safe matches are merged, the others proposed.

A match is safe if the new name fits one entity only, and is either pronounced the same, or sounds similar and both
occur beside the same other entity in facts; short forms and parts of names are not. Two names in one message are two
entities. New names are compared with all known ones and with each other, while the user's facts are locked, so that
every pair is compared once, however the names come in.

Known names are compared again when a message names them beside something: evidence may come after both. Then short
forms that occur beside the same other entity, as Bob and Robert beside Priya, are safe as well. Decisions of a person
stay.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
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


def compare_again(
    named: Collection[str],
    known: Mapping[str, str],
    named_together: Sequence[Collection[str]],
    neighbours: Mapping[str, Collection[str]],
) -> list[MergeCandidate]:
    """Compare known names that were named again with the other known ones, for evidence that has come since.

    Args:
        named: The known names in the messages, as `<type>:<slug>`.
        known: All known names, each with the entity that it stands for.
        named_together: The names in each message.
        neighbours: For each known entity, the entities that occur beside it in facts.

    Returns:
        The pairs that are safe now; the longer name of each stays.
    """
    beside: dict[str, set[str]] = {entity: set(others) for entity, others in neighbours.items()}
    for names in named_together:
        entities_named = {known.get(name, name) for name in names}
        for entity in entities_named:
            beside.setdefault(entity, set()).update(entities_named - {entity})
    found: dict[frozenset[str], MergeCandidate] = {}
    for ref in sorted(set(named) - {USER_REF}):
        entity = known[ref]
        entity_type, _, name = ref.partition(":")
        alike: dict[str, float] = {}
        for alias, other in known.items():
            alias_type, _, alias_name = alias.partition(":")
            if alias_type != entity_type or other in {entity, USER_REF} or other in beside.get(entity, ()):
                continue
            like = compare_names(name, alias_name)
            if like is not None and name.count("_") == alias_name.count("_"):
                alike[other] = max(like.similarity, alike.get(other, 0.0))
        if len(alike) != 1:
            continue
        ((other, similarity),) = alike.items()
        if beside.get(entity, set()) & beside.get(other, set()) - {USER_REF}:
            merged, kept = sorted((entity, other), key=lambda one: (len(one), one))
            found[frozenset({entity, other})] = MergeCandidate(kept, merged, similarity, safe=True)
    return list(found.values())


def candidates(tx: Transaction, user_id: UUID, named_together: Sequence[Collection[str]]) -> list[MergeCandidate]:
    """Merge candidates for the names that are new to all Beings of the user, among those and the names that all know.

    Known names are among them where evidence has come that makes them safe. A merge shows wherever the name is used. So
    names that occur in confidences alone are not compared.

    Args:
        named_together: The names in each message or seed that all of the user's Beings may know.
    """
    named = {ref for names in named_together for ref in names}
    shared = entities.shared_aliases(tx, user_id, {ref.partition(":")[0] for ref in named})
    fresh = named - shared.keys()
    again = {ref for names in named_together if len(names) > 1 for ref in names} & shared.keys()
    if not fresh and not again:
        return []
    neighbours = entities.neighbours(tx, user_id, list(set(shared.values())))
    found = find_candidates(fresh, shared, named_together, neighbours) if fresh else []
    for candidate in compare_again(again, shared, named_together, neighbours):
        decided = entities.find_merge(tx, user_id, candidate.kept_ref, candidate.merged_ref)
        if decided is None:
            found.append(candidate)
        elif decided.state == "proposed":
            found.append(replace(candidate, kept_ref=decided.kept_ref, merged_ref=decided.merged_ref))
    return found


def record_candidates(tx: Transaction, user_id: UUID, candidates: Sequence[MergeCandidate]) -> None:
    """Propose the candidates, and merge the safe ones. The caller has locked the user's facts and added the names."""
    for candidate in candidates:
        entities.propose(tx, user_id, candidate.kept_ref, candidate.merged_ref, candidate.similarity)
        proposal = entities.find_merge(tx, user_id, candidate.kept_ref, candidate.merged_ref)
        if candidate.safe and proposal is not None and proposal.state == "proposed":
            entities.merge(tx, user_id, proposal)
