"""Operators' tokens, which are no user's: they open metrics, and everybody's dead work."""

from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.rows import OperatorToken
from store.transaction import Transaction, value


def add_token(tx: Transaction, hashed: bytes, life: timedelta | None) -> OperatorToken:
    """Keep a token by its hash; `life` counts on the real clock."""
    with tx.cursor(row_factory=class_row(OperatorToken)) as cursor:
        (token,) = cursor.execute(
            "insert into memory.operator_tokens (hash, expires_at) values (%s, clock_timestamp() + %s::interval)"
            " returning *",
            [hashed, life],
        )
    return token


def alive(tx: Transaction, hashed: bytes) -> bool | None:
    """Whether the token with that hash is alive, whose last use is then noted; None where there is none."""
    found: bool | None = value(
        tx,
        "update memory.operator_tokens set last_used_at = case when revoked_at is null then clock_timestamp()"
        " else last_used_at end where hash = %s"
        " returning revoked_at is null and (expires_at is null or expires_at > clock_timestamp())",
        [hashed],
    )
    return found


def tokens(tx: Transaction) -> list[OperatorToken]:
    """All operators' tokens, oldest first."""
    with tx.cursor(row_factory=class_row(OperatorToken)) as cursor:
        return cursor.execute("select * from memory.operator_tokens order by token_id").fetchall()


def revoke(tx: Transaction, token_id: UUID) -> bool:
    """End a token's life; False where there is no such token."""
    done = tx.execute(
        "update memory.operator_tokens set revoked_at = coalesce(revoked_at, clock_timestamp()) where token_id = %s",
        [token_id],
    )
    return done.rowcount == 1
