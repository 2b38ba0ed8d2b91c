"""What a handler works with, and the bell it rings when it has caused work."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Depends, Request

from schemas.work import Ring
from workers import doorbell
from workers.app import app
from workers.resources import Resources


def resources_of(request: Request) -> Resources:
    """The resources that the application opened when it started."""
    on: Resources = request.app.state.resources
    return on


On = Annotated[Resources, Depends(resources_of)]


def ring(rings: Iterable[Ring]) -> None:
    """Ring for work that is committed; a bell out of reach is the sweep's concern, not the caller's."""
    doorbell.ring(app, rings)
