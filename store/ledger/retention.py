"""Retention: what leaves the ledger by age, and with its owner."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from schemas.ledger.kinds import WORK
from store.transaction import Transaction

OUTLIVING = [kind.name for kind in WORK.values() if kind.outlives_owner]


def clear_done(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of work that has been done for so long; returns how many rows."""
    return tx.execute(
        "delete from memory.work where (owner_id, kind, key) in (select owner_id, kind, key from memory.work"
        " where state = 'done' and finished_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount


def clear_orphaned(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of work of that age whose owner is gone, but for kinds that outlive it; returns how many rows."""
    return tx.execute(
        """
        delete from memory.work
        where (owner_id, kind, key) in (
            select owner_id, kind, key from memory.work as w
            where created_at < clock_timestamp() - %s and not (kind = any(%s) and state in ('ready', 'running'))
                and not exists (select from memory.beings where being_id = w.owner_id)
                and not exists (select from memory.users where user_id = w.owner_id)
            limit %s for update skip locked
        )
        """,
        [older_than, OUTLIVING, limit],
    ).rowcount


def clear_vectors(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of vectors that were kept for work which never came back for them; returns how many."""
    return tx.execute(
        "delete from memory.embeddings where (being_id, embedding_model, text_hash) in"
        " (select being_id, embedding_model, text_hash from memory.embeddings"
        " where created_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount


def remove_all(tx: Transaction, owners: Sequence[UUID]) -> None:
    """Remove all work of owners that are gone, but for kinds that outlive them."""
    tx.execute("delete from memory.work where owner_id = any(%s) and kind <> all(%s)", [list(owners), OUTLIVING])
