"""Finds a port for a process that is about to listen."""

import random
import socket

# Below the range of ephemeral ports, so that no other process is assigned it before the process listens.
PORTS = range(15_000, 30_000)


def free_port() -> int:
    """Return a free port."""
    for port in random.SystemRandom().sample(PORTS, 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("each of a hundred ports is in use")
