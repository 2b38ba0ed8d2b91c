"""A port for a process that has yet to begin to listen."""

import random
import socket

# Below what systems hand out by themselves: nobody else gets it in the seconds until the process listens.
PORTS = range(15_000, 30_000)


def free_port() -> int:
    """A port on which nobody listens."""
    for port in random.SystemRandom().sample(PORTS, 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise AssertionError("somebody listens on each of a hundred ports")
