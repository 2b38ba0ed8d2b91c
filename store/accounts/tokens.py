"""Access tokens of users and Beings."""

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.accounts.accounts import Scope, Token
from store import limits
from store.transaction import Transaction


def add_token(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID | None,
    hashed: bytes,
    scopes: list[Scope],
    lifetime: timedelta | None,
    *,
    most: int | None = None,
) -> Token:
    """Store a token by its hash; `lifetime` counts on the real clock, and None is for ever.

    Raises:
        Refused: The user would have more than `most` valid tokens.
    """
    with tx.cursor(row_factory=class_row(Token)) as cursor:
        (token,) = cursor.execute(
            """
            insert into memory.api_tokens (user_id, being_id, hash, scopes, expires_at)
            values (%s, %s, %s, %s, clock_timestamp() + %s::interval)
            returning *
            """,
            [user_id, being_id, hashed, scopes, lifetime],
        )
    if most is not None:
        limits.check(tx, "token", user_id, most)
    return token


def find_tokens(tx: Transaction, hashes: Collection[bytes]) -> dict[bytes, tuple[Token, bool]]:
    """Return by hash the tokens with these hashes, each with whether it is valid.

    The last use of a valid one is recorded at most once a minute, and not while another transaction changes it.
    """
    rows = tx.execute(
        """
        select *, revoked_at is null and (expires_at is null or expires_at > clock_timestamp()) as valid,
            last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute' as unnoted
        from memory.api_tokens
        where hash = any(%s)
        """,
        [list(hashes)],
    ).fetchall()
    if used := [row["hash"] for row in rows if row["valid"] and row["unnoted"]]:
        tx.execute(
            """
            update memory.api_tokens
            set last_used_at = clock_timestamp()
            where hash in (
                select hash from memory.api_tokens where hash = any(%s) for no key update skip locked
            )
            """,
            [used],
        )
    return {row["hash"]: (Token.model_validate(row), row["valid"]) for row in rows}


def tokens_of(tx: Transaction, user_id: UUID) -> list[Token]:
    """Return the user's tokens, oldest first, revoked ones included."""
    with tx.cursor(row_factory=class_row(Token)) as cursor:
        return cursor.execute(
            "select * from memory.api_tokens where user_id = %s order by token_id", [user_id]
        ).fetchall()


def revoke_token(tx: Transaction, user_id: UUID, token_id: UUID) -> bool:
    """Revoke a token, and delete provider keys that came with its requests; returns whether the user has it."""
    tx.execute(
        """
        delete from memory.provider_keys
        where user_id = %s and token_id = %s and expires_at is not null
        """,
        [user_id, token_id],
    )
    done = tx.execute(
        """
        update memory.api_tokens
        set revoked_at = coalesce(revoked_at, clock_timestamp())
        where user_id = %s and token_id = %s
        """,
        [user_id, token_id],
    )
    return done.rowcount == 1
