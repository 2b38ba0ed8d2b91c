"""Marks of material on which a model gave no valid answer, so that it is not paid for again unchanged."""

from uuid import UUID

from store.transaction import Transaction


def reason(tx: Transaction, owner_id: UUID, digest: bytes) -> str | None:
    """Return what was wrong with the last answer to a question; None if the question is not marked."""
    return tx.value(
        "select reason from memory.unanswered_questions where owner_id = %s and digest = %s",
        [owner_id, digest],
    )


def mark(tx: Transaction, owner_id: UUID, digest: bytes, reason: str) -> None:
    """Mark a question to which no answer was valid."""
    tx.execute(
        """
        insert into memory.unanswered_questions (user_id, being_id, digest, reason)
        select user_id, being_id, %s, %s
        from memory.owner_of(%s)
        on conflict (owner_id, digest) do nothing
        """,
        [digest, reason, owner_id],
    )


def remove(tx: Transaction, owner_id: UUID) -> None:
    """Remove an owner's marks, since a person has work tried again."""
    tx.execute("delete from memory.unanswered_questions where owner_id = %s", [owner_id])
