"""The processes of the system, as command lines, and as what `patrol up` and `patrol demo` keep running."""

import os
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from cli.failures import Failure
from schemas.settings import CHECKOUT, Settings
from schemas.work import QUEUES
from workers.addresses import addresses
from workers.embedded import Addresses, embedded_servers
from workers.supervisor import Process, Restartable

# Parallelism here is that of processes; threads of libraries below them would only be in each other's way.
ONE_THREAD = dict.fromkeys(
    ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"), "1"
)
PING_PATIENCE = 0.25
HEALTH_PATIENCE = 2.0
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  # an address to listen on is none to connect to


def environment() -> dict[str, str]:
    """What our processes need in their environment beside what we have in ours."""
    path = os.pathsep.join(filter(None, (str(CHECKOUT), os.environ.get("PYTHONPATH"))))
    return {**ONE_THREAD, "PYTHONPATH": path}


def default_concurrency() -> int:
    """As many tasks at once as there are processors, and at least two: one may wait for a model."""
    return max(2, os.cpu_count() or 2)


def node(name: str) -> str:
    """The name under which Celery knows a worker or a beat of this machine."""
    return f"{name}@{socket.gethostname()}"


def worker_command(name: str, queues: Sequence[str], concurrency: int) -> list[str]:
    """A Celery worker's command line. Workers know nothing of each other, so they need not greet."""
    return [
        *(sys.executable, "-m", "celery", "--app", "workers.app", "worker"),
        *("--pool", "prefork", "--concurrency", str(concurrency), "--queues", ",".join(queues)),
        *("--hostname", node(name), "--without-gossip", "--without-mingle"),
    ]


def beat_command(home: Path) -> list[str]:
    """Celery beat's command line."""
    return [
        *(sys.executable, "-m", "celery", "--app", "workers.app", "beat"),
        *("--schedule", str(home / "beat-schedule"), "--enable-remote-control", "--hostname", node("beat")),
    ]


def api_command(host: str, port: int) -> list[str]:
    """The HTTP server's command line."""
    return [
        *(sys.executable, "-m", "uvicorn", "--factory", "api.app:create_app", "--host", host, "--port", str(port)),
        *("--no-access-log", "--timeout-graceful-shutdown", "10"),
    ]


def stream_command() -> list[str]:
    """The stream reader's command line."""
    return [sys.executable, "-m", "cli", "stream"]


def flower_command(host: str, port: int) -> list[str]:
    """Flower's command line: it looks, and changes nothing."""
    return [
        *(sys.executable, "-m", "celery", "--app", "workers.app", "flower", f"--address={host}", f"--port={port}"),
        *("--read_only=True", "--tasks_columns=name,args,state,received,started,runtime,worker"),
    ]


def worker(concurrency: int, announce: Callable[[str], None]) -> Process:
    """One worker for all queues."""
    command = worker_command("worker", QUEUES, concurrency)
    return Process("worker", command, environment(), _announced("worker", lambda: _pongs("worker"), announce))


def beat(home: Path, announce: Callable[[str], None]) -> Process:
    """The one beat that is needed."""
    return Process("beat", beat_command(home), environment(), _announced("beat", lambda: _pongs("beat"), announce))


def api(host: str, port: int, announce: Callable[[str], None]) -> Process:
    """The HTTP API."""
    ready = _announced("api", lambda: _is_healthy(EVERYWHERE.get(host, host), port), announce)
    return Process("api", api_command(host, port), environment(), ready)


def stream(redis_url: str, announce: Callable[[str], None]) -> Process:
    """One reader of the Redis streams."""
    return Process("stream", stream_command(), environment(), _announced("stream", lambda: _reads(redis_url), announce))


@contextmanager
def servers(settings: Settings) -> Iterator[tuple[Addresses, list[Restartable]]]:
    """The servers that are set, else embedded ones that run while the block does, and are to be watched.

    Raises:
        NothingRunsError: Only one of the two is set.
        StackError: The embedded ones can't run.
    """
    if settings.database_url or settings.redis_url:
        yield addresses(settings), []
    else:
        with embedded_servers(settings.home) as embedded:
            yield embedded, [embedded.redis, embedded.postgres]


def free(name: str, host: str, port: int) -> tuple[str, int]:
    """An address on which nobody listens; for port 0 any such port.

    Args:
        name: What wants to listen there.
        host: On which address.
        port: On which port.

    Raises:
        Failure: Somebody listens there, or it is no address of this machine.
    """
    try:
        ((family, kind, protocol, _, address), *_) = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            return host, probe.getsockname()[1]
    except OSError as refused:
        raise Failure(
            f"{name} can't listen on {host}, port {port} ({refused.strerror})."
            " Stop what listens there, or choose another with --host and --port."
        ) from None


def _announced(name: str, ready: Callable[[], bool], announce: Callable[[str], None]) -> Callable[[], bool]:
    """Say once that a process is ready, as soon as it is."""
    announced = False

    def check() -> bool:
        nonlocal announced
        if not announced and ready():
            announced = True
            announce(name)
        return announced

    return check


def _pongs(name: str) -> bool:
    from workers.app import app  # noqa: PLC0415  # it reads where the broker is, which runs only now

    return bool(app.control.inspect([node(name)], timeout=PING_PATIENCE, limit=1).ping())


def _reads(redis_url: str) -> bool:
    from redis import Redis  # noqa: PLC0415  # most commands do without

    from api.streams import readers  # noqa: PLC0415  # likewise

    with Redis.from_url(redis_url) as redis:
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
