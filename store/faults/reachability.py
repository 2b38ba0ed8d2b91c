"""Gives the reason why a database can't be reached: to its operator, since it names the server and the role."""

import re

import psycopg
from psycopg.conninfo import conninfo_to_dict

# Seconds to wait for a connection.
PATIENCE = 3
_LEAD = re.compile(r"^.*(?:failed|is bad): |(?:FATAL|ERROR): +")
REMEDIES = {
    re.compile("password authentication failed"): "Correct the role or its password in DATABASE_URL.",
    re.compile("no password supplied"): "Name the role's password in DATABASE_URL.",
    re.compile("^role .* does not exist"): "Create the role, or correct DATABASE_URL.",
    re.compile("^database .* does not exist"): "Create the database, or correct DATABASE_URL.",
    re.compile("pg_hba"): "Let the server's pg_hba.conf admit this host, role and database.",
    re.compile("too many clients|remaining connection slots"): "Raise max_connections of the server, or end programs.",
}
OTHERWISE = "Start the server, or correct DATABASE_URL."


def why_unreachable(url: str) -> str | None:
    """Try to connect once; return the reason of a failure, without the password, and the remedy. None: it connected."""
    try:
        where = conninfo_to_dict(url)
    except psycopg.ProgrammingError:
        # The message of libpq would quote the whole text.
        return "DATABASE_URL can't be read: write it like postgresql://role:password@host:5432/database."
    try:
        psycopg.connect(url, connect_timeout=PATIENCE).close()
    except psycopg.OperationalError as error:
        first, *_ = str(error).splitlines()
        reason = _LEAD.sub("", first)
        remedy = next((then for found, then in REMEDIES.items() if found.search(reason)), OTHERWISE)
        host = where.get("host") or "the local socket"
        port = f":{where['port']}" if "port" in where else ""
        return f"Postgres at {host}{port} can't be reached: {reason.rstrip('.')}. {remedy}"
    return None
