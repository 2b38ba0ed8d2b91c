"""The system's processes: their command lines, and their supervision by `patrol up` and `patrol demo`."""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import chain
from pathlib import Path

from api.streams.heartbeats import readers
from cli.console.failures import Failure
from cli.operations.environments import environment
from schemas.ledger.kinds import LLM_QUEUES, QUEUES
from schemas.settings import Settings
from workers.embedded.servers import Addresses, embedded_servers
from workers.embedded.supervisor import Process, Restarted
from workers.runtime.addresses import addresses

CELERY = (sys.executable, "-m", "workers.runtime.celery.celery_command")
MOST_API_PROCESSES = 4
PING_PATIENCE = 0.25
HEALTH_PATIENCE = 2.0
# Addresses to connect to, by the wildcard address that a server listens on.
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # a key of this table, not an address that is bound


def default_concurrency() -> int:
    """Return the number of processors, and at least two, since one task may wait for a model."""
    return max(2, os.cpu_count() or 2)


def node(name: str) -> str:
    """Return Celery's node name of a worker or a beat on this machine."""
    return f"{name}@{socket.gethostname()}"


def worker_command(name: str, queues: Sequence[str], concurrency: int) -> list[str]:
    """Return a Celery worker's command line. Workers do not coordinate, so gossip and mingle are off."""
    return [*CELERY, "worker", *_worker(name, queues, concurrency)]


def _worker(name: str, queues: Sequence[str], concurrency: int) -> list[str]:
    return [
        *("--pool", "prefork", "--concurrency", str(concurrency), "--queues", ",".join(queues)),
        *("--hostname", node(name), "--without-gossip", "--without-mingle"),
    ]


def beat_command(home: Path) -> list[str]:
    """Return Celery beat's command line."""
    return [
        *(*CELERY, "beat"),
        *("--schedule", str(home / "beat-schedule"), "--enable-remote-control", "--hostname", node("beat")),
    ]


def api_processes(settings: Settings) -> int:
    """Return how many processes serve the API: PATROL_API_PROCESSES, else one for each processor, up to four."""
    return settings.api_processes or min(MOST_API_PROCESSES, os.cpu_count() or 1)


def api_command(host: str, port: int, processes: int) -> list[str]:
    """Return the HTTP server's command line."""
    return [
        *(
            sys.executable,
            "-m",
            "api.server",
            "--factory",
            "api.server:application",
            "--host",
            host,
            "--port",
            str(port),
        ),
        *("--no-access-log", "--timeout-graceful-shutdown", "10"),
        # Timeouts and the limit of connections; api/app.py reads X-Forwarded-For, from trusted proxies alone.
        *("--http", "api.http.connections:Connection", "--ws", "none", "--no-proxy-headers"),
        # A process that parses a large body may answer its parent's health check late.
        *("--workers", str(processes), "--timeout-worker-healthcheck", "30"),
    ]


def stream_command() -> list[str]:
    """Return the stream reader's command line."""
    return [sys.executable, "-m", "cli", "stream"]


def flower_command(host: str, port: int) -> list[str]:
    """Return Flower's command line, in read-only mode."""
    return [
        *(
            sys.executable,
            "-m",
            "celery",
            "--app",
            "workers.runtime.app",
            "flower",
            f"--address={host}",
            f"--port={port}",
        ),
        *("--read_only=True", "--tasks_columns=name,args,state,received,started,runtime,worker"),
    ]


def worker(
    concurrency: int, announce: Callable[[str], None], name: str = "worker", queues: Sequence[str] = QUEUES
) -> Process:
    """One worker process with its pool; by default it serves all queues.

    Args:
        concurrency: How many tasks it runs at once.
        announce: Called with its name once it answers.
        name: Its name among the processes and for Celery.
        queues: The queues that it serves.
    """
    ready = _announced(name, lambda: _pongs(name), announce)
    return Process(name, worker_command(name, queues, concurrency), environment("worker"), ready)


def workers(concurrency: int, announce: Callable[[str], None]) -> Process:
    """Two workers: one for the queues whose tasks wait for models, one for all other queues.

    In one pool, as many slow model calls as the pool has processes would delay every live note. The one that waits for
    models does one task more at once than `concurrency`, since none of its tasks keeps a processor busy.
    """
    others = [queue for queue in QUEUES if queue not in LLM_QUEUES]
    served = [("worker", others, concurrency), ("worker-llm", LLM_QUEUES, concurrency + 1)]
    ready = [_announced(name, partial(_pongs, name), announce) for name, *_ in served]
    commands = [[*_worker(*each), "--"] for each in served]
    argv = [sys.executable, "-m", "workers.runtime.celery.worker_group", *chain.from_iterable(commands)]
    return Process("workers", argv, environment("worker"), lambda: all(check() for check in ready))


def beat(home: Path, announce: Callable[[str], None]) -> Process:
    """Return the process of Celery beat."""
    ready = _announced("beat", lambda: _pongs("beat"), announce)
    return Process("beat", beat_command(home), environment("beat"), ready)


def api(host: str, port: int, processes: int, announce: Callable[[str], None]) -> Process:
    """Return the process of the HTTP API."""
    ready = _announced("api", lambda: _is_healthy(EVERYWHERE.get(host, host), port), announce)
    return Process("api", api_command(host, port, processes), environment("api"), ready)


def stream(redis_url: str, announce: Callable[[str], None]) -> Process:
    """Return the process of one reader of the Redis streams."""
    ready = _announced("stream", lambda: _reads(redis_url), announce)
    return Process("stream", stream_command(), environment("stream"), ready)


@contextmanager
def servers(settings: Settings) -> Iterator[tuple[Addresses, list[Restarted]]]:
    """Use the configured servers, else run embedded ones for the duration of the block.

    Yields:
        The URLs, and the embedded servers for the supervisor to watch.

    Raises:
        NothingRunsError: Only one of DATABASE_URL and REDIS_URL is set.
        StackError: The embedded servers can't run.
    """
    if settings.database_url or settings.redis_url:
        yield addresses(settings), []
    else:
        if settings.redis_port:
            free("Redis", "127.0.0.1", settings.redis_port)
        with embedded_servers(settings.home, redis_port=settings.redis_port) as embedded:
            yield embedded, [embedded.redis, embedded.postgres]


def free(name: str, host: str, port: int) -> tuple[str, int]:
    """Return an address and port that are free; for port 0, a free port.

    Args:
        name: The service that is to listen there, for the message.
        host: The address.

    Raises:
        Failure: The port is taken, or the address is not this machine's.
    """
    try:
        ((family, kind, protocol, _, address), *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return host, probe.getsockname()[1]
    except (OSError, UnicodeError) as refused:
        # A name that is no host's at all fails as text.
        reason = refused.strerror if isinstance(refused, OSError) else "it is no host's name"
        raise Failure(
            f"{name} can't listen on {host}, port {port} ({reason})."
            " Stop the program that listens there, or choose another address with --host and --port."
        ) from None


def address(host: str, port: int) -> str:
    """Return the URL of the API that listens on a host and port, as a browser on this machine reaches it."""
    reachable = EVERYWHERE.get(host, host)
    return f"http://[{reachable}]:{port}" if ":" in reachable else f"http://{reachable}:{port}"


def _announced(name: str, ready: Callable[[], bool], announce: Callable[[str], None]) -> Callable[[], bool]:
    """Print once that a process is ready, as soon as it is."""
    announced = False

    def check() -> bool:
        nonlocal announced
        if not announced and ready():
            announced = True
            announce(name)
        return announced

    return check


def _pongs(name: str) -> bool:
    from workers.runtime.celery.celery_client import app  # noqa: PLC0415  # it reads where the broker is, which runs only now

    return bool(app.control.inspect([node(name)], timeout=PING_PATIENCE, limit=1).ping())


def _reads(redis_url: str) -> bool:
    from workers.runtime.redis_client import open_redis  # noqa: PLC0415  # most commands do without Redis

    with open_redis(redis_url) as redis:
        return bool(readers(redis))


def _is_healthy(host: str, port: int) -> bool:
    connection = HTTPConnection(host, port, timeout=HEALTH_PATIENCE)
    try:
        connection.request("GET", "/health/live")
        return connection.getresponse().status == 200  # noqa: PLR2004  # the status that means well
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()
