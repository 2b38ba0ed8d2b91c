"""A Redis for streams, and readers of them in this process, each as a process of its own would be."""

import json
import shutil
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from api.streams.reader import StreamReader
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.settings import Settings
from workers.embedded.redis import EmbeddedRedis
from workers.runtime.resources import Resources


@pytest.fixture(scope="session")
def redis_server() -> Iterator[EmbeddedRedis]:
    """A Redis for the test process."""
    home = Path(tempfile.mkdtemp(prefix="streams-"))
    (home / "run").mkdir()
    with EmbeddedRedis(home / "redis", home / "run", durable=False) as server:
        yield server
    shutil.rmtree(home)


@pytest.fixture
def redis(redis_server: EmbeddedRedis) -> Iterator[Redis]:
    """An empty Redis."""
    with Redis.from_url(redis_server.url) as client:
        client.flushall()
        yield client


@pytest.fixture
def settings() -> Settings:
    """Settings under which nothing takes long."""
    return Settings(embedder="minilm", stream_claim=timedelta(0), keep_stream_entries=timedelta(0))


@pytest.fixture
def new_reader(redis, store, settings):
    """Make a reader, which knows what a process knows."""

    def make(**changes: Any) -> StreamReader:
        changed = settings.model_copy(update=changes)
        reader = StreamReader(Resources(changed, store, Embedders(changed), Thinkers(changed)), redis)
        reader.read()
        return reader

    return make


@pytest.fixture
def write(redis, being):
    """Write a note as a producer does; returns its place in the stream."""

    def written(action: str = "The oven failed.", **fields: Any) -> str:
        note = {
            "being": str(being.being_id),
            "type": "scene",
            "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"]},
            **fields,
        }
        return redis.xadd("patrol:notes", {"data": json.dumps(note)}).decode()

    return written


@pytest.fixture
def kept(store, being):
    """The text of each note of the Being, in the order in which they came."""

    def read() -> list[str]:
        with store.transaction() as tx:
            rows = tx.execute(
                "select content ->> 'action' as action from memory.notes where being_id = %s order by note_id",
                [being.being_id],
            )
            return [row["action"] for row in rows]

    return read
