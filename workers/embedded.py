"""The servers that the system brings itself when it is given none: one Postgres and one Redis over one home."""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.interrupts import held, stoppable
from workers.postgres_server import SOCKET, EmbeddedPostgres
from workers.processes import wait_until
from workers.redis_server import EmbeddedRedis
from workers.server import locks
from workers.stack_errors import HomeInUseError, UnsafeHomeError

# Linux has room for 107 bytes in a socket's address, macOS for 103.
LONGEST_SOCKET_PATH = 103
# Whoever only asks whether the home is in use holds its lock for an instant.
LOCK_PATIENCE = 0.5


@dataclass(frozen=True)
class Addresses:
    """Where the servers are: for psycopg, for redis-py, and for kombu and Celery."""

    database_url: str
    redis_url: str
    broker_url: str


@dataclass(frozen=True)
class EmbeddedServers(Addresses):
    """Running servers of our own, and where they are."""

    postgres: EmbeddedPostgres
    redis: EmbeddedRedis


@contextmanager
def embedded_servers(home: Path, *, durable: bool = True) -> Iterator[EmbeddedServers]:
    """Run both servers over a home directory while the block runs.

    Data are kept in `home` from run to run. Asked to stop at any moment, by Ctrl-C, SIGTERM or a closed terminal, it
    raises `KeyboardInterrupt` and leaves no process behind. Use it in the main thread, or in one that outlives it.

    Args:
        home: The directory for data, made when missing.
        durable: Whether what was committed must survive a crash of the machine; tests say no.

    Yields:
        The servers, both ready.

    Raises:
        HomeInUseError: Another stack runs over this home.
        NotInstalledError: A server's program is missing.
        StartError: A server died, or does not answer.
        UnsafeHomeError: A directory that we need belongs to somebody else.
    """
    with stoppable(), _only_stack(home) as lock:
        sockets = run_directory(home)
        postgres = EmbeddedPostgres(home / "postgres", sockets, durable=durable)
        redis = EmbeddedRedis(home / "redis", sockets, durable=durable)
        addresses = (postgres.url, redis.url, redis.broker_url)
        try:
            redis.launch()
            postgres.launch()
            redis.await_ready()
            postgres.await_ready()
            os.pwrite(lock, "\n".join([str(os.getpid()), *addresses]).encode(), 0)
            yield EmbeddedServers(*addresses, postgres, redis)
        finally:
            with held():
                redis.stop()
                postgres.stop()
                shutil.rmtree(sockets, ignore_errors=True)


def running_servers(home: Path) -> Addresses | None:
    """Find the servers that another process runs over a home directory.

    Returns:
        Their addresses; None if there are none, or they are not ready yet.
    """
    try:
        lock = os.open(home / "lock", os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        if locks(lock):
            return None
        _, *addresses = _said(lock)
        return Addresses(*addresses) if addresses else None
    finally:
        os.close(lock)


def run_directory(home: Path) -> Path:
    """Return a directory for a home's sockets, made when missing, with a path short enough for them.

    The name follows from the home's, so that a stack that was killed leaves nothing that the next does not use. Since
    anybody can tell it, a directory that somebody else put there is refused.

    Raises:
        UnsafeHomeError: Somebody else has a directory of that name.
    """
    name = f"memory-patrol-{hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:12]}"
    places = [os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir()]
    fitting = [place for place in places if os.access(place, os.W_OK | os.X_OK) and _fits(Path(place) / name)]
    directory = Path(fitting[0] if fitting else "/tmp") / name  # noqa: S108  # made and checked below
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    if not directory.is_dir() or directory.is_symlink() or status.st_uid != os.geteuid():
        raise UnsafeHomeError(f"{directory} belongs to somebody else. Remove it, or set XDG_RUNTIME_DIR.")
    directory.chmod(0o700)
    return directory


def _fits(directory: Path) -> bool:
    return len(os.fsencode(directory / EmbeddedPostgres.name / SOCKET)) <= LONGEST_SOCKET_PATH


@contextmanager
def _only_stack(home: Path) -> Iterator[int]:
    """Hold the home's lock, whose file says who holds it and, later, where the servers are."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not wait_until(lambda: locks(lock), LOCK_PATIENCE):
            holder, *_ = _said(lock)
            raise HomeInUseError(
                f"Memory Patrol already runs over {home} (process {holder or 'unknown'}). "
                "Stop that one first, or set PATROL_HOME to another directory."
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield lock
    finally:
        os.close(lock)


def _said(lock: int) -> list[str]:
    return os.pread(lock, 4096, 0).decode().split("\n")
