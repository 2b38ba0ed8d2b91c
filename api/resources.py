"""What a handler works with, and the bell it rings when it has caused work."""

from collections.abc import Iterable
from typing import Annotated

from fastapi import Depends, Request

from schemas.work import Ring
from workers.app import app
from workers.doorbell import Ringer
from workers.resources import Resources

# One for the process, like the app that it rings through; the application starts it and stops it.
ringer = Ringer(app)


def resources_of(request: Request) -> Resources:
    """The resources that the application opened when it started."""
    on: Resources = request.app.state.resources
    return on


On = Annotated[Resources, Depends(resources_of)]


def ring(rings: Iterable[Ring]) -> None:
    """Ring for work that is committed, soon; a bell out of reach is the sweep's concern, and nobody waits for it."""
    ringer.ring(rings)
