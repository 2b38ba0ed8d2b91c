"""A Being whose patrols think."""

from collections.abc import Iterator

import pytest

from schemas.accounts.accounts import User
from store.database import Store
from tests.models.thinking import Life, thinking_life


@pytest.fixture
def life(store: Store, user: User) -> Iterator[Life]:
    """A Being whose patrols use a language model, and make no topics."""
    with thinking_life(store, user, topic_birth=False) as made:
        yield made
