"""A file that a process touches while it makes progress, so that a health check needs to start no Python process."""

from functools import cache
from pathlib import Path

from schemas.settings import Settings


@cache
def _file() -> Path | None:
    return Settings().alive_file


def touch() -> None:
    """Touch PATROL_ALIVE_FILE, if it is set."""
    if path := _file():
        path.touch()
