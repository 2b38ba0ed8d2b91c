"""A small memory in which nothing is muted yet."""

import pytest

from tests.fakes.provider import running_provider
from tests.planting.marked_world import World, answer


@pytest.fixture
def provider():
    """A model that is a function of each message."""
    with running_provider(answer=answer) as provider:
        yield provider


@pytest.fixture
def world(talk):
    """A small memory, and nothing muted."""
    made = World(talk)
    made.lives()
    return made
