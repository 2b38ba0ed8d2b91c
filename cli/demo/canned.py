"""A provider for demo and benchmarks: the tests' fake one in a process of its own, which thinks by simple rules."""

import socket
import sys
from contextlib import closing

from cli.stack import PING_PATIENCE, environment
from workers.supervisor import Process

HOST = "127.0.0.1"


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with closing(socket.socket()) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def settings(port: int) -> dict[str, str]:
    """The settings, as environment, of those who are to ask it."""
    return {
        "PATROL_THINKER": "anthropic",
        "ANTHROPIC_API_KEY": "canned",
        "ANTHROPIC_BASE_URL": f"http://{HOST}:{port}",
    }


def process(port: int) -> Process:
    """The provider, listening on this port."""
    argv = [sys.executable, "-m", "tests.fakes.provider", "--port", str(port)]
    return Process("canned-thinker", argv, environment(), lambda: _listens(port))


def _listens(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), PING_PATIENCE):
            return True
    except OSError:
        return False
