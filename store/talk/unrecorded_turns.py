"""Digests of turns off the record (memory/proxy/matching/unrecorded_turns.py)."""

from collections.abc import Collection
from uuid import UUID

from schemas.accounts.erasure_keys import ErasureKey
from store.transaction import Transaction


def add(tx: Transaction, being_id: UUID, digests: Collection[bytes]) -> None:
    """Store digests; those that are stored already stay."""
    tx.execute(
        """
        insert into memory.unrecorded_turns (being_id, digest)
        select %s, digest from unnest(%s::bytea[]) as digest
        on conflict do nothing
        """,
        [being_id, sorted(digests)],
    )


def key_of(tx: Transaction, being_id: UUID) -> ErasureKey | None:
    """Return the key of a Being's digests; None if it has none."""
    return tx.row(
        ErasureKey,
        """
        select k.user_id, k.key, k.sealed
        from memory.beings as b join memory.erasure_keys as k on k.user_id = b.user_id
        where b.being_id = %(being)s and exists (select from memory.unrecorded_turns where being_id = %(being)s)
        """,
        {"being": being_id},
    )


def known(tx: Transaction, being_id: UUID, digests: Collection[bytes]) -> set[bytes]:
    """Return which of these digests are stored."""
    return tx.distinct(
        "select digest from memory.unrecorded_turns where being_id = %s and digest = any(%s)",
        [being_id, list(digests)],
    )


def inherit(tx: Transaction, being_id: UUID, from_being_id: UUID) -> None:
    """Copy the digests of a Being to its imported copy of the same user."""
    tx.execute(
        """
        insert into memory.unrecorded_turns (being_id, digest)
        select copied.being_id, t.digest
        from memory.beings as copied
        join memory.beings as other on other.user_id = copied.user_id
        join memory.unrecorded_turns as t on t.being_id = other.being_id
        where copied.being_id = %s and other.being_id = %s
        on conflict do nothing
        """,
        [being_id, from_being_id],
    )


def remove(tx: Transaction, user_id: UUID) -> None:
    """Delete all digests of a user's Beings, whose key is lost."""
    tx.execute(
        "delete from memory.unrecorded_turns where being_id in (select being_id from memory.beings where user_id = %s)",
        [user_id],
    )
