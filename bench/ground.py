"""What the benchmarks stand on: embedded servers over a temporary home, as durable as the ones that users run."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from redis import Redis

from store import users
from store.database import Store
from store.migrate import migrate
from workers.embedded import embedded_servers

CONNECTIONS = 6


@dataclass(frozen=True)
class Scale:
    """How much the benchmarks with real workers do.

    Attributes:
        minute: The seconds in which the doorbell's items arrive.
        imported: How many notes the other Being imports, at most.
    """

    minute: float
    imported: int


@dataclass(frozen=True)
class Ground:
    """Running servers with a migrated database, and Beings full of memories, made when first asked for."""

    home: Path
    store: Store
    redis: Redis
    scale: Scale
    filled: dict[tuple[int, int], UUID] = field(default_factory=dict)

    def new_being(self) -> UUID:
        """Make a user with a Being that remembers nothing."""
        with self.store.transaction() as tx:
            count = len(users.all_users(tx))
            user = users.add_user(tx, f"user {count}", "UTC")
            return users.add_being(tx, user.user_id, "being", "Being").being_id

    def clear(self) -> None:
        """Forget everybody, all work and every ring."""
        with self.store.transaction() as tx:
            # What is only ever added to says so by trigger.
            tx.execute("set local session_replication_role = replica")
            tx.execute("truncate memory.users, memory.work cascade")
        self.redis.flushall()
        self.filled.clear()


@contextmanager
def ground(scale: Scale) -> Iterator[Ground]:
    """Run the servers while the block runs; nothing is left of them."""
    with tempfile.TemporaryDirectory(prefix="patrol-bench-") as directory:
        home = Path(directory)
        # Our own Celery app, and the processes that we start, look for their servers there and nowhere else.
        os.environ.update({"PATROL_HOME": directory, "DATABASE_URL": "", "REDIS_URL": ""})
        with embedded_servers(home) as servers:
            migrate(servers.database_url)
            with Store(servers.database_url, CONNECTIONS) as store, Redis.from_url(servers.redis_url) as redis:
                with store.transaction() as tx:
                    tx.execute("create schema bench")
                yield Ground(home, store, redis, scale)
