"""A proxy with servers of its own, which a test may stop or slow down, and a person who talks through it."""

from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import httpx2
import psycopg

from cli.operations.stack import api_command
from memory.accounts import access
from memory.llm import keys
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from tests.acceptance.conftest import PATIENCE, answers
from tests.fakes.upstream import FakeUpstream
from tests.frontends import wire
from tests.ports import free_port
from workers.embedded.processes import Child, wait_until
from workers.embedded.servers import EmbeddedServers
from workers.embedded.supervisor import Launch

KEYS_SECRET = "k" * 40


@dataclass
class Fragile:
    """A proxy with servers of its own, which a test may stop."""

    servers: EmbeddedServers
    upstream: FakeUpstream
    environment: dict[str, str]
    log: Path
    launch: Launch
    url: str = ""
    process: Child | None = None

    def start(self) -> None:
        """Start the API, without any worker."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        self.process = self.launch(api_command("127.0.0.1", port, 1), self.log, env=self.environment)
        assert wait_until(lambda: answers(self.url, "/health/live"), PATIENCE)

    def kill(self) -> None:
        """Kill the API."""
        self.process.kill()

    def metrics(self) -> str:
        """The text of `/metrics`, as an operator reads it."""
        with Store(self.servers.database_url) as store:
            secret, _ = access.issue_operator_token(store, lifetime=None)
        return httpx2.get(f"{self.url}/metrics", headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE).text

    def person(self) -> "Talker":
        """A user with a Being and a token."""
        with Store(self.servers.database_url) as store:
            with store.transaction() as tx:
                user = users.add_user(tx, f"person {uuid4()}", "UTC")
                being = beings.add_being(tx, user.user_id, "mira", "Mira")
            secret, _ = access.issue_token(store, user.user_id, being_id=None, scopes=["ingest", "read"], lifetime=None)
        return Talker(self, secret, being.being_id)


@dataclass
class Talker:
    """A person at a frontend."""

    fragile: Fragile
    secret: str
    being_id: object

    def asks(self, *said: str, model: str = "fake-1", stream: bool = False) -> httpx2.Response:
        """Send a transcript."""
        return httpx2.post(
            f"{self.fragile.url}/openai/v1/chat/completions",
            headers={"Authorization": f"Bearer {self.secret}", "X-Memory-Conversation": "chat"},
            json={"model": model, "messages": wire(*said), "stream": stream},
            timeout=PATIENCE,
        )

    def stores_key(self, key: str) -> None:
        """Store a key that pays for their chat."""
        with Store(self.fragile.servers.database_url) as store:
            with store.transaction() as tx:
                user_id = beings.get_being(tx, self.being_id).user_id
            keys.add(store, Settings(secret_key=KEYS_SECRET), user_id, "openai", key)

    def said(self) -> list[str]:
        """The talk as it stands."""
        return [
            row[0]
            for row in self.rows(
                "select content from memory.messages where being_id = %s order by created_at, message_id"
            )
        ]

    def rows(self, statement: str) -> list[tuple[object, ...]]:
        """Rows of the Being's."""
        with psycopg.connect(self.fragile.servers.database_url) as connection:
            return connection.execute(statement, [self.being_id]).fetchall()
