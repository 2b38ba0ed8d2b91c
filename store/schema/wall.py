"""Row-level security: the policies by owner, and the roles that they bind (sql/wall.sql)."""

from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier, Literal

from schemas.errors import MigrationRefused

WALL = Path(__file__).resolve().parents[2] / "sql" / "wall.sql"


def across(connection: psycopg.Connection[Any]) -> str | None:
    """Return the role in which transactions of a migrated database cross owners; None: no policy binds this session.

    None do where its role may act as the owner of the tables.
    """
    row = connection.execute(
        """
        select session_user::text as name, pg_has_role(session_user, nspowner, 'usage') as owns
        from pg_namespace
        where nspname = 'memory'
        """
    ).fetchone()
    return None if row is None or row["owns"] else _across(row["name"])


def build_wall(connection: psycopg.Connection[Any], application: str | None) -> None:
    """Make the policies that are missing, and let the application's role in.

    Args:
        connection: One as the tables' owner.
        application: A connection string with that role, and its password if it has one; None: the one that was let in
            before, if there is any.

    Raises:
        MigrationRefused: The role has rights over the policies, or is missing and this one may not make it.
    """
    given = conninfo_to_dict(application) if application else {}
    role = given.get("user")
    if role == connection.info.user:
        role = None
    if role:
        _must_be_bound(connection, str(role))
        _make_roles(connection, str(role), given.get("password"))
    connection.execute("select set_config('memory.application', %s, true)", [role or ""])
    connection.execute(WALL.read_bytes())


def _make_roles(connection: psycopg.Connection[Any], role: str, password: Any) -> None:
    """Make the application's role, if it is missing, and the one in which it crosses owners."""
    across = _across(role)
    # Only its digest reaches the server, whose log may show the statement.
    digest = (
        connection.pgconn.encrypt_password(str(password).encode(), role.encode(), b"scram-sha-256") if password else b""
    )
    secret = SQL("login password {}").format(Literal(digest.decode())) if password else SQL("login")
    # The owner sees its sessions in pg_stat_activity, for which a scrub waits.
    membership = SQL("grant {} to {} with inherit false, set true; grant {} to {} with inherit true, set false").format(
        *map(Identifier, (across, role, role, connection.info.user))
    )
    try:
        with connection.transaction():
            if not _exists(connection, role):
                connection.execute(SQL("create role {} {}").format(Identifier(role), secret))
            if not _exists(connection, across):
                connection.execute(SQL("create role {}").format(Identifier(across)))
                connection.execute(membership)
    except psycopg.errors.InsufficientPrivilege as error:
        raise MigrationRefused(
            f"The role {connection.info.user} may not make roles. Let an administrator run `create role {role} login"
            f" password '…'; create role {across}; {membership.as_string(connection)}`, and migrate again."
        ) from error


def _must_be_bound(connection: psycopg.Connection[Any], role: str) -> None:
    row = connection.execute(
        """
        select rolsuper or rolbypassrls or pg_has_role(r.oid, n.nspowner, 'member')
        from pg_roles as r, pg_namespace as n
        where r.rolname = %s and n.nspname = 'memory'
        """,
        [role],
    ).fetchone()
    if row == (True,):
        raise MigrationRefused(
            f"The role {role} of DATABASE_URL is a superuser, bypasses row-level security, or may act as the owner of"
            " the tables: no policy would bind it. Give DATABASE_URL a role without such rights, or leave"
            " PATROL_DIRECT_URL to the same role."
        )


def _exists(connection: psycopg.Connection[Any], role: str) -> bool:
    return connection.execute("select from pg_roles where rolname = %s", [role]).fetchone() is not None


def _across(role: str) -> str:
    return f"{role}_across"
