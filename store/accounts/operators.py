"""Operators' tokens, which belong to no user."""

from datetime import timedelta
from uuid import UUID

from schemas.accounts.accounts import OperatorToken
from store.transaction import Transaction


def add_token(tx: Transaction, hashed: bytes, lifetime: timedelta | None) -> OperatorToken:
    """Store a token by its hash; `lifetime` counts on the real clock, and None is for ever."""
    return tx.one(
        OperatorToken,
        """
        insert into memory.operator_tokens (hash, expires_at)
        values (%s, clock_timestamp() + %s::interval)
        returning *
        """,
        [hashed, lifetime],
    )


def is_valid(tx: Transaction, hashed: bytes) -> bool | None:
    """Return whether the token with that hash is valid, and record its use; None if there is no such token."""
    return tx.value(
        """
        update memory.operator_tokens
        set last_used_at = case when revoked_at is null then clock_timestamp() else last_used_at end
        where hash = %s
        returning revoked_at is null and (expires_at is null or expires_at > clock_timestamp())
        """,
        [hashed],
    )


def tokens(tx: Transaction) -> list[OperatorToken]:
    """Return all operators' tokens, oldest first."""
    return tx.rows(OperatorToken, "select * from memory.operator_tokens order by token_id")


def revoke(tx: Transaction, token_id: UUID) -> bool:
    """Revoke a token; returns whether it exists."""
    return tx.changes(
        "update memory.operator_tokens set revoked_at = coalesce(revoked_at, clock_timestamp()) where token_id = %s",
        [token_id],
    )
