"""A Being that is told things and asked about them, with a planner and a writer behind real HTTP."""

import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from memory.asking import answering
from memory.intake.messages import accept_messages
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from samples.canned.asking_policy import sources
from samples.canned.material import Material
from samples.canned.wire import Request
from schemas.accounts.accounts import Being, User
from schemas.context.asking import AskAnswer, AskRequest
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from store.facts import facts as fact_rows
from store.facts import statements
from tests.fakes.provider import FakeProvider, running_provider
from tests.models.indexed import embed, index

NO_PLAN: dict[str, Any] = {"queries": [], "names": [], "since": None, "until": None, "counts": []}
Said = dict[str, Any] | str | Callable[[Material], dict[str, Any] | str]


@pytest.fixture(scope="session")
def embedders() -> Embedders:
    """The keyless embedder, loaded once."""
    return Embedders(Settings(embedder="minilm"))


def said(answer: Said, request: Request) -> str:
    """Return what a scripted model says to a request."""
    found = answer(Material(request.material)) if callable(answer) else answer
    return found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)


class Asking:
    """Tells a Being things, does the work that follows, and asks.

    Attributes:
        plan: The planner's answer.
        answer: The writer's answer.
    """

    def __init__(self, store: Store, embedders: Embedders, user: User) -> None:
        self.store = store
        self.embedders = embedders
        self.user = user
        self.plan: Said = NO_PLAN
        self.answer: Said = {"sentences": []}
        with store.transaction() as tx:
            self.being = beings.add_being(tx, user.user_id, "wren", "Wren")
        self.provider: FakeProvider
        self.settings: Settings

    def __call__(self, request: Request) -> str | None:
        """Answer as the model."""
        return said(self.plan if request.purpose == "AskPlan" else self.answer, request)

    def tell(self, *items: str | dict[str, Any], being: Being | None = None) -> list[UUID | None]:
        """Hand messages in, index and embed them; a text is the user's."""
        whole = [{"role": "user", "content": one} if isinstance(one, str) else one for one in items]
        to = being or self.being
        ids = accept_messages(self.store, self.settings, to.being_id, whole).ids
        index(self.store, to.being_id)
        embed(self.store, self.embedders, to.being_id)
        return ids

    def know(self, *facts: tuple[str, str, Sequence[UUID]]) -> list[UUID]:
        """Add statements, each with the day of its message and those that it contradicts; returns their ids."""
        made = [uuid4() for _ in facts]
        for statement_id, (content, day, contradicts) in zip(made, facts, strict=True):
            (message_id,) = self.tell({"role": "user", "content": f"Note: {content}", "created_at": f"{day}T09:00:00Z"})
            new = statements.NewStatement(
                statement_id=statement_id,
                scope=None,
                type="PROFILE",
                entity_label="home",
                fact_type="fact",
                mentioned_refs=["thing:home"],
                content=content,
                source="shadow_extraction",
                confidence=0.9,
                importance=2,
                told_at=datetime.fromisoformat(f"{day}T09:00:00Z"),
                span=content,
                being_id=self.being.being_id,
                message_id=message_id,
                contradicts=tuple(contradicts),
            )
            with self.store.transaction() as tx:
                fact_rows.lock(tx, self.user.user_id)
                statements.add_statements(tx, self.user.user_id, [new])
        index(self.store, self.user.user_id)
        return made

    def ask(self, question: str, being: Being | None = None, **given: Any) -> AskAnswer:
        """Ask; keywords are fields of the request, `settings` and `request_key` aside."""
        settings = given.pop("settings", self.settings)
        with self.store.transaction() as tx:
            to = beings.get_being(tx, (being or self.being).being_id)
        request = AskRequest(question=question, **given)
        return answering.ask(self.asked(request, to, settings))

    def asked(
        self, request: AskRequest, being: Being | None = None, settings: Settings | None = None
    ) -> answering.AskInputs:
        """A question with what answers it."""
        settings = settings or self.settings
        return answering.AskInputs(
            self.store, self.embedders, Thinkers(settings), settings, being or self.being, request
        )


@pytest.fixture
def asking(store: Store, embedders: Embedders) -> Iterator[Asking]:
    """A Being that can be asked."""
    with store.transaction() as tx:
        user = users.add_user(tx, "Tilda", "Europe/Berlin")
    made = Asking(store, embedders, user)
    with running_provider(answer=made) as provider:
        made.provider = provider
        made.settings = Settings(
            embedder="minilm", thinker="anthropic", anthropic_api_key="any", anthropic_base_url=provider.url
        )
        yield made


def sentence(text: str, *cites: tuple[str, str]) -> dict[str, Any]:
    """A sentence as a model writes it, with the ref and the words of each quotation."""
    return {"sentence": text, "cites": [{"ref": ref, "quote": quote} for ref, quote in cites]}


def ref_of(material: Material, words: str) -> str:
    """The ref of the first source that has these words."""
    return next(str(one.ref) for one in sources(material) if words in one.text)
