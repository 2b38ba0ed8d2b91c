"""The HTTP API as an ASGI application: `uvicorn --factory api.app:create_app`."""

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import structlog
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from api import (
    beings,
    context,
    cost,
    diary,
    facts,
    health,
    kept_notes,
    keys,
    messages,
    metrics,
    nodes,
    notes,
    openapi,
    patrols,
    persona,
    portability,
    recall,
    sessions,
    todos,
    vault,
    vault_exchange,
    work,
)
from api.auth import Authentication
from api.journal import ID, Journal
from api.mcp import McpOverHttp
from api.metrics import Answers
from api.problems import handle
from api.resources import ring, ringer
from providers.embedders import Embedders
from providers.errors import ProviderError
from schemas.settings import Settings
from workers.addresses import addresses
from workers.logs import configure_logs
from workers.resources import resources

log = structlog.get_logger()


def create_app(settings: Settings | None = None) -> FastAPI:
    """Make the application; it opens its resources when it starts and closes them when it stops.

    Args:
        settings: The settings; from the environment if there are none.
    """
    settings = settings or Settings()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        configure_logs(settings)
        _take_over_server_logs()
        redis_url = addresses(settings).redis_url
        with (
            resources(settings) as app.state.resources,
            Redis.from_url(
                redis_url, socket_timeout=2.0, socket_connect_timeout=2.0, retry=Retry(NoBackoff(), 0)
            ) as app.state.redis,
            ringer,
        ):
            threading.Thread(target=_warm, args=[app.state.resources.embedders], name="warm", daemon=True).start()
            async with tools.run():
                yield

    answers = Answers()
    tools = McpOverHttp(ring)
    app = FastAPI(
        title=openapi.TITLE,
        version="1",
        summary="Long-term memory for AI companions",
        description=openapi.DESCRIPTION,
        openapi_tags=openapi.TAGS,
        lifespan=lifespan,
        # A page that shows the document could send no token, and would load its scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        middleware=[Middleware(Journal, answers), *_pages(settings.api_origins), Middleware(Authentication)],
        exception_handlers={HTTPException: handle, RequestValidationError: handle},
        # Telemetry would record the texts of exceptions, which may hold what people said.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    for group in (
        beings,
        portability,
        notes,
        messages,
        sessions,
        patrols,
        recall,
        nodes,
        kept_notes,
        persona,
        context,
        diary,
        facts,
        todos,
        vault_exchange,
        vault,
        work,
        keys,
        cost,
        metrics,
        health,
    ):
        app.include_router(group.router)
    app.router.routes.append(Route("/mcp", tools))
    app.state.answers = answers
    app.openapi = partial(openapi.document, app)  # type: ignore[method-assign]  # the framework's own way to extend it
    return app


def _pages(origins: str) -> list[Middleware]:
    """Let pages of these origins call the API from a browser; without any, no page may."""
    allowed = [origin.strip() for origin in origins.split(",") if origin.strip()]
    if not allowed:
        return []
    headers = ["Authorization", "Content-Type", "Idempotency-Key", ID]
    return [
        Middleware(
            CORSMiddleware, allow_origins=allowed, allow_methods=["*"], allow_headers=headers, expose_headers=[ID]
        )
    ]


def _take_over_server_logs() -> None:
    """Let uvicorn's own lines leave in our form; its access lines, with every query in them, not at all."""
    for name in ("uvicorn", "uvicorn.error"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    access = logging.getLogger("uvicorn.access")
    access.handlers.clear()
    access.propagate = False


def _warm(embedders: Embedders) -> None:
    """Load the embedder's model before somebody waits for it."""
    try:
        embedder = embedders.wanted
    except ProviderError as fault:
        log.warning("http.embedder_not_ready", fault=str(fault))
    else:
        log.info("http.embedder_ready", model=embedder.model)
