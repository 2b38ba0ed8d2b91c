"""Use cases of a user's facts: correct, pin, archive, restore, erase."""

from uuid import UUID

from memory.facts import vectors
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.facts.fact_requests import FactChanges
from schemas.facts.fact_rows import Fact
from store.accounts import erasure
from store.database import Store
from store.facts import curator, facts
from store.transaction import Transaction


def change(tx: Transaction, being: Being, fact_id: UUID, changes: FactChanges) -> None:
    """Correct a fact, set its importance, pin, archive or restore it.

    Raises:
        NotFound: This Being knows no such fact.
        Refused: A pinned fact is to be archived, or a newer fact has the key of the one that is to be restored.
    """
    user_id = being.user_id
    facts.lock(tx, user_id)
    fact = facts.get(tx, user_id, being.being_id, fact_id)
    pinned = fact.pinned if changes.pinned is None else changes.pinned
    status = changes.status or fact.status
    if pinned and status == "ARCHIVED":
        raise Refused("A pinned fact can't be archived, nor an archived one pinned. Unpin or restore it first.")
    if changes.content is not None:
        facts.correct(tx, user_id, fact_id, changes.content)
    if changes.importance is not None:
        facts.set_importance(tx, user_id, fact_id, changes.importance)
    if status != fact.status:
        facts.set_status(tx, user_id, fact_id, status)
    if pinned != fact.pinned:
        facts.pin(tx, user_id, fact_id, pinned=pinned)
    vectors.request_embedding(tx, user_id)


def unfold(store: Store, being: Being, fact_id: UUID) -> list[Fact]:
    """Undo a fold of the curator: its facts are active again, and the curator never folds them again.

    Raises:
        NotFound: This Being knows no such fact.
        Refused: The fact is no active fold.
    """
    user_id = being.user_id
    with store.transaction() as tx:
        facts.lock(tx, user_id)
        fact = facts.get(tx, user_id, being.being_id, fact_id)
        if fact.source != "curated_fold" or fact.status != "ACTIVE":
            raise Refused("Only an active fact that the curator folded can be unfolded.")
        folded = curator.unfold(tx, user_id, fact_id)
        vectors.request_embedding(tx, user_id)
        return [facts.get(tx, user_id, being.being_id, each) for each in folded]


def erase(store: Store, being: Being, fact_id: UUID) -> None:
    """Remove a fact with all its statements; the messages that support it stay.

    Raises:
        NotFound: This Being knows no such fact.
    """
    with store.transaction() as tx:
        facts.lock(tx, being.user_id)
        facts.get(tx, being.user_id, being.being_id, fact_id)
        facts.erase(tx, being.user_id, fact_id)
        erasure.remove_unused_names(tx, being.user_id)
