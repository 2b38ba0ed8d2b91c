"""Mends the path and the query of requests: characters that Postgres can't store, and slashes of joined base URLs."""

import re

from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.text.storable import storable

_NUL = b"%00"
_REPLACEMENT = b"%EF%BF%BD"
# Clients join a base URL of these doors with a path of their own.
_JOINED = ("/openai/", "/anthropic/", "/mcp")


class MendedTarget:
    """Middleware that replaces NUL in the path and in the query by U+FFFD, and removes needless slashes.

    Clients that join their own path to a base URL produce doubled slashes, and one at the end.

    Bytes that are not valid UTF-8, halves of UTF-16 characters included, are replaced where the path and the query are
    decoded.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http":
            scope["path"] = _without_needless_slashes(storable(scope["path"]))
            scope["query_string"] = scope["query_string"].replace(_NUL, _REPLACEMENT)
        await self.app(scope, receive, send)


def _without_needless_slashes(path: str) -> str:
    shorter = re.sub("/{2,}", "/", path)
    return shorter.rstrip("/") if shorter.startswith(_JOINED) else path
