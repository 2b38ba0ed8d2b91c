"""Loads the embedder's model with the first request of a user: until then its weights take no memory."""

import threading

import structlog
from starlette.types import ASGIApp, Receive, Scope, Send

from providers.embedders import Embedders
from providers.errors import ProviderError

log = structlog.get_logger()

# The doors whose requests may need a vector. Probes and monitors need none.
DOORS = ("/v1/", "/openai/", "/anthropic/", "/mcp")


class EmbedderLoad:
    """Begins to load the model, in a thread, at the first request to one of the doors.

    Args:
        app: What serves the requests.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._begun = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        if not self._begun and scope["type"] == "http" and scope["path"].startswith(DOORS):
            self._begun = True
            embedders = scope["app"].state.resources.embedders
            threading.Thread(target=_load, args=[embedders], name="embedder-load", daemon=True).start()
        await self._app(scope, receive, send)


def _load(embedders: Embedders) -> None:
    try:
        embedder = embedders.wanted
    except ProviderError as fault:
        log.warning("http.embedder_not_ready", fault=str(fault))
    else:
        log.info("http.embedder_ready", model=embedder.model)
