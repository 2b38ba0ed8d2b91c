"""Users' webhooks."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from schemas.accounts.webhooks import Webhook
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class SealedWebhook:
    """A webhook's address with its encrypted secret."""

    user_id: UUID
    url: str
    sealed: bytes


def put(tx: Transaction, user_id: UUID, url: str, sealed: bytes) -> None:
    """Set a user's webhook in place of an earlier one."""
    tx.execute(
        """
        insert into memory.webhooks (user_id, url, sealed)
        values (%s, %s, %s)
        on conflict (user_id) do update
        set url = excluded.url, sealed = excluded.sealed, created_at = excluded.created_at, delivered_at = null,
            failed_at = null, failure = null
        """,
        [user_id, url, sealed],
    )


def get(tx: Transaction, user_id: UUID) -> Webhook | None:
    """A user's webhook without its secret."""
    return tx.row(
        Webhook,
        "select url, created_at, delivered_at, failed_at, failure from memory.webhooks where user_id = %s",
        [user_id],
    )


def sealed(tx: Transaction, user_id: UUID) -> SealedWebhook | None:
    """A user's webhook, to deliver to."""
    return tx.row(SealedWebhook, "select user_id, url, sealed from memory.webhooks where user_id = %s", [user_id])


def remove(tx: Transaction, user_id: UUID) -> bool:
    """Remove a user's webhook; returns whether there was one."""
    return tx.changes("delete from memory.webhooks where user_id = %s", [user_id])


def all_webhooks(tx: Transaction) -> Sequence[SealedWebhook]:
    """All users' webhooks, locked until the transaction ends."""
    return tx.rows(SealedWebhook, "select user_id, url, sealed from memory.webhooks order by user_id for update")


def reseal(tx: Transaction, user_id: UUID, sealed_again: bytes) -> None:
    """Store a webhook's re-encrypted secret."""
    tx.execute("update memory.webhooks set sealed = %s where user_id = %s", [sealed_again, user_id])


def mark_delivered(tx: Transaction, user_id: UUID) -> None:
    """Record that a delivery was received."""
    tx.execute("update memory.webhooks set delivered_at = memory.now() where user_id = %s", [user_id])


def mark_failed(tx: Transaction, user_id: UUID, failure: str) -> None:
    """Record that a delivery failed, and why."""
    tx.execute(
        "update memory.webhooks set failed_at = memory.now(), failure = %s where user_id = %s", [failure, user_id]
    )
