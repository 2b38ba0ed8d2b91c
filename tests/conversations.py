"""Conversations for tests: said to a Being, judged by a scripted provider, in this process."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory import closing, fact_vectors, judging, rolling, spine
from memory.intake import accept_messages
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.facts import Fact, Todo
from schemas.rows import Being
from schemas.settings import Settings
from schemas.work import Claim
from store import facts, todos, work
from store.database import Store
from tests.fakes.provider import Behaviour, FakeProvider

LEASE = timedelta(seconds=30)

Do = Callable[[Store, Thinkers, Settings, Claim], object]


def judging_at_once(provider: FakeProvider) -> Settings:
    """Settings under which everything that was said is judged at once, by this provider."""
    return Settings(
        anthropic_api_key="any",
        anthropic_base_url=provider.url,
        thinker="anthropic",
        embedder="minilm",
        judge_messages=1,
    )


def fact(span: str, statement: str | None = None, **changes: Any) -> dict[str, Any]:
    """A fact as a judge answers it, true to its span unless it is told otherwise."""
    usual = {
        "message": "m1",
        "span": span,
        "speaker": "user",
        "realm": "real",
        "confidence": 0.9,
        "subject": "user",
        "type": "PROFILE",
        "statement": statement or span,
        "entities": [{"type": "thing", "name": "tea"}],
        "fact_type": "preference",
        "importance": 1,
        "in_confidence": False,
    }
    return usual | changes


def todo(span: str, content: str | None = None, **changes: Any) -> dict[str, Any]:
    """A todo as a judge answers it."""
    usual = {
        "message": "m1",
        "span": span,
        "speaker": "user",
        "realm": "real",
        "confidence": 0.9,
        "kind": "commitment",
        "content": content or span,
        "due": None,
        "known": None,
        "done": False,
    }
    return usual | changes


class Talk:
    """A user who talks to a Being, and what is learnt from it."""

    def __init__(
        self,
        store: Store,
        provider: FakeProvider,
        being: Being,
        settings: Settings,
        thinkers: Thinkers,
        embedders: Embedders,
    ) -> None:
        self.store, self.provider, self.being, self.settings = store, provider, being, settings
        self.thinkers, self.embedders = thinkers, embedders

    def says(self, *said: str | dict[str, Any]) -> list[UUID]:
        """Say something: as the user, unless a whole message is given."""
        items = [{"role": "user", "content": one} if isinstance(one, str) else one for one in said]
        accepted = accept_messages(self.store, self.settings, self.being.being_id, items)
        return [id_ for id_ in accepted.receipt.ids if id_ is not None]

    def answers(self, *facts: dict[str, Any], todos: tuple[dict[str, Any], ...] = ()) -> None:
        """Let the judge's next answer be this."""
        self.provider.script(Behaviour(do="answer", on="messages", text=json.dumps({"facts": facts, "todos": todos})))

    def compares(self, *comparisons: tuple[str, str, str | None]) -> None:
        """Let the next comparison be this: (new, relation, earlier)."""
        said = [{"new": new, "relation": relation, "earlier": earlier} for new, relation, earlier in comparisons]
        self.provider.script(Behaviour(do="answer", on="messages", text=json.dumps({"comparisons": said})))

    def judged(self) -> None:
        """Do all judging that is due."""
        self._do(self.being.being_id, judging.KIND, judging.judge)

    def summed_up(self) -> None:
        """Sum up all that is due to be."""
        self._do(self.being.being_id, rolling.KIND, rolling.summarise)
        self._do(self.being.being_id, closing.KIND, closing.summarise)
        self._do(self.being.user_id, spine.KIND, spine.write)

    def _do(self, owner_id: UUID, kind: str, do: Do) -> None:
        for _ in range(100):
            with self.store.transaction() as tx:
                rows = tx.execute(
                    "select key from memory.work where owner_id = %s and kind = %s and state = 'ready'"
                    " and next_at <= clock_timestamp()",
                    [owner_id, kind],
                ).fetchall()
            if not rows:
                return
            for row in rows:
                with self.store.transaction() as tx:
                    claim = work.claim(tx, owner_id, kind, row["key"], lease=LEASE, attempts=5)
                assert claim is not None
                do(self.store, self.thinkers, self.settings, claim)

    def embedded(self) -> None:
        """Give the user's facts their vectors."""
        with self.store.transaction() as tx:
            fact_vectors.ask(tx, self.being.user_id)
            claim = work.claim(tx, self.being.user_id, fact_vectors.KIND, "", lease=LEASE, attempts=5)
        assert claim is not None
        fact_vectors.embed(self.store, self.embedders, self.settings, claim)

    def hears(self, said: str, *facts: dict[str, Any], todos: tuple[dict[str, Any], ...] = ()) -> None:
        """Say something that a judge answers so."""
        self.says(said)
        self.answers(*facts, todos=todos)
        self.judged()

    def facts(self, status: str | None = "ACTIVE") -> list[Fact]:
        """What the Being knows, oldest first."""
        with self.store.transaction() as tx:
            return facts.page(tx, self.being.user_id, self.being.being_id, status=status, limit=100)[::-1]

    def contents(self) -> list[str]:
        """What the Being knows, in words."""
        return [fact.content for fact in self.facts()]

    def todos(self, status: str | None = "OPEN") -> list[Todo]:
        """What is open, oldest first."""
        with self.store.transaction() as tx:
            return todos.page(tx, self.being.being_id, status=status, limit=100)[::-1]

    def dropped(self) -> dict[str, int]:
        """What was dropped at the last judging, by reason."""
        with self.store.transaction() as tx:
            (row,) = tx.execute(
                "select dropped from memory.judgements where being_id = %s order by judgement_id desc limit 1",
                [self.being.being_id],
            )
        return dict(row["dropped"])

    def unjudged(self) -> int:
        """How many messages wait."""
        with self.store.transaction() as tx:
            (row,) = tx.execute(
                "select count(*) as n from memory.messages where being_id = %s and not judged and role = 'user'",
                [self.being.being_id],
            )
        return int(row["n"])
