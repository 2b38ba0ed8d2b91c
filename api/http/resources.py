"""The resources of the application, as a dependency of handlers."""

from typing import Annotated

from fastapi import Depends, Request

from workers.runtime.resources import Resources


async def resources_of(request: Request) -> Resources:
    """Return the resources that the application opened at its start."""
    on: Resources = request.app.state.resources
    return on


On = Annotated[Resources, Depends(resources_of)]
