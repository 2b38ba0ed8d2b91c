"""A user, a Being, and a judge that says what the test tells it to."""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any
from uuid import UUID

import pytest

from memory.accounts import erasure
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.accounts.accounts import Being, User
from schemas.settings import Settings
from store.database import Store
from tests.conversations import Talk, judging_at_once
from tests.fakes.provider import FakeProvider, running_provider
from tests.scenes import make_being


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    """A model provider of the test's own."""
    with running_provider() as provider:
        yield provider


@pytest.fixture
def settings(provider: FakeProvider) -> Settings:
    """Settings under which everything that was said is judged at once."""
    return judging_at_once(provider)


@pytest.fixture
def thinkers(settings: Settings) -> Iterator[Thinkers]:
    """The thinkers."""
    with closing(Thinkers(settings)) as made:
        yield made


@pytest.fixture(scope="session")
def embedders() -> Embedders:
    """The keyless embedder, loaded once."""
    return Embedders(Settings(embedder="minilm"))


@pytest.fixture
def talk(
    store: Store, provider: FakeProvider, being: Being, settings: Settings, thinkers: Thinkers, embedders: Embedders
) -> Talk:
    """The user talks to the Being."""
    return Talk(store, provider, being, settings, thinkers, embedders)


@pytest.fixture
def other(
    store: Store, provider: FakeProvider, user: User, settings: Settings, thinkers: Thinkers, embedders: Embedders
) -> Talk:
    """The same user talks to another Being."""
    with store.transaction() as tx:
        being = make_being(tx, user)
    return Talk(store, provider, being, settings, thinkers, embedders)


@pytest.fixture
def erased_before_the_finish(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> Callable[[UUID], None]:
    """Have a message erased when the next work has its answer, and is about to apply it."""

    def erased(message_id: UUID) -> None:
        finishing = talk.store.finishing

        def after_the_erasure(*args: Any, **named: Any) -> Any:
            monkeypatch.undo()
            erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [message_id])
            return finishing(*args, **named)

        monkeypatch.setattr(talk.store, "finishing", after_the_erasure)

    return erased
