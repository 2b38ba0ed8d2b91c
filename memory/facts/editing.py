"""Use cases of a user's facts: correct, pin, archive, restore."""

from uuid import UUID

from memory.facts import vectors
from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.facts.fact_requests import FactChanges
from store.facts import facts
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
