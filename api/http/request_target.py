"""Mends the path and the query of requests, so that Postgres can store what stands in them."""

from starlette.types import ASGIApp, Receive, Scope, Send

from schemas.text.storable import storable

_NUL = b"%00"
_REPLACEMENT = b"%EF%BF%BD"


class StorableTarget:
    """Middleware that replaces NUL in the path and in the query by U+FFFD.

    Whatever else is no character in UTF-8, halves of characters of UTF-16 included, is replaced where the path and the
    query are decoded.

    Args:
        app: The next application.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http":
            scope["path"] = storable(scope["path"])
            scope["query_string"] = scope["query_string"].replace(_NUL, _REPLACEMENT)
        await self.app(scope, receive, send)
