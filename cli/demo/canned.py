"""Runs the samples' canned provider in its own process, for the demo and the benchmarks."""

import socket
import sys
from contextlib import closing

from cli.operations.environments import environment
from cli.operations.stack import PING_PATIENCE
from workers.embedded.supervisor import Process

HOST = "127.0.0.1"
KEY = "canned"


def free_port() -> int:
    """Return a free port of the loopback interface."""
    with closing(socket.socket()) as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def settings(port: int) -> dict[str, str]:
    """Return the environment variables of processes that are to use the canned provider on this port."""
    return {
        "PATROL_THINKER": "anthropic",
        "ANTHROPIC_API_KEY": KEY,
        "ANTHROPIC_BASE_URL": f"http://{HOST}:{port}",
    }


def process(port: int) -> Process:
    """Return the process of the canned provider on this port."""
    argv = [sys.executable, "-m", "samples.canned", "--port", str(port)]
    return Process("canned-thinker", argv, environment("canned"), lambda: _listens(port))


def _listens(port: int) -> bool:
    try:
        with socket.create_connection((HOST, port), PING_PATIENCE):
            return True
    except OSError:
        return False
