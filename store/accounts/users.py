"""Users: adding, changing, finding and removing them, and the lock of an owner."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from psycopg.errors import InvalidParameterValue

from schemas.accounts.accounts import KnownTo, User
from schemas.errors import Refused, existing
from store.transaction import Transaction, once


def add_user(tx: Transaction, name: str, time_zone: str) -> User:
    """Create a user without an external id, whose name no other such user has.

    Raises:
        Refused: The name is taken, or Postgres does not know the time zone.
    """
    _check_time_zone(tx, time_zone)
    user = tx.row(
        User,
        """
        insert into memory.users (name, time_zone)
        values (%s, %s)
        on conflict (name) where external_id is null do nothing
        returning *
        """,
        [name, time_zone],
    )
    if user is None:
        raise Refused("There is a user of that name already: choose another name.")
    return user


def ensure_user(
    tx: Transaction, external_id: str, *, name: str, time_zone: str, facts_known_to: str | None
) -> tuple[User, bool]:
    """Return the user with an external id, and whether this call created it; an existing user is not changed.

    Raises:
        Refused: Postgres does not know the time zone.
    """
    _check_time_zone(tx, time_zone)
    created = tx.row(
        User,
        """
        insert into memory.users (external_id, name, time_zone, facts_known_to)
        values (%s, %s, %s, %s)
        on conflict (external_id) do nothing
        returning *
        """,
        [external_id, name, time_zone, facts_known_to],
    )
    if created:
        return created, True
    known = tx.one(User, "select * from memory.users where external_id = %s", [external_id])
    return known, False


def get_user(tx: Transaction, user_id: UUID) -> User:
    """Return a user.

    Raises:
        NotFound: There is no such user.
    """
    user = tx.row(User, "select * from memory.users where user_id = %s", [user_id])
    return existing(user, f"There is no user {user_id}.")


def change_user(tx: Transaction, user_id: UUID, changes: Mapping[str, Any]) -> User:
    """Set the fields that `changes` holds; None clears all but `name` and `time_zone`.

    Raises:
        NotFound: There is no such user.
        Refused: Postgres does not know the time zone, or another user of the command line has the name.
    """
    if zone := changes.get("time_zone"):
        _check_time_zone(tx, zone)
    with once(tx, "There is a user of that name already: choose another name."):
        changed = tx.row(
            User,
            """
            update memory.users
            set name = coalesce(%(name)s, name), time_zone = coalesce(%(time_zone)s, time_zone),
                facts_known_to = case
                    when 'facts_known_to' = any(%(named)s) then %(facts_known_to)s else facts_known_to
                end,
                daily_cost = case when 'daily_cost' = any(%(named)s) then %(daily_cost)s else daily_cost end,
                daily_tokens = case
                    when 'daily_tokens' = any(%(named)s) then %(daily_tokens)s else daily_tokens
                end
            where user_id = %(user)s
            returning *
            """,
            {"name": None, "time_zone": None, "facts_known_to": None, "daily_cost": None, "daily_tokens": None}
            | {**changes, "named": list(changes), "user": user_id},
        )
    return existing(changed, f"There is no user {user_id}.")


def user_page(tx: Transaction, *, external_id: str | None, after: UUID | None, limit: int) -> list[User]:
    """Return users by id, which is the order of creation; with `external_id` only the one that has it."""
    return tx.rows(
        User,
        """
        select * from memory.users
        where (%(external_id)s::text is null or external_id = %(external_id)s)
            and (%(after)s::uuid is null or user_id > %(after)s)
        order by user_id
        limit %(limit)s
        """,
        {"external_id": external_id, "after": after, "limit": limit},
    )


def facts_known_to(tx: Transaction, user_id: UUID) -> KnownTo | None:
    """Return which Beings know the user's facts, as the user chose; None: the setting decides."""
    return tx.value("select facts_known_to from memory.users where user_id = %s", [user_id])


def _check_time_zone(tx: Transaction, time_zone: str) -> None:
    """Raise `Refused` unless both Python and Postgres know the zone.

    The view of all zones that Postgres knows is not read: it opens some 600 files each time, which takes 20 ms.
    """
    try:
        ZoneInfo(time_zone)
        with tx.transaction():
            tx.execute("select now() at time zone %s", [time_zone])
    except (ZoneInfoNotFoundError, ValueError, OSError, InvalidParameterValue):
        raise Refused("The time zone is not an IANA name, such as Europe/Lisbon.") from None


def erase_user(tx: Transaction, user_id: UUID) -> list[UUID]:
    """Delete a user with all Beings and their memory; returns the ids of the Beings.

    After the commit no step of these Beings can finish and enqueue the next, so the caller can then remove their work.
    """
    rows = tx.execute("select being_id from memory.beings where user_id = %s order by being_id", [user_id])
    being_ids = [row["being_id"] for row in rows]
    tx.execute("delete from memory.users where user_id = %s", [user_id])
    return being_ids


def hold(tx: Transaction, owner_id: UUID) -> None:
    """Share the row of the user that is this owner, or whose Being it is; erasing it waits for this transaction.

    The first lock of a transaction that takes several (sql/functions/05_locks.sql).
    """
    tx.execute("select memory.hold_owner(%s)", [owner_id])


def hold_alone(tx: Transaction, user_id: UUID) -> None:
    """Lock the user against all writers of rows of the user or the user's Beings, before an erasure."""
    tx.execute("select memory.hold_owner_alone(%s)", [user_id])


def find_user(tx: Transaction, name: str) -> User | None:
    """Return the user with that id, external id or name.

    Raises:
        Refused: Several users have that name.
    """
    found = tx.rows(
        User,
        """
        select * from memory.users
        where user_id::text = lower(%(name)s) or external_id = %(name)s or name = %(name)s
        order by user_id::text = lower(%(name)s) desc, external_id is not distinct from %(name)s desc, user_id
        limit 2
        """,
        {"name": name},
    )
    if len(found) > 1 and name not in {str(found[0].user_id), found[0].external_id}:
        raise Refused("Several users have that name: give the id, as `patrol user list` shows it.")
    return found[0] if found else None


def all_users(tx: Transaction) -> list[User]:
    """Return all users, oldest first."""
    return tx.rows(User, "select * from memory.users order by user_id")
