"""Requests other than chats, passed on unchanged: the count of a prompt's tokens, and paths that the operator allows.

Nothing of them is stored or accounted. So the platform's key pays for them only where it has no budget, and
none reaches data stored at the upstream under a key that others use as well, such as files and stored answers.
"""

import re
from collections.abc import Mapping
from functools import partial
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from api.http.json_values import text_of
from api.http.problems import Rejection
from api.proxy.errors import answer_in_form, error_answer
from api.proxy.gateway import ADMISSION_SECONDS, Identity
from api.proxy.proxy import Proxy
from api.proxy.relay import relay, while_connected
from memory.proxy.admission import NoPayer, ProxyPayer, RequestedNames, is_budgeted, payer_of, read_model, upstreams_of
from memory.proxy.wires.anthropic_messages import LIMITS, MESSAGES
from memory.proxy.wires.json_body import JsonBody, read_body
from memory.text.errors import InvalidRequest
from providers.chat.upstream import UpstreamFailed
from schemas.ledger.allowance import Allowance, allow
from schemas.limits import DOCUMENT_VALUES
from schemas.proxy.upstreams import WireName

# A path at a provider: names, ids and numbers, so that it stays below the base URL.
_PATH = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9_.:-]*(?:/[A-Za-z0-9_-][A-Za-z0-9_.:-]*){0,7}")
# Paths that read nothing stored at the upstream, and store nothing there.
_KEEPS_NOTHING = re.compile(
    r"(?:embeddings|completions|moderations|rerank|score|tokenize|detokenize|pooling|classify)|(?:audio|images)/[a-z]+"
)
# The end of a base URL.
VERSION = "v1/"
_PASSED_ON = ("accept", "content-type", "openai-beta", "anthropic-version", "anthropic-beta")
_METHODS = frozenset({"GET", "POST", "DELETE"})


class CountTokens:
    """`POST /anthropic/v1/messages/count_tokens` as an ASGI application: how long the client's own prompt is."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Ask the upstream; a count costs nothing."""
        await _answer(scope, receive, send, MESSAGES.name, "messages/count_tokens", is_free=True)


class PassThrough:
    """An ASGI application for paths under a base URL that have no route of their own.

    Args:
        wire: The wire of its errors.
        served: The paths that are routes of their own, with their methods.
    """

    def __init__(self, wire: WireName, served: Mapping[str, str]) -> None:
        self._wire = wire
        self._served = served

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, if the operator allows its path; else answer with the paths that the proxy serves."""
        proxy: Proxy = scope["app"].state.proxy
        path = str(scope["path_params"]["path"])
        if (method := self._served.get(path)) is not None:
            detail = f"This address takes {method} alone."
            rejection = Rejection(HTTPStatus.METHOD_NOT_ALLOWED, "bad-request", detail, headers={"Allow": method})
            await error_answer(rejection, self._wire)(scope, receive, send)
        elif scope["method"] in _METHODS and _is_allowed(path, proxy.on.settings.proxy_pass_paths):
            await _answer(scope, receive, send, self._wire, path.removeprefix(VERSION), is_free=False)
        else:
            served = ", ".join(f"{method} /{each}" for each, method in self._served.items())
            detail = (
                f"The proxy serves {served} here. Another path is passed on to the upstream where the operator names it"
                " in PATROL_PROXY_PASS_PATHS; else set your client to its provider's base URL for it."
            )
            await error_answer(Rejection(HTTPStatus.NOT_FOUND, "not-found", detail), self._wire)(scope, receive, send)


def _is_allowed(path: str, allowed: tuple[str, ...]) -> bool:
    """Whether a path is one of these, or begins with one that ends with `*`."""
    target = path.removeprefix(VERSION)
    return (
        target != path
        and _PATH.fullmatch(target) is not None
        and any(target.startswith(each.removesuffix("*")) if each.endswith("*") else target == each for each in allowed)
    )


async def _answer(scope: Scope, receive: Receive, send: Send, wire: WireName, path: str, *, is_free: bool) -> None:
    handle = partial(_pass_on, scope, receive, wire, path, is_free)
    await answer_in_form(wire, scope, receive, send, handle)


async def _pass_on(scope: Scope, receive: Receive, wire: WireName, path: str, is_free: bool, send: Send) -> None:
    proxy: Proxy = scope["app"].state.proxy
    headers = Headers(scope=scope)
    identity = await proxy.gateway.identify(headers, (scope.get("client") or ("",))[0])
    with proxy.open_request(identity.caller.user_id):
        proxy.check_time(identity.caller.user_id)
        allow(Allowance(identity.caller.user_id, connection_seconds=ADMISSION_SECONDS))
        async with proxy.bodies.read(receive, headers, identity.caller.user_id) as content:
            body = content.pop()
            requested, body = _requested(proxy, wire, headers, body)
            payer = await _payer(proxy, identity, scope["method"], path, requested, is_free=is_free)
        await _relayed(proxy, scope, receive, send, wire, requested, payer, path, body)


def _requested(proxy: Proxy, wire: WireName, headers: Headers, body: bytes) -> tuple[RequestedNames, bytes]:
    """The upstream that a body's model names, and the body with the upstream's name of it; else the default."""
    settings = proxy.on.settings
    wires: tuple[WireName, ...] = ("messages",) if wire == "messages" else ("chat", "responses")
    name, upstream = next(iter(upstreams_of(settings, *wires).items()))
    default = RequestedNames(name, upstream, "", None)
    if "json" not in headers.get("content-type", ""):
        return default, body
    try:
        read: JsonBody = read_body(text_of(body, 10 * DOCUMENT_VALUES), LIMITS.check_name)
    except (InvalidRequest, ValueError, RecursionError):
        # The upstream reports the faults of its request.
        return default, body
    speaks = next((each for each in wires if each in upstream.wires), wires[0])
    requested = read_model(settings, speaks, read.model, headers.get("x-memory-being"))
    return requested, read.written(read.with_fields({"model": requested.model}))


async def _payer(
    proxy: Proxy, identity: Identity, method: str, path: str, requested: RequestedNames, *, is_free: bool
) -> ProxyPayer:
    """The payer of a request that nothing accounts.

    Raises:
        NoPayer: No key may.
    """
    on, user_id = proxy.on, identity.caller.user_id
    payer = await proxy.threads.start(user_id, partial(payer_of, on.store, on.settings, user_id, requested))
    if payer.paid_with == "user" or is_free:
        return payer
    if is_budgeted(on.settings, requested, payer):
        raise NoPayer("The platform's key has a budget, and this request could not be accounted: store your own key.")
    if method != "POST" or not _KEEPS_NOTHING.fullmatch(path):
        raise NoPayer("What the upstream keeps under a key that others use is not yours alone: store your own key.")
    return payer


async def _relayed(
    proxy: Proxy,
    scope: Scope,
    receive: Receive,
    send: Send,
    wire: WireName,
    requested: RequestedNames,
    payer: ProxyPayer,
    path: str,
    body: bytes,
) -> None:
    headers = Headers(scope=scope)
    passed = {name: headers[name] for name in _PASSED_ON if name in headers}
    query = scope["query_string"].decode("latin-1")
    target = f"/{path}?{query}" if query else f"/{path}"
    asking = proxy.client.send(wire, requested.upstream, payer.key, scope["method"], target, body, passed)
    upstream = await while_connected(receive, asking.__aenter__())
    try:
        added = [(b"x-memory-upstream", requested.upstream_name.encode())]
        end = await while_connected(receive, relay(upstream, added, None, send))
        await send({"type": "http.response.body", "body": end, "more_body": False})
    except UpstreamFailed:
        # The answer has begun, and breaks off here too.
        return
    finally:
        await asking.__aexit__(None, None, None)
