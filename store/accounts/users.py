"""Users, their Beings, and their access tokens."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from psycopg.errors import InvalidParameterValue, UniqueViolation
from psycopg.rows import class_row

from schemas.accounts.accounts import Being, FactsScope, Scope, Token, User
from schemas.nodes.nodes import ROOTS
from store import limits
from store.errors import NotFound, Refused
from store.transaction import Transaction, value


def add_user(tx: Transaction, name: str, time_zone: str) -> User:
    """Create a user without an external id, whose name no other such user has.

    Raises:
        Refused: The name is taken, or Postgres does not know the time zone.
    """
    _check_time_zone(tx, time_zone)
    with tx.cursor(row_factory=class_row(User)) as cursor:
        user = cursor.execute(
            """
            insert into memory.users (name, time_zone)
            values (%s, %s)
            on conflict (name) where external_id is null do nothing
            returning *
            """,
            [name, time_zone],
        ).fetchone()
    if user is None:
        raise Refused("There is a user of that name already: choose another name.")
    return user


def ensure_user(
    tx: Transaction, external_id: str, *, name: str, time_zone: str, facts_scope: str | None
) -> tuple[User, bool]:
    """Return the user with an external id, and whether this call created it; an existing user is not changed.

    Raises:
        Refused: Postgres does not know the time zone.
    """
    _check_time_zone(tx, time_zone)
    with tx.cursor(row_factory=class_row(User)) as cursor:
        created = cursor.execute(
            """
            insert into memory.users (external_id, name, time_zone, facts_scope)
            values (%s, %s, %s, %s)
            on conflict (external_id) do nothing
            returning *
            """,
            [external_id, name, time_zone, facts_scope],
        ).fetchone()
        if created:
            return created, True
        (known,) = cursor.execute("select * from memory.users where external_id = %s", [external_id])
        return known, False


def get_user(tx: Transaction, user_id: UUID) -> User:
    """Return a user.

    Raises:
        NotFound: There is no such user.
    """
    with tx.cursor(row_factory=class_row(User)) as cursor:
        user = cursor.execute("select * from memory.users where user_id = %s", [user_id]).fetchone()
    if user is None:
        raise NotFound(f"There is no user {user_id}.")
    return user


def change_user(tx: Transaction, user_id: UUID, changes: Mapping[str, Any]) -> User:
    """Set those of `name`, `time_zone` and `facts_scope` that `changes` holds; None clears the scope.

    Raises:
        NotFound: There is no such user.
        Refused: Postgres does not know the time zone, or another user of the command line has the name.
    """
    if zone := changes.get("time_zone"):
        _check_time_zone(tx, zone)
    with tx.cursor(row_factory=class_row(User)) as cursor:
        try:
            with tx.transaction():
                changed = cursor.execute(
                    """
                    update memory.users
                    set name = coalesce(%(name)s, name), time_zone = coalesce(%(time_zone)s, time_zone),
                        facts_scope = case when %(scoped)s then %(facts_scope)s else facts_scope end
                    where user_id = %(user)s
                    returning *
                    """,
                    {"name": None, "time_zone": None, "facts_scope": None, **changes}
                    | {"scoped": "facts_scope" in changes, "user": user_id},
                ).fetchone()
        except UniqueViolation as taken:
            raise Refused("There is a user of that name already: choose another name.") from taken
    if changed is None:
        raise NotFound(f"There is no user {user_id}.")
    return changed


def user_page(tx: Transaction, *, external_id: str | None, after: UUID | None, limit: int) -> list[User]:
    """Return users by id, which is the order of creation; with `external_id` only the one that has it."""
    with tx.cursor(row_factory=class_row(User)) as cursor:
        return cursor.execute(
            """
            select * from memory.users
            where (%(external_id)s::text is null or external_id = %(external_id)s)
                and (%(after)s::uuid is null or user_id > %(after)s)
            order by user_id
            limit %(limit)s
            """,
            {"external_id": external_id, "after": after, "limit": limit},
        ).fetchall()


def facts_scope(tx: Transaction, user_id: UUID) -> FactsScope | None:
    """Return the scope that was chosen for the user's facts; None: the setting's."""
    scope: FactsScope | None = value(tx, "select facts_scope from memory.users where user_id = %s", [user_id])
    return scope


def _check_time_zone(tx: Transaction, time_zone: str) -> None:
    """Raise `Refused` unless both Python and Postgres know the zone.

    The view of all zones that Postgres knows is not asked: it reads some 600 files each time, which takes 20 ms.
    """
    try:
        ZoneInfo(time_zone)
        with tx.transaction():
            tx.execute("select now() at time zone %s", [time_zone])
    except (ZoneInfoNotFoundError, ValueError, OSError, InvalidParameterValue):
        raise Refused("The time zone is not an IANA name, such as Europe/Lisbon.") from None


def remove_user(tx: Transaction, user_id: UUID) -> list[UUID]:
    """Delete a user with all Beings and their memory; returns the ids of the Beings.

    After the commit no step of these Beings can finish and enqueue the next, so the caller can then remove their work.
    """
    beings = [being.being_id for being in beings_of(tx, user_id)]
    tx.execute("delete from memory.users where user_id = %s", [user_id])
    return beings


def hold(tx: Transaction, owner_id: UUID) -> None:
    """Share the row of the user that is this owner, or whose Being it is; erasing it waits for this transaction.

    The first lock of a transaction that takes several (sql/functions/05_locks.sql).
    """
    tx.execute("select memory.hold_owner(%s)", [owner_id])


def hold_alone(tx: Transaction, user_id: UUID) -> None:
    """Wait for all that write what is the user's or a Being's of the user, and let no more begin: before an erasure."""
    tx.execute("select memory.hold_owner_alone(%s)", [user_id])


def find_user(tx: Transaction, name: str) -> User | None:
    """Return the user with that id, external id or name.

    Raises:
        Refused: Several users have that name.
    """
    with tx.cursor(row_factory=class_row(User)) as cursor:
        found = cursor.execute(
            """
            select * from memory.users
            where user_id::text = lower(%(name)s) or external_id = %(name)s or name = %(name)s
            order by user_id::text = lower(%(name)s) desc, external_id is not distinct from %(name)s desc, user_id
            limit 2
            """,
            {"name": name},
        ).fetchall()
    if len(found) > 1 and name not in {str(found[0].user_id), found[0].external_id}:
        raise Refused("Several users have that name: give the id, as `patrol user list` shows it.")
    return found[0] if found else None


def all_users(tx: Transaction) -> list[User]:
    """Return all users, oldest first."""
    with tx.cursor(row_factory=class_row(User)) as cursor:
        return cursor.execute("select * from memory.users order by user_id").fetchall()


def add_being(tx: Transaction, user_id: UUID, slug: str, name: str, *, most: int | None = None) -> Being:
    """Create a Being with its two root clusters.

    Args:
        tx: The transaction.
        user_id: Its user.
        slug: Its short name in URLs, unique for the user.
        name: Its display name.
        most: The most Beings that the user may have; None: any number.

    Raises:
        Refused: The user has a Being with that slug, or `most` Beings.
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
    if most is not None:
        limits.check(tx, "being", user_id, most)
    tx.execute(
        """
        insert into memory.clusters (being_id, cluster_id, name, is_parent, parent_id)
        select %s, root.id, root.name, true, root.id
        from (select uuidv7() as id, unnest(%s::text[]) as name) as root
        """,
        [being.being_id, list(ROOTS)],
    )
    return being


def change_being(tx: Transaction, being_id: UUID, changes: Mapping[str, Any]) -> Being:
    """Set the columns that `changes` holds; None clears `scenes` and the budgets, and leaves the others."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        (being,) = cursor.execute(
            """
            update memory.beings
            set name = coalesce(%(name)s, name), language = coalesce(%(language)s, language),
                scenes = case when 'scenes' = any(%(named)s) then %(scenes)s else scenes end,
                daily_cost = case when 'daily_cost' = any(%(named)s) then %(daily_cost)s else daily_cost end,
                daily_tokens = case when 'daily_tokens' = any(%(named)s) then %(daily_tokens)s else daily_tokens end
            where being_id = %(being_id)s
            returning *
            """,
            {"name": None, "language": None, "scenes": None, "daily_cost": None, "daily_tokens": None, **changes}
            | {"named": list(changes), "being_id": being_id},
        )
    return being


def find_being(tx: Transaction, user_id: UUID, being: str) -> Being | None:
    """Return the user's Being with that id or slug."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute(
            "select * from memory.beings where user_id = %s and (slug = %s or being_id::text = lower(%s))",
            [user_id, being, being],
        ).fetchone()


def get_being(tx: Transaction, being_id: UUID) -> Being:
    """Return the Being with an id that comes from the ledger, not from a caller.

    Raises:
        NotFound: It does not exist any more.
    """
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        being = cursor.execute("select * from memory.beings where being_id = %s", [being_id]).fetchone()
    if being is None:
        raise NotFound(f"There is no Being {being_id}.")
    return being


def lock(tx: Transaction, being_id: UUID) -> None:
    """Lock a Being against other writers of its memory until the transaction ends.

    Raises:
        NotFound: It does not exist any more.
    """
    tx.execute("select memory.lock_being(%s)", [being_id])


def exists(tx: Transaction, being_id: UUID) -> bool:
    """Return whether a Being with that id exists, of any user."""
    return bool(value(tx, "select exists (select from memory.beings where being_id = %s)", [being_id]))


def adopt_model(tx: Transaction, being_id: UUID, model: str) -> None:
    """Set the embedding model of a locked Being that has none.

    Raises:
        Refused: It has another model by now; embed again, with that one.
    """
    had = get_being(tx, being_id).embedding_model
    if had is None:
        tx.execute("update memory.beings set embedding_model = %s where being_id = %s", [model, being_id])
    elif had != model:
        raise Refused("The Being has another embedding model now: embed again.")


def beings_named(tx: Transaction, being: str) -> list[Being]:
    """Return all users' Beings with that id or slug, for the operator."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute(
            "select * from memory.beings where slug = %s or being_id::text = lower(%s) order by being_id",
            [being, being],
        ).fetchall()


def all_beings(tx: Transaction, limit: int | None = None) -> list[Being]:
    """Return all users' Beings, oldest first, for the operator."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute("select * from memory.beings order by being_id limit %s", [limit]).fetchall()


def beings_of(tx: Transaction, user_id: UUID) -> list[Being]:
    """Return the user's Beings, oldest first."""
    with tx.cursor(row_factory=class_row(Being)) as cursor:
        return cursor.execute("select * from memory.beings where user_id = %s order by being_id", [user_id]).fetchall()


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


def find_token(tx: Transaction, hashed: bytes) -> tuple[Token, bool] | None:
    """Return the token with that hash, and whether it is valid; its last use is recorded at most once a minute."""
    row: dict[str, Any] | None = tx.execute(
        """
        select *, revoked_at is null and (expires_at is null or expires_at > clock_timestamp()) as valid
        from memory.api_tokens
        where hash = %s
        """,
        [hashed],
    ).fetchone()
    if row is None:
        return None
    valid = row.pop("valid")
    token = Token.model_validate(row)
    if valid:
        tx.execute(
            """
            update memory.api_tokens
            set last_used_at = clock_timestamp()
            where user_id = %s and token_id = %s
                and (last_used_at is null or last_used_at < clock_timestamp() - interval '1 minute')
            """,
            [token.user_id, token.token_id],
        )
    return token, valid


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
