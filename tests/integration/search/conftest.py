"""A Being that is told things, which are indexed and embedded as workers do it."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import pytest

from memory.intake.messages import accept_messages
from memory.retrieval.query_vectors import QueryVectors
from memory.search.search import embed_question, search
from providers.embedders import Embedders
from schemas.accounts.accounts import Being, User
from schemas.search import EverythingRequest, SearchResults
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from tests.models.indexed import embed, index


@pytest.fixture(scope="session")
def embedders() -> Embedders:
    """The keyless embedder, loaded once."""
    return Embedders(Settings(embedder="minilm"))


@pytest.fixture
def being(store: Store, user: User) -> Being:
    """A Being without vectors, so that the keyless embedder becomes its own."""
    with store.transaction() as tx:
        return beings.add_being(tx, user.user_id, "wren", "Wren")


class Searching:
    """Tells Beings things, does the work that follows, and searches."""

    def __init__(self, store: Store, embedders: Embedders) -> None:
        self.store = store
        self.embedders = embedders
        self.settings = Settings(embedder="minilm")

    def tell(self, being: Being, *said: str | dict[str, Any]) -> list[UUID | None]:
        """Hand messages in; a text is the user's."""
        items = [{"role": "user", "content": one} if isinstance(one, str) else one for one in said]
        return accept_messages(self.store, self.settings, being.being_id, items).ids

    def index(self, *owners: UUID) -> None:
        """Index what waits."""
        index(self.store, *owners)

    def embed(self, *owners: UUID) -> None:
        """Embed what waits."""
        embed(self.store, self.embedders, *owners)

    def settle(self, being: Being) -> None:
        """Do all of it, for the Being and its user."""
        self.index(being.being_id, being.user_id)
        self.embed(being.being_id, being.user_id)

    def find(self, being: Being, query: str, **asked: Any) -> SearchResults:
        """Search."""
        return search(self.store, self.embedders, being, EverythingRequest(query=query, **asked))

    def vectors_of(self, being: Being, question: EverythingRequest) -> QueryVectors:
        """Embed a question."""
        return embed_question(self.store, self.embedders, being, question.query, question.kinds)

    def texts(self, being: Being, query: str, **asked: Any) -> Sequence[str]:
        """The results, best first."""
        return [one.text for one in self.find(being, query, **asked).results]


@pytest.fixture
def on(store: Store, embedders: Embedders) -> Searching:
    """A memory that is told and searched."""
    return Searching(store, embedders)
