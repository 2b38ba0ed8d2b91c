"""Clusters of embedded Postgres servers, made once in a run of the tests and copied for each server.

initdb takes a second of processor time, and all migrations take two more; a copy takes some 50 ms.
"""

import fcntl
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import psycopg

from store.migrate import migrate
from tests.databases import OWNER, as_bound, as_owner, url_of
from workers.embedded.postgres import EmbeddedPostgres, as_application
from workers.embedded.servers import EmbeddedServers, embedded_servers


def lay(data: Path, filled: Callable[[str], None]) -> None:
    """Lay a cluster into the directory of a server before its first start, which then runs no initdb.

    Args:
        data: The directory, made when missing.
        filled: Fills a new cluster, given its superuser's URL. The run's first cluster of each such function is kept.
    """
    kept = Path(tempfile.gettempdir(), "clusters", filled.__name__)
    kept.mkdir(parents=True, exist_ok=True)
    with (kept / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (cluster := kept / "cluster").exists():
            with EmbeddedPostgres(kept / "made", kept, durable=False) as server:
                filled(server.url)
            server.cluster.rename(cluster)
    data.mkdir(mode=0o700, parents=True, exist_ok=True)
    # With its account, which is another one's where root runs the tests.
    subprocess.run(["cp", "-a", cluster, data], check=True)  # noqa: S607  # on the PATH, wherever that is


def migrated_servers(home: Path) -> AbstractContextManager[EmbeddedServers]:
    """Run both servers over an empty home for the duration of the block, with the database migrated."""
    lay(home / "postgres", migrated)
    return embedded_servers(home, durable=False)


def new(_: str) -> None:
    """As initdb leaves it."""


def migrated(url: str) -> None:
    """As `patrol up` migrates it: the tables belong to the superuser."""
    migrate(url, as_application(url))


def operated(url: str) -> None:
    """With a database `migrated` of an ordinary role's, as on a managed server, and one that only has `vector`."""
    with psycopg.connect(url, autocommit=True) as server:
        server.execute(f"create role {OWNER} login createrole")
        server.execute("create database empty")
        with psycopg.connect(url_of(url, "empty"), autocommit=True) as empty:
            empty.execute("create extension vector")
        server.execute(f"create database migrated owner {OWNER} template empty")
    its_url = as_owner(url_of(url, "migrated"))
    migrate(its_url, as_bound(its_url))
