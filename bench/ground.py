"""The benchmarks' servers: embedded ones over a temporary home, with the same durability as users'."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID, uuid4

from psycopg.sql import SQL, Identifier
from redis import Redis

from memory.accounts import access
from store.accounts import beings, users
from store.database import Store
from store.migrate import migrate
from store.search import vector_indexes
from store.transaction import Transaction
from workers.embedded.postgres import as_application
from workers.embedded.servers import embedded_servers

CONNECTIONS = 6


@dataclass(frozen=True)
class Ground:
    """Running servers with a migrated database.

    Attributes:
        tables: The tables that the migrations leave empty.
    """

    home: Path
    url: str
    store: Store
    redis: Redis
    tables: list[str]

    def new_being(self) -> UUID:
        """Make a user with an empty Being."""
        with self.store.transaction() as tx:
            user = users.add_user(tx, f"user {uuid4()}", "UTC")
            return beings.add_being(tx, user.user_id, "being", "Being").being_id

    def token(self, being_id: UUID) -> str:
        """Make a token of a Being's user with all scopes."""
        with self.store.transaction() as tx:
            user_id = beings.get_being(tx, being_id).user_id
        secret, _ = access.issue_token(
            self.store, user_id, being_id=None, scopes=["ingest", "read", "manage"], lifetime=None
        )
        return secret

    def clear(self) -> None:
        """Leave nothing of earlier benchmarks: no row, and no index of one Being.

        That includes tables without a foreign key to the users. Rows left in the search's queue for Beings that are
        gone would be tried again by each tick, and the indexes of large ones would be built again.
        """
        with self.store.transaction() as tx:
            # Append-only tables refuse TRUNCATE by trigger.
            tx.execute("set local session_replication_role = replica")
            tx.execute(SQL("truncate {}").format(SQL(", ").join(Identifier("memory", name) for name in self.tables)))
            indexes = vector_indexes.existing(tx)
        for name in indexes:
            vector_indexes.remove(self.store, name)
        self.redis.flushall()


@contextmanager
def ground() -> Iterator[Ground]:
    """Run the servers while the block runs, and remove their data afterwards."""
    with tempfile.TemporaryDirectory(prefix="patrol-bench-") as directory:
        home = Path(directory)
        # The Celery app of this process and the processes that it starts find their servers by these variables.
        os.environ.update({"PATROL_HOME": directory, "DATABASE_URL": "", "REDIS_URL": ""})
        with embedded_servers(home) as servers:
            migrate(servers.database_url, as_application(servers.database_url))
            with Store(servers.database_url, CONNECTIONS) as store, Redis.from_url(servers.redis_url) as redis:
                with store.transaction() as tx:
                    tx.execute("create schema bench")
                    tables = _empty_tables(tx)
                yield Ground(home, servers.database_url, store, redis, tables)


def _empty_tables(tx: Transaction) -> list[str]:
    rows = tx.execute(
        """
        select relname from pg_catalog.pg_class
        where relnamespace = 'memory'::regnamespace and relkind in ('r', 'p') and not relispartition
        order by relname
        """
    ).fetchall()
    return [
        row["relname"]
        for row in rows
        if tx.execute(SQL("select from {} limit 1").format(Identifier("memory", row["relname"]))).fetchone() is None
    ]
