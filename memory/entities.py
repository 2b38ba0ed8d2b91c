"""What people decide about names that may stand for one and the same; a merge rewords nothing and can be undone."""

from uuid import UUID

from schemas.facts import Entity, EntityMerge, MergeState
from schemas.rows import Being
from store import entities, facts
from store.database import Store
from store.errors import NotFound, Refused
from store.transaction import Transaction


def listed(store: Store, being: Being, limit: int) -> list[Entity]:
    """Whom and what the facts of a Being are about, those of most facts first."""
    with store.transaction() as tx:
        return entities.listed(tx, being.user_id, being.being_id, limit)


def proposals(store: Store, being: Being, state: MergeState | None, limit: int) -> list[EntityMerge]:
    """Pairs of names, as a Being knows them: proposed, merged, declined or parted again."""
    with store.transaction() as tx:
        return entities.merges(tx, being.user_id, being.being_id, state=state, limit=limit)


def accept(store: Store, being: Being, merge_id: UUID) -> EntityMerge:
    """Merge two entities that were proposed, or declined or parted before.

    Raises:
        NotFound: This Being knows of no such proposal.
        Refused: They are merged already.
    """
    with store.transaction() as tx:
        proposal = _held(tx, being, merge_id)
        if proposal.state == "merged":
            raise Refused("These two are merged already.")
        entities.merge(tx, being.user_id, proposal)
        return entities.get_merge(tx, being.user_id, merge_id)


def decline(store: Store, being: Being, merge_id: UUID) -> EntityMerge:
    """Keep two entities apart: a proposal is declined, and a merge undone.

    Raises:
        NotFound: This Being knows of no such proposal.
        Refused: They are apart already.
    """
    with store.transaction() as tx:
        proposal = _held(tx, being, merge_id)
        if proposal.state == "merged":
            entities.part(tx, being.user_id, proposal)
        elif proposal.state == "proposed":
            entities.decide(tx, being.user_id, merge_id, "declined")
        else:
            raise Refused("These two are apart already.")
        return entities.get_merge(tx, being.user_id, merge_id)


def _held(tx: Transaction, being: Being, merge_id: UUID) -> EntityMerge:
    """A proposal that this Being knows of, while nobody else writes facts."""
    facts.hold(tx, being.user_id)
    for proposal in entities.merges(tx, being.user_id, being.being_id, merge_id=merge_id, limit=1):
        return proposal
    raise NotFound(f"This Being knows of no proposal {merge_id} to merge two entities.")
