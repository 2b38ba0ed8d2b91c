"""Users, their Beings, and the tokens that open doors."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.errors import UniqueViolation
from psycopg.rows import class_row

from schemas.rows import ROOTS, Being, Scope, Token, User
from store.errors import NotFound, Refused
from store.transaction import Transaction, value


def add_user(tx: Transaction, name: str, time_zone: str) -> User:
    """Make a user.

    Raises:
        Refused: The name is taken, or the time zone is none that Postgres knows.
    """
    if not value(tx, "select exists (select from pg_timezone_names where name = %s)", [time_zone]):
        raise Refused("The time zone is not an IANA name, such as Europe/Lisbon.")
    with tx.cursor(row_factory=class_row(User)) as cursor:
        user = cursor.execute(
            "insert into memory.users (name, time_zone) values (%s, %s) on conflict (name) do nothing returning *",
            [name, time_zone],
        ).fetchone()
    if user is None:
        raise Refused("There is a user of that name already.")
    return user


def remove_user(tx: Transaction, user_id: UUID) -> list[UUID]:
    """Remove a user with all Beings and what these were told and remember; returns the Beings that are gone.

    Once this is committed, no step of theirs can finish and ask for the next: remove their work then.
    """
    beings = [being.being_id for being in beings_of(tx, user_id)]
    tx.execute("delete from memory.users where user_id = %s", [user_id])
    return beings


def find_user(tx: Transaction, name: str) -> User | None:
    """The user of that name or id."""
    with tx.cursor(row_factory=class_row(User)) as cursor:
        return cursor.execute(
            "select * from memory.users where name = %s or user_id::text = %s", [name, name]
        ).fetchone()


def all_users(tx: Transaction) -> list[User]:
    """Every user, oldest first."""
    with tx.cursor(row_factory=class_row(User)) as cursor:
        return cursor.execute("select * from memory.users order by user_id").fetchall()


def add_being(tx: Transaction, user_id: UUID, slug: str, name: str) -> Being:
    """Make a Being with its two root clusters.

    Raises:
        Refused: The user has a Being with that slug.
    """
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        try:
            with tx.transaction():
                (being,) = cursor.execute(
                    "insert into memory.beings (user_id, slug, name) values (%s, %s, %s) returning *",
                    [user_id, slug, name],
                )
        except UniqueViolation as taken:
            raise Refused(f"You have a Being with the slug {slug} already.") from taken
    tx.execute(
        "insert into memory.clusters (being_id, cluster_id, name, is_parent, parent_id)"
        " select %s, root.id, root.name, true, root.id from (select uuidv7() as id, unnest(%s::text[]) as name)"
        " as root",
        [being.being_id, list(ROOTS)],
    )
    return being


def change_being(tx: Transaction, being_id: UUID, changes: Mapping[str, Any]) -> Being:
    """Change a Being's `name`, `daily_cost` or `daily_tokens`, those that are named; None takes a budget away."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        (being,) = cursor.execute(
            "update memory.beings set name = coalesce(%(name)s, name),"
            " daily_cost = case when 'daily_cost' = any(%(named)s) then %(daily_cost)s else daily_cost end,"
            " daily_tokens = case when 'daily_tokens' = any(%(named)s) then %(daily_tokens)s else daily_tokens end"
            " where being_id = %(being_id)s returning *",
            {"name": None, "daily_cost": None, "daily_tokens": None, **changes}
            | {"named": list(changes), "being_id": being_id},
        )
    return being


def find_being(tx: Transaction, user_id: UUID, being: str) -> Being | None:
    """The user's Being with that id or slug."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute(
            "select * from memory.beings where user_id = %s and (slug = %s or being_id::text = lower(%s))",
            [user_id, being, being],
        ).fetchone()


def get_being(tx: Transaction, being_id: UUID) -> Being:
    """The Being with that id, for those who were told it by the ledger.

    Raises:
        NotFound: It is gone.
    """
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        being = cursor.execute("select * from memory.beings where being_id = %s", [being_id]).fetchone()
    if being is None:
        raise NotFound(f"There is no Being {being_id}.")
    return being


def lock(tx: Transaction, being_id: UUID) -> None:
    """Let nobody else write to a Being's memory while this transaction lasts.

    Raises:
        NotFound: It is gone.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])


def exists(tx: Transaction, being_id: UUID) -> bool:
    """Whether there is such a Being, whoever owns it."""
    return bool(value(tx, "select exists (select from memory.beings where being_id = %s)", [being_id]))


def adopt_model(tx: Transaction, being_id: UUID, model: str) -> None:
    """Let a Being without vectors, which is locked, have those of this model from now on.

    Raises:
        Refused: Its vectors are of another model by now; embed again, with that one.
    """
    had = get_being(tx, being_id).embedding_model
    if had is None:
        tx.execute("update memory.beings set embedding_model = %s where being_id = %s", [model, being_id])
    elif had != model:
        raise Refused("The Being has moved to another embedder meanwhile.")


def beings_named(tx: Transaction, being: str) -> list[Being]:
    """All Beings with that id or slug, whoever owns them, for the operator."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute(
            "select * from memory.beings where slug = %s or being_id::text = lower(%s) order by being_id",
            [being, being],
        ).fetchall()


def all_beings(tx: Transaction, limit: int | None = None) -> list[Being]:
    """Every Being of every user, oldest first, for the operator."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute("select * from memory.beings order by being_id limit %s", [limit]).fetchall()


def beings_of(tx: Transaction, user_id: UUID) -> list[Being]:
    """The user's Beings, oldest first."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute("select * from memory.beings where user_id = %s order by being_id", [user_id]).fetchall()


def add_token(
    tx: Transaction, user_id: UUID, being_id: UUID | None, hashed: bytes, scopes: list[Scope], life: timedelta | None
) -> Token:
    """Keep a token by its hash; `life` counts on the real clock."""
    with tx.cursor(row_factory=class_row(Token)) as cursor:
        (token,) = cursor.execute(
            "insert into memory.api_tokens (user_id, being_id, hash, scopes, expires_at)"
            " values (%s, %s, %s, %s, clock_timestamp() + %s::interval) returning *",
            [user_id, being_id, hashed, scopes, life],
        )
    return token


def find_token(tx: Transaction, hashed: bytes) -> tuple[Token, bool] | None:
    """The token with that hash, and whether it is alive; its last use is noted at most once a minute."""
    row: dict[str, Any] | None = tx.execute(
        "select *, revoked_at is null and (expires_at is null or expires_at > clock_timestamp()) as alive"
        " from memory.api_tokens where hash = %s",
        [hashed],
    ).fetchone()
    if row is None:
        return None
    alive = row.pop("alive")
    token = Token.model_validate(row)
    if alive:
        tx.execute(
            "update memory.api_tokens set last_used_at = clock_timestamp() where user_id = %s and token_id = %s"
            " and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')",
            [token.user_id, token.token_id],
        )
    return token, alive


def tokens_of(tx: Transaction, user_id: UUID) -> list[Token]:
    """The user's tokens, oldest first."""
    with tx.cursor(row_factory=class_row(Token)) as cursor:
        return cursor.execute(
            "select * from memory.api_tokens where user_id = %s order by token_id", [user_id]
        ).fetchall()


def revoke_token(tx: Transaction, user_id: UUID, token_id: UUID) -> bool:
    """End a token's life; False where the user has no such token."""
    done = tx.execute(
        "update memory.api_tokens set revoked_at = coalesce(revoked_at, clock_timestamp())"
        " where user_id = %s and token_id = %s",
        [user_id, token_id],
    )
    return done.rowcount == 1
