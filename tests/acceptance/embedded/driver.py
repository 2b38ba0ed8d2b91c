"""A stack like that of `patrol up`, for tests to interrupt: both servers, and processes of different manners."""

import os
import signal
import sys
from pathlib import Path

from workers.embedded.servers import embedded_servers
from workers.embedded.supervisor import Process, Supervisor

# Says which servers were still there when it was asked to stop.
POLITE = """
import os, signal, sys
def farewell(*_):
    present = [name for name in ("REDIS", "POSTGRES") if os.path.exists(os.environ[name])]
    open("farewell", "w").write(" ".join(present))
    sys.exit()
signal.signal(signal.SIGTERM, farewell)
open("polite", "w").close()
signal.pause()
"""
STUBBORN = "trap '' TERM; touch stubborn; while :; do sleep 300; done"


def main(home: Path) -> None:
    """Run until interrupted."""
    os.chdir(home)
    with embedded_servers(home, durable=False) as servers, Supervisor(home / "logs", grace=60.0) as supervisor:
        postgres = servers.postgres.socket_directory / ".s.PGSQL.5432"
        sockets = {**os.environ, "REDIS": str(servers.redis.socket), "POSTGRES": str(postgres)}
        supervisor.start(
            [
                Process(
                    "polite",
                    [sys.executable, "-c", POLITE],
                    env={**os.environ, **sockets},
                    ready=(home / "polite").exists,
                ),
                Process("plain", ["sleep", "300"], os.environ),
                *([Process("stubborn", ["sh", "-c", STUBBORN], os.environ)] if (home / "be stubborn").exists() else []),
            ]
        )
        (home / "ready").touch()
        supervisor.wait()


if __name__ == "__main__":
    # Tests may run in the background, where SIGHUP is ignored; here it must mean what it means to a terminal.
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    main(Path(sys.argv[1]))
