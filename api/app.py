"""The HTTP API as an ASGI application; `patrol api` serves it with uvicorn and `api.http.connections.Connection`."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from redis.backoff import NoBackoff
from redis.retry import Retry
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from api.accounts import portability
from api.asking import stream
from api.http import openapi
from api.http.access.auth import Authentication
from api.http.connections import STATE, Connections
from api.http.declared import routes
from api.http.load.bulk_queue import BulkQueue
from api.http.load.fair_use import FairUse, UserLoads
from api.http.problems import handle
from api.http.request_log import ID, RequestLog, RequestTraces
from api.http.request_metrics import COUNTS, RequestMetrics
from api.http.request_target import MendedTarget
from api.http.waiting import Waiting
from api.intake import notes as note_intake
from api.mcp.http import McpOverHttp
from api.operations import health, metrics, pages
from api.page import files, session
from api.proxy.completions import ANSWER_HEADERS, Completions
from api.proxy.models import Models
from api.proxy.passing import CountTokens, PassThrough
from api.proxy.proxy import Proxy
from api.talk import messages as message_intake
from api.vault import exchange
from memory.proxy.wires.anthropic_messages import MESSAGES
from memory.proxy.wires.chat_completions import CHAT
from memory.proxy.wires.responses import RESPONSES
from operations.accounts import beings, users, webhooks
from operations.context import contexts, persona, profiles, souls, user_model, working_memory
from operations.facts import due, entities, facts, spoken_requests, todos
from operations.intake import foreign_exports, keyed_knowledge, notes
from operations.ledger import work
from operations.llm import cost, keys
from operations.nodes import erasure, nodes, recall
from operations.patrol import diary, patrols
from operations.search import asking, search
from operations.talk import judgements, messages, mutes, rooms, sessions
from operations.vault import records, vault
from schemas.settings import Settings
from schemas.settings.section import parts_of
from workers.runtime.addresses import addresses
from workers.runtime.app import app as celery
from workers.runtime.dispatch import BackgroundSender
from workers.runtime.logs import configure_logs
from workers.runtime.redis_client import open_redis
from workers.runtime.resources import resources

# The declared operations that no conversation waits for, and their section in the documents.
DECLARED = (
    (messages, "Messages"),
    (foreign_exports, "Messages"),
    (notes, "Notes"),
    (keyed_knowledge, "Knowledge"),
    (users, "Users"),
    (beings, "Beings"),
    (sessions, "Conversations"),
    (rooms, "Rooms"),
    (patrols, "Patrols"),
    (nodes, "Memories"),
    (erasure, "Memories"),
    (diary, "Diary"),
    (facts, "Facts"),
    (entities, "Facts"),
    (spoken_requests, "Facts"),
    (mutes, "Facts"),
    (todos, "Todos"),
    (due, "Todos"),
    (judgements, "Facts"),
    (vault, "Vault"),
    (records, "Vault"),
    (souls, "Persona"),
    (persona, "Persona"),
    (user_model, "Persona"),
    (work, "Work"),
    (keys, "Keys"),
    (webhooks, "Webhook"),
    (cost, "Cost"),
)
# The proxy's paths under each base URL.
OPENAI_PATHS = {"v1/chat/completions": "POST", "v1/responses": "POST", "v1/models": "GET"}
ANTHROPIC_PATHS = {"v1/messages": "POST", "v1/messages/count_tokens": "POST", "v1/models": "GET"}
SWITCH_SECONDS = 0.0005
# Requests of one user wait in threads for that user's share of the connections. With threads for four users' concurrent
# requests, four users that wait block no other request.
THREADS_PER_USER = 4

# Of each process's application. They are made with the first import: that takes longer than all else of a start.
ROUTES = [
    route
    for group in (
        routes(recall, "Recall"),
        routes(contexts, "Context"),
        routes(profiles, "Context"),
        routes(working_memory, "Context"),
        message_intake.router,
        message_intake.rooms_router,
        note_intake.router,
        routes(search, "Search"),
        routes(asking, "Search"),
        stream.router,
        exchange.router,
        *(routes(operations, tag) for operations, tag in DECLARED),
        portability.router,
        metrics.router,
        health.router,
        pages.router,
        session.router,
    )
    for route in group.routes
]


def server_app() -> FastAPI:
    """Create the application of one of a server's processes, with the settings of the environment."""
    return create_app(Settings(), bulk_turns=Path(os.environ[COUNTS]) / "bulk-turns")


def create_app(settings: Settings, bulk_turns: Path | None = None) -> FastAPI:
    """Create the application, which opens its resources at its start and closes them at its end.

    Args:
        bulk_turns: The file by which the server's processes take turns at bulk; None: there is one process.
    """

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        configure_logs(settings)
        redis_url = addresses(settings).redis_url
        with (
            BackgroundSender(celery) as sender,
            resources(
                settings,
                sender.send,
                statement_seconds=settings.statement_timeout,
                user_connections=settings.user_connections,
                bulk_turns=bulk_turns,
                notes_live_requests=True,
            ) as app.state.resources,
            open_redis(
                redis_url, socket_timeout=2.0, socket_connect_timeout=2.0, retry=Retry(NoBackoff(), 0)
            ) as app.state.redis,
        ):
            app.state.loads = UserLoads(settings.user_requests, settings.user_database_time)
            current_default_thread_limiter().total_tokens = THREADS_PER_USER * settings.user_requests
            # The other half is left for requests that do not wait.
            app.state.waiting = Waiting(settings.user_requests // 2)
            app.state.messages_together = message_intake.messages_together(app.state.resources)
            app.state.bulk = BulkQueue(app.state.resources.store.bulk, settings.bulk_wait)
            # Each change of threads would wait for the default of 5 ms while a batch is parsed.
            sys.setswitchinterval(SWITCH_SECONDS)
            app.state.proxy = Proxy(app.state.resources, app.state.loads, request_metrics)
            try:
                async with tools.run():
                    yield {STATE: Connections(settings)}
            finally:
                await app.state.proxy.close()

    request_metrics = RequestMetrics()
    tools = McpOverHttp(request_metrics.count_tool)
    app = FastAPI(
        title=openapi.TITLE,
        version="1",
        summary="Long-term memory for AI companions",
        description=openapi.DESCRIPTION,
        openapi_tags=openapi.TAGS,
        lifespan=lifespan,
        # The framework's pages send no token, and load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        middleware=[
            *_proxies(settings.api_trusted_proxies),
            # Outside the middleware that answers errors: a page reads error answers only with these headers.
            *_cors(settings.api_origins),
            Middleware(RequestLog, request_metrics),
            *([Middleware(RequestTraces)] if settings.traces != "off" else []),
            Middleware(MendedTarget),
            Middleware(Authentication),
            Middleware(FairUse),
        ],
        exception_handlers={HTTPException: handle, RequestValidationError: handle},
        # Telemetry would record the texts of exceptions, which may hold content.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    # A path is compared with each route in turn: those of a conversation come first.
    app.router.routes += [
        Route("/openai/v1/chat/completions", Completions(CHAT), methods=["POST"]),
        Route("/openai/v1/responses", Completions(RESPONSES), methods=["POST"]),
        Route("/anthropic/v1/messages", Completions(MESSAGES), methods=["POST"]),
        Route("/anthropic/v1/messages/count_tokens", CountTokens(), methods=["POST"]),
        Route("/openai/v1/models", Models("chat"), methods=["GET"]),
        Route("/openai/v1/models/{model:path}", Models("chat"), methods=["GET"]),
        Route("/anthropic/v1/models", Models("messages"), methods=["GET"]),
        Route("/anthropic/v1/models/{model:path}", Models("messages"), methods=["GET"]),
        Route("/openai/{path:path}", PassThrough("chat", OPENAI_PATHS)),
        Route("/anthropic/{path:path}", PassThrough("messages", ANTHROPIC_PATHS)),
    ]
    app.router.routes += [
        # The framework would make included ones once more, and look for them twice with each request.
        *ROUTES,
        *files.ROUTES,
        # A client that would listen beside its calls is refused: no state is kept, so it would never hear anything.
        Route("/mcp", tools, methods=["POST"]),
    ]
    app.state.request_metrics = request_metrics
    app.openapi = partial(openapi.document, app)  # type: ignore[method-assign]  # as the framework documents it
    return app


def _proxies(trusted: str) -> list[Middleware]:
    """Read client addresses from `X-Forwarded-For` of these proxies; without any, the header is ignored."""
    proxies = parts_of(trusted)
    return [Middleware(ProxyHeadersMiddleware, trusted_hosts=proxies)] if proxies else []


def _cors(origins: str) -> list[Middleware]:
    """Allow browser pages of these origins to call the API; without any, no page may."""
    allowed = parts_of(origins)
    if not allowed:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=allowed,
            allow_methods=["*"],
            # SDKs send headers of their own, and an origin's permissions are decided by its token.
            allow_headers=["*"],
            expose_headers=[ID, *ANSWER_HEADERS],
        )
    ]
