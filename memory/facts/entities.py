"""Proposes, accepts, declines and undoes merges of entities. A merge rewords no fact and can be undone."""

from uuid import UUID

from rapidfuzz.distance import JaroWinkler

from schemas.accounts.accounts import Being
from schemas.errors import NotFound, Refused
from schemas.facts.fact_rows import EntityMerge
from store.database import Store
from store.facts import entities, facts
from store.transaction import Transaction


def propose(store: Store, being: Being, kept_ref: str, merged_ref: str, *, accept: bool) -> EntityMerge:
    """Propose that two entities are one, or merge them at once; a merge that was decided before is decided anew.

    Args:
        being: The Being that knows both.
        kept_ref: The entity that stays.
        merged_ref: The entity whose names shall stand for it.
        accept: Whether to merge them at once.

    Raises:
        NotFound: This Being knows no entity of one of these refs.
        Refused: They are one entity, or merged already.
    """
    user_id = being.user_id
    with store.transaction() as tx:
        facts.lock(tx, user_id)
        for ref in (kept_ref, merged_ref):
            if not entities.is_known(tx, user_id, being.being_id, ref):
                raise NotFound(f"This Being knows no entity {ref}. `GET .../entities` lists those that it knows.")
        stands_for = entities.resolve(tx, user_id, [kept_ref, merged_ref])
        if stands_for[kept_ref] == stands_for[merged_ref]:
            raise Refused("These two names stand for one entity already.")
        merge = entities.find_merge(tx, user_id, kept_ref, merged_ref)
        if merge is None:
            likeness = JaroWinkler.similarity(kept_ref.partition(":")[2], merged_ref.partition(":")[2])
            merge_id = entities.propose(tx, user_id, kept_ref, merged_ref, likeness)
            if merge_id is None:
                raise Refused("These two entities can't be merged.")
        else:
            merge_id = merge.merge_id
            entities.set_merge_state(tx, user_id, merge_id, "proposed")
        if accept:
            entities.merge(tx, user_id, entities.get_merge(tx, user_id, merge_id))
        return entities.get_merge(tx, user_id, merge_id)


def accept(store: Store, being: Being, merge_id: UUID) -> EntityMerge:
    """Merge two entities whose merge is proposed, declined or undone.

    Raises:
        NotFound: This Being knows no such merge.
        Refused: They are merged already.
    """
    with store.transaction() as tx:
        proposal = _locked(tx, being, merge_id)
        if proposal.state == "merged":
            raise Refused("These two entities are merged already.")
        entities.merge(tx, being.user_id, proposal)
        return entities.get_merge(tx, being.user_id, merge_id)


def decline(store: Store, being: Being, merge_id: UUID) -> EntityMerge:
    """Keep two entities apart: decline a proposed merge, or undo an accepted one.

    Raises:
        NotFound: This Being knows no such merge.
        Refused: It was declined or undone before.
    """
    with store.transaction() as tx:
        proposal = _locked(tx, being, merge_id)
        if proposal.state == "merged":
            entities.undo_merge(tx, being.user_id, proposal)
        elif proposal.state == "proposed":
            entities.set_merge_state(tx, being.user_id, merge_id, "declined")
        else:
            raise Refused("These two entities are separate already.")
        return entities.get_merge(tx, being.user_id, merge_id)


def _locked(tx: Transaction, being: Being, merge_id: UUID) -> EntityMerge:
    """A merge that this Being knows, after locking out other writers of the user's facts."""
    facts.lock(tx, being.user_id)
    for proposal in entities.merges(tx, being.user_id, being.being_id, merge_id=merge_id, limit=1):
        return proposal
    raise NotFound(f"This Being knows no merge {merge_id} of two entities.")
