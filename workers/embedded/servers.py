"""The embedded servers, used if no URLs are set: one Postgres and one Redis over one home directory."""

import hashlib
import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from workers.embedded.errors import HomeInUseError, UnsafeHomeError
from workers.embedded.interrupts import held, stoppable
from workers.embedded.postgres import SOCKET, EmbeddedPostgres
from workers.embedded.processes import wait_until
from workers.embedded.redis import EmbeddedRedis
from workers.embedded.server import locks

# Linux has room for 107 bytes in a socket's address, macOS for 103.
LONGEST_SOCKET_PATH = 103
# Seconds. `running_servers` holds the lock for an instant while it checks whether the home is in use.
LOCK_PATIENCE = 0.5
# Seconds that a stack gets to end all of its processes.
STOP_PATIENCE = 60.0


@dataclass(frozen=True)
class Addresses:
    """URLs of the servers, in the forms of psycopg, of redis-py, and of kombu and Celery."""

    database_url: str
    redis_url: str
    broker_url: str


@dataclass(frozen=True)
class EmbeddedServers(Addresses):
    """Running embedded servers and their URLs."""

    postgres: EmbeddedPostgres
    redis: EmbeddedRedis


@contextmanager
def embedded_servers(home: Path, *, durable: bool = True, redis_port: int | None = None) -> Iterator[EmbeddedServers]:
    """Run both servers over a home directory for the duration of the block.

    Data are kept in `home` from run to run. On Ctrl-C, SIGTERM or SIGHUP the block raises `KeyboardInterrupt`, and no
    process is left behind. Must be used in the main thread, or in a thread that runs longer than the block.

    Args:
        home: The directory for data, made when missing.
        durable: Whether commits must survive a crash of the machine; tests pass false.
        redis_port: A port of 127.0.0.1 on which Redis listens beside its socket; None: only on its socket.

    Yields:
        The servers, both ready.

    Raises:
        HomeInUseError: Another stack runs over this home.
        NotInstalledError: A server's program is missing.
        StartError: A server exited, or does not answer.
        UnsafeHomeError: A directory of the stack belongs to another user.
    """
    with stoppable(), _only_stack(home) as lock:
        sockets = run_directory(home)
        postgres = EmbeddedPostgres(home / "postgres", sockets, durable=durable)
        redis = EmbeddedRedis(home / "redis", sockets, durable=durable, port=redis_port)
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
        Their URLs; None if none run, or they are not ready yet.
    """
    try:
        lock = os.open(home / "lock", os.O_RDWR)
    except FileNotFoundError:
        return None
    try:
        if locks(lock):
            return None
        _, *addresses = _lock_lines(lock)
        return Addresses(*addresses) if addresses else None
    finally:
        os.close(lock)


def stop_stack(home: Path) -> bool:
    """Stop the stack that another process runs over a home directory, and wait until it has ended.

    Returns:
        Whether one ran.

    Raises:
        HomeInUseError: It has not ended in time.
    """
    try:
        lock = os.open(home / "lock", os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        holder, *_ = _lock_lines(lock)
        if locks(lock) or not holder:
            return False
        os.kill(int(holder), signal.SIGTERM)
        if not wait_until(lambda: locks(lock), STOP_PATIENCE):
            raise HomeInUseError(f"Process {holder}, which runs over {home}, has not ended within {STOP_PATIENCE:g} s.")
        return True
    finally:
        os.close(lock)


def run_directory(home: Path) -> Path:
    """Return a directory for a home's sockets, made when missing, with a path short enough for them.

    The name is a digest of the home's path, so that the next stack reuses the directory of one that was killed. The
    name is predictable, so a directory that another user created there is refused.

    Raises:
        UnsafeHomeError: Another user owns the directory.
    """
    name = f"memory-patrol-{hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:12]}"
    places = [os.environ.get("XDG_RUNTIME_DIR", ""), tempfile.gettempdir()]
    fitting = [place for place in places if os.access(place, os.W_OK | os.X_OK) and _fits(Path(place) / name)]
    directory = Path(fitting[0] if fitting else "/tmp") / name  # noqa: S108  # its owner and mode are checked below
    directory.mkdir(mode=0o700, exist_ok=True)
    status = directory.lstat()
    if not directory.is_dir() or directory.is_symlink() or status.st_uid != os.geteuid():
        raise UnsafeHomeError(f"{directory} belongs to another user. Remove it, or set XDG_RUNTIME_DIR.")
    directory.chmod(0o700)
    return directory


def _fits(directory: Path) -> bool:
    return len(os.fsencode(directory / EmbeddedPostgres.name / SOCKET)) <= LONGEST_SOCKET_PATH


@contextmanager
def _only_stack(home: Path) -> Iterator[int]:
    """Hold the home's lock. Its file contains this process's pid and, once the servers are ready, their URLs."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    lock = os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not wait_until(lambda: locks(lock), LOCK_PATIENCE):
            holder, *_ = _lock_lines(lock)
            raise HomeInUseError(
                f"Memory Patrol already runs over {home} (process {holder or 'unknown'}). "
                "Stop that one first, or set PATROL_HOME to another directory."
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        yield lock
    finally:
        os.close(lock)


def _lock_lines(lock: int) -> list[str]:
    return os.pread(lock, 4096, 0).decode().split("\n")
