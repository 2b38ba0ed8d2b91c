"""A ledger of the test's own, a broker, a model provider, and real processes that share them."""

import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from celery import Celery
from pydantic import SecretStr
from redis import Redis

from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.patrol import demand as patrol_demand
from memory.patrol.root_examples import TEXTS
from schemas.settings import Settings
from store.accounts import beings
from store.database import Sender, Store
from tests.chaos.audit import is_consistent
from tests.chaos.processes import Processes, processes
from tests.chaos.replay import differences, memory_of, replayed
from tests.databases import of_processes
from tests.fakes.provider import FakeProvider, running_provider
from tests.models.thinking import KEY
from tests.processes import lock_trace
from tests.processes.pooler import through_pgbouncer
from tests.scenes import make_user
from workers.embedded.processes import Child
from workers.embedded.redis import EmbeddedRedis
from workers.runtime.dispatch import send

BAKERY = ["the oven failed", "the bread burned", "the flour ran out", "the new baker came", "the bakery opened late"]
FAMILY = ["her sister called", "they walked by the sea", "the cat was ill", "her mother laughed", "they sang at night"]


@pytest.fixture
def locks_in_order(url) -> Iterator[None]:
    """Record the locks that workers and intake take in the test, and compare their order with the documented one."""
    lock_trace.install(url)
    yield
    assert lock_trace.sequences(url)
    assert lock_trace.inversions(url) == []


@pytest.fixture
def redis(tmp_path) -> Iterator[EmbeddedRedis]:
    """A Redis of the test's own."""
    sockets = tempfile.mkdtemp(prefix="sockets-")
    with EmbeddedRedis(tmp_path / "redis", Path(sockets), durable=False) as server:
        yield server
    shutil.rmtree(sockets)


@pytest.fixture
def redis_client(redis) -> Iterator[Redis]:
    """A look into it."""
    with Redis.from_url(redis.url) as client:
        yield client


@pytest.fixture
def sender(redis) -> Iterator[Sender]:
    """The ledger sends its messages to that Redis."""
    with Celery("sender", broker=redis.broker_url, set_as_current=False) as app:
        yield partial(send, app)


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    """A model provider that can be told to fail."""
    with running_provider() as running:
        yield running


class Life:
    """A Being, and the processes that look after its memory."""

    def __init__(self, store: Store, started: Processes, provider: FakeProvider, home: Path) -> None:
        self.store, self.provider = store, provider
        self.started = started
        self.actions: list[str] = []
        self.settings = Settings(
            home=home,
            embedder="openai",
            openai_base_url=provider.openai_url,
            openai_embedding_dimensions=64,
            pending_wait=timedelta(seconds=1),
        )
        with store.transaction() as tx:
            self.being_id: UUID = beings.add_being(tx, make_user(tx).user_id, "mizzen", "Mizzen").being_id

    def worker(self, name: str = "worker", **settings: Any) -> Child:
        """Start a worker."""
        return self.started.worker(name, **settings)

    def thinker(self, **settings: Any) -> Child:
        """Start a worker that can think, on the platform's key, of which the doors know."""
        self.settings = self.settings.model_copy(
            update={"anthropic_api_key": SecretStr(KEY), "anthropic_base_url": self.provider.url}
        )
        return self.worker(ANTHROPIC_API_KEY=KEY, ANTHROPIC_BASE_URL=self.provider.url, **settings)

    def has_died(self, points: Sequence[str]) -> bool:
        """Whether a process has died at each of these crash points."""
        return all((self.settings.home / f"crashed {point}").exists() for point in points)

    def remember(self, *actions: str) -> None:
        """Hand in one scene note for each action."""
        self.actions += actions
        notes = [
            {
                "id": action,
                "type": "scene",
                "content": {
                    "action": action,
                    "actors": ["Mira"],
                    "when": ["2026-03-02"],
                    "importance": 0.05 + number / 20,
                },
            }
            for number, action in enumerate(actions)
        ]
        accept_notes(self.store, self.settings, self.being_id, notes)

    def say(self, *said: str) -> None:
        """Hand in what the user says, once each, to be judged at once."""
        messages = [{"id": content, "role": "user", "content": content} for content in said]
        eager = self.settings.model_copy(update={"judge_messages": 1})
        accept_messages(self.store, eager, self.being_id, messages)

    def demand(self) -> UUID:
        """Demand a patrol."""
        return patrol_demand.demand(self.store, self.settings, self.being_id)

    def settled(self) -> bool:
        """Whether nothing is left to do, and all that must hold holds."""
        return is_consistent(self.store)

    def texts_embedded(self) -> Counter[str]:
        """How often each scene's text was sent to the provider.

        Examples of roots do not count, which each process embeds, nor names and dates alone, which each grouping does.
        """
        sent = [request for request in self.provider.requests if request.endpoint == "embeddings"]
        texts = [text for request in sent for text in request.body["input"] if text not in TEXTS]
        return Counter(text for text in texts if any(action in text for action in self.actions))

    def thinking(self) -> dict[str, str]:
        """Settings with which a worker thinks, by the provider's own rules."""
        return {"PATROL_THINKER": "anthropic", "ANTHROPIC_API_KEY": "any", "ANTHROPIC_BASE_URL": self.provider.url}

    def questions_paid_for(self) -> Counter[str]:
        """How often the provider was paid for each question."""
        asked = [request for request in self.provider.requests if request.endpoint == "messages" and request.paid]
        return Counter(f"{request.purpose} {request.prompt}" for request in asked)

    def departs_from_replay(self, fresh: Store) -> list[str]:
        """The differences between the memory and that of a serial life without any trouble."""
        again = replayed(self.store, fresh, self.being_id, self.settings)
        return differences(memory_of(self.store, self.being_id), again)

    def rows(self) -> list[dict[str, Any]]:
        """Everything that a unit of work can change."""
        with self.store.transaction() as tx:
            return [
                row
                for table in ("work", "patrol_runs", "notes", "memory_nodes", "node_history", "clusters", "beings")
                for row in tx.execute(f"select t::text from memory.{table} as t order by 1")  # noqa: S608  # our own names
            ]

    def attempts(self) -> set[int]:
        """How many attempts the steps of all patrols took."""
        with self.store.transaction() as tx:
            return {row["attempts"] for row in tx.execute("select attempts from memory.work where key <> ''")}


@pytest.fixture
def database_settings(url) -> Iterator[dict[str, str]]:
    """How the processes reach the ledger: through PgBouncer if `TESTS_POOLED` is set."""
    with through_pgbouncer(url) if os.environ.get("TESTS_POOLED") else nullcontext(of_processes(url)) as settings:
        yield settings


@pytest.fixture
def redis_url(redis) -> str:
    """The address of the processes' Redis."""
    return redis.broker_url


@pytest.fixture
def started(tmp_path, database_settings, redis_url, provider, launch) -> Iterator[Processes]:
    """The processes of the test: none yet."""
    addresses = {**database_settings, "REDIS_URL": redis_url, "OPENAI_BASE_URL": provider.openai_url}
    with processes(tmp_path / "home", launch, **addresses) as started:
        yield started


@pytest.fixture
def life(tmp_path, store, started, provider) -> Iterator[Life]:
    """A Being whose workers are not started yet; a beat is."""
    started.beat()
    yield Life(store, started, provider, tmp_path / "home")
    provider.release()


@pytest.fixture
def fresh(new_database) -> Iterator[Store]:
    """An empty ledger beside the test's own."""
    with new_database() as url, Store(url) as store:
        yield store
