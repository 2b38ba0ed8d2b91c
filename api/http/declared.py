"""Makes routes of declared operations."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http import HTTPStatus
from operator import attrgetter
from types import ModuleType
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Header, Path, Query, Request, Response

from api.http.access.auth import Opened, OperatorPermitted, Permitted, PermittedOrOperator
from api.http.bodies import JsonRoute, body_limit
from api.http.endpoints import Router
from api.http.idempotency import PARAMETER, RepeatableKey, calls_models
from api.http.openapi import problems
from api.http.request_key import RequestKey
from api.http.resources import On
from memory.accounts.access import Caller, Operator
from operations.declaration import OPERATOR, Existing, FindsMuted, Operation, Place, answered, declared
from schemas.accounts.accounts import Being
from workers.runtime.resources import Resources

PLACES: Mapping[Place, Callable[..., Any]] = {"path": Path, "query": Query, "body": Body, "header": Header}
REQUIRED = inspect.Parameter.empty


def routes(module: ModuleType, tag: str) -> APIRouter:
    """Return a router with a route for each operation that a module declares.

    Args:
        module: A module of `operations`.
        tag: The section of the documents that lists these routes.
    """
    router = Router(tags=[tag], route_class=JsonRoute)
    for operation in filter(attrgetter("route"), declared(module)):
        existing: dict[int | str, dict[str, Any]] = (
            {HTTPStatus.OK.value: {"model": operation.answer}} if operation.may_exist else {}
        )
        router.add_api_route(
            operation.path,
            _endpoint(operation),
            methods=[operation.method],
            name=operation.name,
            status_code=operation.status,
            responses=problems(*([409] if operation.conflicts else []), *([410] if operation.gone else [])) | existing,
            response_model_exclude_none=operation.omits == "null",
            response_model_exclude_unset=operation.omits == "unset",
        )
    return router


def _endpoint(operation: Operation[Any]) -> Callable[..., Any]:
    def endpoint(response: Response, **arguments: Any) -> Any:
        if operation.repeated == "harmless":
            arguments.pop(PARAMETER)
        done = operation.attempt(**arguments)
        if isinstance(done, Existing):
            response.status_code = HTTPStatus.OK
        return answered(done)

    async def wait(response: Response, sent: Request, **arguments: Any) -> Any:  # noqa: ARG001  # as the others
        return await sent.app.state.waiting.answer(
            sent,
            partial(operation.perform, **arguments),
            operation.waits_for or bool,
            user_id=arguments["being"].user_id,
            seconds=arguments["wait"],
        )

    made: Callable[..., Any] = wait if operation.waits_for else endpoint
    summary, _, more = operation.about.partition("\n\n")
    made.__name__ = operation.name
    made.__doc__ = "\n\n".join(filter(None, (summary, operation.permission, more)))
    made.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # the framework reads it
        [_keyword(name, kind, default) for name, kind, default in _taken(operation)],
        return_annotation=operation.answer,
    )
    made = body_limit(operation.body)(made)
    return calls_models(made) if operation.repeated == "done again" else made


def _taken(operation: Operation[Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield each parameter that the framework gives to the endpoint: its name, its type and its default."""
    subjects = {
        "being": Annotated[Being, Depends(Opened(*operation.scopes))],
        "caller": Annotated[Caller, Depends(Permitted(*operation.scopes))],
        "paying key": RequestKey,
        "finds muted": Annotated[FindsMuted, Depends(finds_muted)],
        "caller or operator": Annotated[Caller | Operator, Depends(PermittedOrOperator(*operation.scopes))],
    }
    yield "response", Response, REQUIRED
    if operation.waits_for:
        yield "sent", Request, REQUIRED
    yield "on", Annotated[Resources, Depends(OperatorPermitted())] if operation.scope == OPERATOR else On, REQUIRED
    for name, subject in operation.subjects.items():
        yield name, subjects[subject], REQUIRED
    for each in operation.parameters:
        place = PLACES[each.place](description=each.description or None)
        yield each.name, Annotated[each.type, place], each.default
    if operation.repeated == "harmless":
        yield PARAMETER, RepeatableKey, None


def finds_muted(request: Request) -> FindsMuted:
    """Return whether the caller of a request may manage the memory, and not only read it for a prompt."""
    caller: Caller | Operator = request.state.caller
    return FindsMuted(isinstance(caller, Caller) and "manage" in caller.scopes)


def _keyword(name: str, kind: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, default=default)
