"""Makes routes of declared operations."""

import inspect
from types import ModuleType
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Path, Query

from api.http.auth import Opened
from api.http.bodies import JsonRoute, body_limit
from api.http.idempotency import calls_models
from api.http.openapi import problems
from api.http.resources import On
from operations.declaration import Operation, Parameter, declared
from schemas.accounts.accounts import Being

PLACES = {"path": Path, "query": Query, "body": Body}


def routes(module: ModuleType, tag: str) -> APIRouter:
    """Return a router with a route for each operation that a module declares.

    Args:
        module: A module of `operations`.
        tag: The section of the documents that lists these routes.
    """
    router = APIRouter(tags=[tag], route_class=JsonRoute)
    for operation in declared(module):
        router.add_api_route(
            operation.path,
            _endpoint(operation),
            methods=[operation.method],
            name=operation.name,
            status_code=operation.status,
            responses=problems(409) if operation.conflicts else {},
        )
    return router


def _endpoint(operation: Operation[Any]) -> Any:
    def endpoint(on: On, being: Being, **arguments: Any) -> Any:
        return operation.perform(on, being, **arguments)

    of_resources = inspect.Parameter("on", inspect.Parameter.KEYWORD_ONLY, annotation=On)
    of_being = inspect.Parameter(
        "being", inspect.Parameter.KEYWORD_ONLY, annotation=Annotated[Being, Depends(Opened(operation.scope))]
    )
    summary, _, more = operation.about.partition("\n\n")
    endpoint.__name__ = operation.name
    endpoint.__doc__ = "\n\n".join(filter(None, (summary, f"Scope `{operation.scope}`.", more)))
    endpoint.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # the framework reads it
        [of_resources, of_being, *map(_parameter, operation.parameters)], return_annotation=operation.answer
    )
    endpoint = body_limit(operation.body)(endpoint)
    return calls_models(endpoint) if operation.calls_models else endpoint


def _parameter(declared: Parameter) -> inspect.Parameter:
    """Return a parameter as the framework reads it."""
    place = PLACES[declared.place](description=declared.description or None)
    return inspect.Parameter(
        declared.name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[declared.type, place],
        default=declared.default,
    )
