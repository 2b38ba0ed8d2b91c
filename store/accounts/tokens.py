"""Access tokens of users and Beings."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from psycopg.rows import DictRow
from psycopg.sql import SQL, Composed

from schemas.accounts.accounts import Being, Scope, Token
from store import limits
from store.accounts import beings
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
    token = tx.one(
        Token,
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


@dataclass(frozen=True, slots=True)
class TokenAccess:
    """The access that a token gives.

    Attributes:
        user_id: The token's user.
        bound_to: The only Being that the token gives access to; None: all of the user's.
        valid: Whether it is neither revoked nor expired.
        used_unnoted: Whether it is valid, and its last use was recorded more than a minute ago.
        being: The user's Being that the request named with the token, if there is one, bound or not.
    """

    user_id: UUID
    bound_to: UUID | None
    token_id: UUID
    scopes: list[Scope]
    valid: bool
    used_unnoted: bool
    being: Being | None


def _opens(presented: SQL) -> Composed:
    """Return the statement that looks up the user and the Being that tokens open."""
    return SQL(
        """
        select being.*, asked.position, token.user_id as caller, token.being_id as bound_to, token.token_id,
            token.scopes,
            token.revoked_at is null and (token.expires_at is null or token.expires_at > clock_timestamp()) as valid,
            token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute' as unnoted
        from {}
        join memory.api_tokens as token using (hash)
        left join memory.beings as being
            on being.user_id = token.user_id and (being.slug = asked.slug or being.being_id = asked.being_id)
        """
    ).format(presented)


# A list as a parameter takes psycopg longer than the server takes to look a token up.
_ALONE = _opens(SQL("(values (%s::bytea, %s::text, %s::uuid, 1)) as asked (hash, slug, being_id, position)"))
_TOGETHER = _opens(
    SQL("unnest(%s::bytea[], %s::text[], %s::uuid[]) with ordinality as asked (hash, slug, being_id, position)")
)


def access_of(tx: Transaction, presented: Sequence[tuple[bytes, str | None]]) -> list[TokenAccess | None]:
    """Return for each pair of a token's hash and a Being's id or slug the access it gives; None: no token."""
    each = [(hashed, being, None if being is None else beings.id_in(being)) for hashed, being in presented]
    if len(each) == 1:
        rows = tx.execute(_ALONE, each[0])
    else:
        rows = tx.execute(_TOGETHER, [[one[column] for one in each] for column in range(3)])
    found = {row["position"]: _opened(row) for row in rows}
    return [found.get(position) for position in range(1, len(presented) + 1)]


def _opened(row: DictRow) -> TokenAccess:
    return TokenAccess(
        user_id=row["caller"],
        bound_to=row["bound_to"],
        token_id=row["token_id"],
        scopes=row["scopes"],
        valid=row["valid"],
        used_unnoted=row["valid"] and row["unnoted"],
        being=None if row["being_id"] is None else Being.model_validate(row),
    )


def note_use(tx: Transaction, hashes: Collection[bytes]) -> None:
    """Record that the tokens with these hashes are used now, except those that another transaction is changing."""
    tx.execute(
        """
        update memory.api_tokens
        set last_used_at = clock_timestamp()
        where hash in (
            select hash from memory.api_tokens where hash = any(%s) for no key update skip locked
        )
        """,
        [list(hashes)],
    )


def tokens_of(tx: Transaction, user_id: UUID) -> list[Token]:
    """Return the user's tokens, oldest first, revoked ones included."""
    return tx.rows(Token, "select * from memory.api_tokens where user_id = %s order by token_id", [user_id])


def tokens_of_being(tx: Transaction, user_id: UUID, being_id: UUID) -> list[Token]:
    """Return the valid tokens that open this Being alone, newest first."""
    return tx.rows(
        Token,
        """
        select * from memory.api_tokens
        where user_id = %s and being_id = %s and revoked_at is null
            and (expires_at is null or expires_at > clock_timestamp())
        order by token_id desc
        """,
        [user_id, being_id],
    )


def revoke_token(tx: Transaction, user_id: UUID, token_id: UUID) -> bool:
    """Revoke a token, and delete provider keys that came with its requests; returns whether the user has it."""
    tx.execute(
        """
        delete from memory.provider_keys
        where user_id = %s and token_id = %s and expires_at is not null
        """,
        [user_id, token_id],
    )
    return tx.changes(
        """
        update memory.api_tokens
        set revoked_at = coalesce(revoked_at, clock_timestamp())
        where user_id = %s and token_id = %s
        """,
        [user_id, token_id],
    )
