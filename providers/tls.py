"""The certificates that all clients of providers trust, read once: each client that reads them takes 20 ms for it."""

import ssl
from functools import cache


@cache
def trusted() -> ssl.SSLContext:
    """Return the process's TLS context; forked processes share it."""
    import httpx2  # noqa: PLC0415  # a process that calls no provider does without

    return httpx2.create_ssl_context()
