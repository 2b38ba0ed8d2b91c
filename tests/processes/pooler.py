"""PgBouncer in transaction mode before a test's Postgres: what relies on the state of a session fails through it."""

import os
import pwd
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.databases import BOUND, OWNER, as_bound
from tests.ports import free_port
from tests.processes.programs import program
from workers.embedded.processes import Account, Child, wait_until

PATIENCE = 20.0
# Fewer than a system's processes have connections, so that consecutive transactions of one are in several sessions.
SESSIONS = 6


@contextmanager
def pgbouncer(url: str, sessions: int = SESSIONS) -> Iterator[str]:
    """Run PgBouncer before the server of a database, for the role `OWNER`; yields the database's URL through it.

    It refuses startup options, and knows no prepared statements. The calling test is skipped where it is not installed.

    Args:
        url: The database on a Unix socket.
        sessions: The most sessions that it opens in one database.
    """
    path = program("pgbouncer")
    server = conninfo_to_dict(url)
    with tempfile.TemporaryDirectory(prefix="b-") as directory:
        folder, port = Path(directory), free_port()
        (folder / "users.txt").write_text(f'"{OWNER}" ""\n"{BOUND}" ""\n')
        (folder / "pgbouncer.ini").write_text(
            f"""
            [databases]
            * = host={server["host"]} port={server["port"]}
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = {port}
            unix_socket_dir =
            auth_type = trust
            auth_file = {folder / "users.txt"}
            pool_mode = transaction
            default_pool_size = {sessions}
            max_client_conn = 200
            log_connections = 0
            log_disconnections = 0
            """.replace("            ", "")
        )
        # As root it does not run.
        nobody = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        account = Account(nobody.pw_uid, nobody.pw_gid) if nobody else None
        command = [path, str(folder / "pgbouncer.ini")]
        running = Child(command, folder / "log", env={"PATH": os.environ["PATH"]}, account=account)
        pooled = f"postgresql://{OWNER}@127.0.0.1:{port}/{server['dbname']}"

        def answers() -> bool:
            try:
                psycopg.connect(pooled, connect_timeout=5).close()
            except psycopg.OperationalError:
                return False
            return True

        try:
            assert wait_until(answers, PATIENCE), (folder / "log").read_text()
            yield pooled
        finally:
            running.kill()


@contextmanager
def through_pgbouncer(url: str) -> Iterator[dict[str, str]]:
    """Run PgBouncer before the server of a database; yields the settings with which a process works through it."""
    with pgbouncer(url) as pooled:
        yield {"DATABASE_URL": as_bound(pooled), "PATROL_POOLED": "on", "PATROL_DIRECT_URL": url}
