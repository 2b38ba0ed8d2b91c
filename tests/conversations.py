"""Conversations for tests: messages to a Being, judged in this process by a scripted provider."""

import json
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any
from uuid import UUID

from memory.facts import vectors
from memory.intake.messages import accept_messages
from memory.talk import joint_summary, judging, rolling, session_summary, spine
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.accounts.accounts import Being
from schemas.facts.fact_rows import Fact, Todo
from schemas.ledger import kinds
from schemas.ledger.kinds import WorkKind
from schemas.ledger.work import Claim
from schemas.settings import Settings
from schemas.talk.summaries import Spine
from store.database import Store
from store.facts import facts, todos
from store.ledger import work
from store.talk import spines
from tests.fakes.provider import Behaviour, FakeProvider

LEASE = timedelta(seconds=30)
ATTEMPTS = 5

Do = Callable[[Store, Thinkers, Settings, Claim], object]


def judging_at_once(provider: FakeProvider) -> Settings:
    """Settings under which every message is judged at once, by this provider."""
    return Settings(
        anthropic_api_key="any",
        anthropic_base_url=provider.url,
        thinker="anthropic",
        embedder="minilm",
        judge_messages=1,
        # Each session is summarised by itself, unless a test is about joint summaries.
        join_short_sessions=False,
        # Summaries come without scenes, unless a test is about them.
        scenes="off",
    )


def fact(span: str, statement: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a fact as a model answers it, which repeats its span by default.

    With `in_confidence`, `judgement` names its message as one in confidence.
    """
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
    }
    return usual | changes


def todo(span: str, content: str | None = None, **changes: Any) -> dict[str, Any]:
    """Return a todo as a model answers it."""
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


def asks(span: str, wish: str, *means: str, **changes: Any) -> dict[str, Any]:
    """Return what the user asks of the memory as a model answers it."""
    usual = {
        "message": "m1",
        "span": span,
        "speaker": "user",
        "realm": "real",
        "confidence": 0.9,
        "wish": wish,
        "means": list(means),
        "statement": None,
    }
    return usual | changes


def judgement(
    *facts: dict[str, Any],
    todos: Sequence[dict[str, Any]] = (),
    confidences: Sequence[tuple[str, str]] = (),
    requests: Sequence[dict[str, Any]] = (),
) -> str:
    """Return what a model answers the judge; `confidences` are pairs of a message and the one that asks for it."""
    named = [*((one["message"], one["message"]) for one in facts if one.get("in_confidence")), *confidences]
    return json.dumps(
        {
            "facts": [{name: value for name, value in one.items() if name != "in_confidence"} for one in facts],
            "todos": list(todos),
            "confidences": [{"message": message, "asked_in": asked_in} for message, asked_in in named],
            "requests": list(requests),
        }
    )


class Talk:
    """A user who talks to a Being, and the facts and todos that result."""

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
        self.lease, self.attempts = LEASE, ATTEMPTS

    def says(self, *said: str | dict[str, Any]) -> list[UUID]:
        """Add messages; a string is a message of the user."""
        items = [{"role": "user", "content": one} if isinstance(one, str) else one for one in said]
        receipt = accept_messages(self.store, self.settings, self.being.being_id, items)
        return [id_ for id_ in receipt.ids if id_ is not None]

    def answers(
        self,
        *facts: dict[str, Any],
        todos: Sequence[dict[str, Any]] = (),
        confidences: Sequence[tuple[str, str]] = (),
        requests: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Script the model's next extraction."""
        text = judgement(*facts, todos=todos, confidences=confidences, requests=requests)
        self.provider.script(Behaviour(do="answer", on="messages", text=text))

    def compares(self, *comparisons: tuple[str, str, str | None]) -> None:
        """Script the model's next comparison: (new, relation, earlier)."""
        said = [{"new": new, "relation": relation, "earlier": earlier} for new, relation, earlier in comparisons]
        self.provider.script(Behaviour(do="answer", on="messages", text=json.dumps({"comparisons": said})))

    def judged(self) -> None:
        """Do all judging that is due."""
        self.do_due(self.being.being_id, kinds.JUDGE, judging.judge)

    def summed_up(self) -> None:
        """Do all due summaries."""
        self.do_due(self.being.being_id, kinds.ROLLING_SUMMARY, rolling.summarise)
        self.do_due(self.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
        self.do_due(self.being.being_id, kinds.SHORT_SESSIONS, joint_summary.summarise)
        self.do_due(self.being.user_id, kinds.SPINE, spine.write)

    def do_due(self, owner_id: UUID, kind: WorkKind, do: Do) -> None:
        """Do all due work of one kind; `lease` and `attempts` are for tests that let work crash."""
        for _ in range(100):
            with self.store.transaction() as tx:
                rows = tx.execute(
                    "select key from memory.work where owner_id = %s and kind = %s and next_at <= clock_timestamp()"
                    " and (state = 'ready' or state = 'running' and lease_until <= clock_timestamp())",
                    [owner_id, kind.name],
                ).fetchall()
            if not rows:
                return
            for row in rows:
                with self.store.transaction() as tx:
                    claim = work.claim(tx, owner_id, kind.name, row["key"], lease=self.lease, attempts=self.attempts)
                assert claim is not None
                do(self.store, self.thinkers, self.settings, claim)

    def embedded(self) -> None:
        """Embed the user's facts."""
        with self.store.transaction() as tx:
            vectors.request_embedding(tx, self.being.user_id)
            claim = work.claim(tx, self.being.user_id, kinds.EMBED_FACTS.name, "", lease=LEASE, attempts=ATTEMPTS)
        assert claim is not None
        vectors.embed(self.store, self.embedders, self.settings, claim)

    def hears(
        self,
        said: str,
        *facts: dict[str, Any],
        todos: Sequence[dict[str, Any]] = (),
        confidences: Sequence[tuple[str, str]] = (),
        requests: Sequence[dict[str, Any]] = (),
    ) -> None:
        """Add a message with a scripted extraction, and judge it."""
        self.says(said)
        self.answers(*facts, todos=todos, confidences=confidences, requests=requests)
        self.judged()

    def facts(self, status: str | None = "ACTIVE") -> list[Fact]:
        """Return the facts that the Being knows, oldest first."""
        with self.store.transaction() as tx:
            return facts.page(tx, self.being.user_id, self.being.being_id, status=status, limit=100)[::-1]

    def contents(self) -> list[str]:
        """Return the statements of the facts that the Being knows."""
        return [fact.content for fact in self.facts()]

    def todos(self, status: str | None = "OPEN") -> list[Todo]:
        """Return the open todos, oldest first."""
        with self.store.transaction() as tx:
            return todos.page(tx, self.being.being_id, status=status, limit=100)[::-1]

    def dropped(self) -> dict[str, int]:
        """Return how many items the last judging dropped, by reason."""
        with self.store.transaction() as tx:
            (row,) = tx.execute(
                "select dropped from memory.judgements where being_id = %s order by judgement_id desc limit 1",
                [self.being.being_id],
            )
        return dict(row["dropped"])

    def unjudged(self) -> int:
        """Return how many messages are unjudged."""
        with self.store.transaction() as tx:
            (row,) = tx.execute(
                "select count(*) as n from memory.messages where being_id = %s and not judged and role = 'user'",
                [self.being.being_id],
            )
        return int(row["n"])

    def spine(self) -> Spine | None:
        """Return the newest spine that all of the user's Beings see."""
        with self.store.transaction() as tx:
            return spines.newest(tx, self.being.user_id)

    def history(self) -> tuple[str, dict[str, str | None]]:
        """Return the content of the only fact, and each of its statements with the one that replaced it."""
        (known,) = self.facts()
        with self.store.transaction() as tx:
            statements = facts.statements(tx, self.being.user_id, self.being.being_id, known.fact_id)
        words = {one.statement_id: one.content for one in statements}
        return known.content, {
            one.content: words.get(one.replaced_by) if one.replaced_by else None for one in statements
        }

    def a_transaction_waits(self) -> bool:
        """Return whether a transaction waits for another one's lock."""
        with self.store.transaction() as tx:
            return bool(tx.execute("select from pg_locks where not granted").rowcount)
