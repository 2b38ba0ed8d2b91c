"""The MCP tools over streamable HTTP. The MCP package, a quarter of the API's imports, is loaded when first needed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import Context as Variables
from http import HTTPStatus
from importlib import import_module
from typing import TYPE_CHECKING, Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.types import Message, Receive, Scope, Send

from api.http.bodies import limited
from api.http.json_values import LONGEST_ITEM_AS_SENT, read_json
from memory.accounts.access import Caller, Forbidden, Operator
from schemas.limits import DOCUMENT_VALUES
from schemas.text.storable import storable
from workers.runtime.resources import Resources

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from api.mcp.calls import Count

_NO_MESSAGE = {
    "jsonrpc": "2.0",
    "id": None,
    "error": {
        "code": -32600,
        "message": "Send one message of JSON-RPC 2.0 in each request, and no batch. The id of what is to be answered is"
        " a text or a whole number.",
    },
}


class McpOverHttp:
    """The tools over streamable HTTP, authenticated by bearer token; no state is kept between requests.

    Args:
        count: Counts a call by its tool and its outcome.
    """

    def __init__(self, count: "Count") -> None:
        self._count = count
        self._loading = asyncio.Lock()
        self._ended = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Answer requests while the block runs."""
        try:
            yield
        finally:
            self._ended.set()
            if self._running:
                await self._running

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that is already authenticated.

        Raises:
            Rejection: Its body is too long, arrives too slowly, or holds too many values.
        """
        body = await self._body(scope, receive)
        if body is None:
            await JSONResponse(_NO_MESSAGE, HTTPStatus.BAD_REQUEST)(scope, receive, send)
            return
        async with self._loading:
            sessions = self._sessions or await self._load()
        await sessions.handle_request(scope, _once(body, receive), send)

    async def _load(self) -> "StreamableHTTPSessionManager":
        """Load the package, and run its session manager in a task of its own, which ends with the block of `run`."""
        tools = (await run_in_threadpool(import_module, "api.mcp.mcp_server")).Mcp(_caller_of, self._count)
        # The host check defends against DNS rebinding; a page of another origin has no bearer token.
        tools.server.streamable_http_app(stateless_http=True, json_response=True, host="0.0.0.0")  # noqa: S104  # see above
        sessions: StreamableHTTPSessionManager = tools.server.session_manager
        started = asyncio.Event()

        async def serve() -> None:
            async with sessions.run():
                started.set()
                await self._ended.wait()

        # It outlives the request that starts it, so it inherits none of the request's context variables.
        self._running = asyncio.create_task(serve(), name="mcp", context=Variables())
        await started.wait()
        self._sessions = sessions
        return sessions

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The request's body, checked here because the MCP server would parse it without limits; None: no message.

        The MCP server answers a body that is no JSON-RPC message with the body itself, and takes a request for a
        notification, which it accepts and leaves undone, if its id is null or has a fraction.
        """
        on: Resources = scope["app"].state.resources
        receive = limited(receive, Headers(scope=scope), LONGEST_ITEM_AS_SENT, on.settings)
        body = await Request(scope, receive).body()
        read = await run_in_threadpool(read_json, body, DOCUMENT_VALUES)
        if not isinstance(read, dict) or read.get("jsonrpc") != "2.0":
            return None
        if "method" in read and not str(read["method"]).startswith("notifications/"):
            # Languages with one type of numbers write 1.0.
            whole = int(id_) if isinstance(id_ := read.get("id"), float) and id_.is_integer() else id_
            if isinstance(whole, bool) or not isinstance(whole, int | str):
                return None
            read["id"] = whole
        # The MCP server's parser refuses halves of characters.
        return json.dumps(storable(read)).encode()


def _once(body: bytes, receive: Receive) -> Receive:
    """Replay a body that was read already, then continue with the original stream."""
    unread = True

    async def receive_all() -> Message:
        nonlocal unread
        if unread:
            unread = False
            return {"type": "http.request", "body": body, "more_body": False}
        return await receive()

    return receive_all


def _caller_of(context: "ServerRequestContext[Any, Any]") -> tuple[Resources, Caller]:
    request: Any = context.request
    caller: Caller | Operator = request.state.caller
    if isinstance(caller, Operator):
        raise Forbidden("This is an operator's token, which gives access to no memory: use a user's token.")
    on: Resources = request.app.state.resources
    return on, caller
