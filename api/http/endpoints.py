"""Groups routes, and wraps their handlers in a way in which the framework still reads their parameters.

Attributes:
    Router: Makes a group of routes, whose names are their ids in the OpenAPI document.
"""

import functools
import inspect
from collections.abc import Callable
from operator import attrgetter
from typing import Any

from fastapi import APIRouter

Router = functools.partial(APIRouter, generate_unique_id_function=attrgetter("name"))


def stand_for(handle: Callable[..., Any], endpoint: Callable[..., Any], *more: inspect.Parameter) -> None:
    """Give a wrapper the name and the parameters of the endpoint that it wraps, and more parameters of its own.

    Args:
        handle: The wrapper. It is called with keywords alone.
        endpoint: The ASGI application that it wraps.
        more: The keyword parameters that the wrapper takes beside.
    """
    functools.update_wrapper(handle, endpoint)
    # The framework would read the parameters of the wrapped function.
    del handle.__wrapped__  # type: ignore[attr-defined]  # set by update_wrapper
    signature = inspect.signature(endpoint)
    own = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in signature.parameters.values()]
    handle.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]  # inspect reads it
