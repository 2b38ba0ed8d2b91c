"""Encrypted answers of requests with an Idempotency-Key, by the digest of the key."""

from dataclasses import dataclass
from uuid import UUID

from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """The digest of a request, and its encrypted answer."""

    request: bytes
    answer: bytes


def hold(tx: Transaction, user_id: UUID, digest: bytes) -> None:
    """Wait until no other transaction handles a request with this key, and keep others waiting until this one ends."""
    tx.execute("select pg_advisory_xact_lock(hashtextextended(%s || encode(%s, 'hex'), 0))", [str(user_id), digest])


def find(tx: Transaction, user_id: UUID, digest: bytes) -> StoredAnswer | None:
    """Return the stored answer under a key, if there is one."""
    return tx.row(
        StoredAnswer,
        "select request, answer from memory.request_answers where user_id = %s and digest = %s",
        [user_id, digest],
    )


def add(tx: Transaction, user_id: UUID, digest: bytes, stored: StoredAnswer) -> None:
    """Store an answer under a key; an answer that is stored already stays."""
    tx.execute(
        """
        insert into memory.request_answers (user_id, digest, request, answer) values (%s, %s, %s, %s)
        on conflict do nothing
        """,
        [user_id, digest, stored.request, stored.answer],
    )


def remove(tx: Transaction, user_id: UUID) -> None:
    """Delete all stored answers of a user, because they may repeat erased items."""
    tx.execute("delete from memory.request_answers where user_id = %s", [user_id])
