"""Lists the models of all upstreams of a wire by the names that the proxy accepts, or shows one."""

import asyncio
import json
from collections.abc import Container
from http import HTTPStatus
from typing import Any

from fastapi.responses import JSONResponse
from starlette.datastructures import Headers
from starlette.types import Receive, Scope, Send

from api.http.problems import Rejection
from api.proxy.errors import error_answer
from api.proxy.gateway import ADMISSION_SECONDS, Identity
from api.proxy.proxy import Proxy
from memory.proxy.admission import RequestedNames, beings_of, payer_of, upstreams_of
from providers.chat.upstream import UpstreamFailed
from schemas.ledger.allowance import Allowance, allow
from schemas.proxy.upstreams import Upstream, WireName

TIMEOUT_SECONDS = 10.0
# With more, a frontend's menu is longer than a person reads; further Beings are named by suffix all the same.
MOST_BEINGS = 20
MOST_SHOWN = 100


class Models:
    """The routes of a base URL as an ASGI application.

    Args:
        wire: The wire in whose form it answers.
    """

    def __init__(self, wire: WireName) -> None:
        self._wire = wire

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """List models, or show one, as the wire's provider does; errors are in its form too."""
        proxy: Proxy = scope["app"].state.proxy
        try:
            headers = Headers(scope=scope)
            identity = await proxy.gateway.identify(headers, (scope.get("client") or ("",))[0])
            with proxy.open_request(identity.caller.user_id):
                proxy.check_time(identity.caller.user_id)
                listed = await _listed(proxy, self._wire, identity)
            shown = scope["path_params"].get("model")
            answer = JSONResponse(_list(self._wire, listed) if shown is None else _named(listed, shown))
        except Exception as fault:  # noqa: BLE001  # answered in the wire's form, without details
            answer = error_answer(fault, self._wire)
        await answer(scope, receive, send)


def _list(wire: WireName, listed: list[dict[str, Any]]) -> dict[str, Any]:
    if wire != "messages":
        return {"object": "list", "data": listed}
    ends = {"first_id": listed[0]["id"], "last_id": listed[-1]["id"]} if listed else {"first_id": None, "last_id": None}
    return {"data": listed, "has_more": False, **ends}


def _named(listed: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """The listed model of a name.

    Raises:
        Rejection: None has it.
    """
    for model in listed:
        if model["id"] == name:
            return model
    detail = f"There is no model {name[:MOST_SHOWN]!r}: the list of models has the names of all."
    raise Rejection(HTTPStatus.NOT_FOUND, "not-found", detail)


async def _listed(proxy: Proxy, wire: WireName, identity: Identity) -> list[dict[str, Any]]:
    """The models of all upstreams that answer, then each for each of several Beings."""
    wires: tuple[WireName, ...] = ("messages",) if wire == "messages" else ("chat", "responses")
    upstreams = upstreams_of(proxy.on.settings, *wires)
    allow(Allowance(identity.caller.user_id, connection_seconds=ADMISSION_SECONDS))
    requests = [_models_at(proxy, wire, identity, name, upstream) for name, upstream in upstreams.items()]
    found = await asyncio.gather(*requests, return_exceptions=True)
    if not any(isinstance(one, list) for one in found):
        raise next(one for one in found if isinstance(one, BaseException))
    default = next(iter(upstreams))
    named = [
        {**model, "id": _id(model["id"], name, default, upstreams)}
        for name, models in zip(upstreams, found, strict=True)
        if isinstance(models, list)
        for model in models
    ]
    user_id = identity.caller.user_id
    slugs = await proxy.threads.start(user_id, beings_of, proxy.on.store, user_id, identity.caller.being_id)
    if len(slugs) == 1:
        # The only Being answers without a suffix, unless one could be read from the model's own name.
        return [{**model, "id": f"{model['id']}@{slugs[0]}"} if "@" in model["id"] else model for model in named]
    if not slugs:
        return named
    return [{**model, "id": f"{model['id']}@{slug}"} for slug in slugs[:MOST_BEINGS] for model in named]


def _id(model: str, upstream: str, default: str, upstreams: Container[str]) -> str:
    """The name under which `read_model` finds a model: the default upstream's without prefix, unless it has one."""
    first, slash, _ = model.partition("/")
    return model if upstream == default and not (slash and first in upstreams) else f"{upstream}/{model}"


async def _models_at(
    proxy: Proxy, wire: WireName, identity: Identity, name: str, upstream: Upstream
) -> list[dict[str, Any]]:
    if upstream.models is not None:
        if wire == "messages":
            undated = {"type": "model", "created_at": "1970-01-01T00:00:00Z"}
            return [{**undated, "id": model, "display_name": model} for model in upstream.models]
        return [{"id": model, "object": "model", "created": 0, "owned_by": name} for model in upstream.models]
    on, requested = proxy.on, RequestedNames(name, upstream, "", None)
    user_id = identity.caller.user_id
    payer = await proxy.threads.start(user_id, payer_of, on.store, on.settings, user_id, requested)
    status, body = await proxy.client.models(wire, upstream, payer.key, TIMEOUT_SECONDS)
    try:
        listed = json.loads(body)["data"] if status == HTTPStatus.OK else ()
        return [model for model in listed if isinstance(model["id"], str)]
    except (ValueError, KeyError, TypeError):
        raise UpstreamFailed(f"The upstream `{name}` answered {status} to a request for its models.") from None
