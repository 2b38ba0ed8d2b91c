"""The proxy while a part is down: Postgres, Redis, the upstream, or the proxy itself. Each part is really down."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psycopg
import pytest

from cli.operations.stack import api_command
from memory.accounts import access
from memory.llm import keys
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from store.migrate import migrate
from tests.acceptance.conftest import ENVIRONMENT, PATIENCE, answers
from tests.fakes.upstream import FakeUpstream, Reply, completion, running_upstream
from tests.frontends import wire
from tests.ports import free_port
from workers.embedded.processes import wait_until
from workers.embedded.server import Server
from workers.embedded.servers import EmbeddedServers, embedded_servers

# Long enough for the memory on a loaded machine, and short enough to wait for.
MEMORY_PATIENCE = 5.0
GRACE_REQUESTS = 3
KEYS_SECRET = "k" * 40


@dataclass
class Fragile:
    """A proxy with servers of its own, which a test may stop."""

    servers: EmbeddedServers
    upstream: FakeUpstream
    environment: dict[str, str]
    log: Path
    url: str = ""
    process: subprocess.Popen[bytes] | None = None
    clients: list[httpx2.Client] = field(default_factory=list)

    def start(self) -> None:
        """Start the API, without any worker."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                api_command("127.0.0.1", port, 1), env=self.environment, stdout=log, stderr=log
            )
        assert wait_until(lambda: answers(self.url, "/health/live"), PATIENCE)

    def kill(self) -> None:
        """Kill the API."""
        self.process.kill()
        self.process.wait()

    def person(self) -> "Talker":
        """A user with a Being and a token."""
        with Store(self.servers.database_url) as store:
            with store.transaction() as tx:
                user = users.add_user(tx, f"person {free_port()}", "UTC")
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
        """What stands of the talk."""
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


@pytest.fixture(scope="module")
def fragile() -> Iterator[Fragile]:
    """The proxy and its servers, for all tests of this module: each leaves them running."""
    with (
        tempfile.TemporaryDirectory(prefix="patrol-") as home,
        embedded_servers(Path(home), durable=False) as servers,
        running_upstream() as upstream,
    ):
        migrate(servers.database_url)
        upstreams = {
            "main": {"base_url": upstream.url, "provider": "openai", "key": "sk-platform"},
            "gone": {"base_url": "http://127.0.0.1:1/v1", "key": "sk-platform"},
        }
        environment = {
            **ENVIRONMENT,
            "PATROL_HOME": home,
            "DATABASE_URL": servers.database_url,
            "REDIS_URL": servers.redis_url,
            "PATROL_SECRET_KEY": KEYS_SECRET,
            "PATROL_PROXY_UPSTREAMS": json.dumps(upstreams),
            "PATROL_PROXY_PATIENCE": str(MEMORY_PATIENCE),
            "PATROL_PROXY_GRACE_REQUESTS": str(GRACE_REQUESTS),
            "PATROL_PROXY_SILENCE_TIMEOUT": "2",
            # So that a slow memory is not ended by the statement's own timeout.
            "PATROL_STATEMENT_TIMEOUT": str(2 * PATIENCE),
            "PATROL_PRICES": json.dumps({"fake-1": {"input": 1, "output": 2}}),
        }
        running = Fragile(servers, upstream, environment, Path(home) / "api.log")
        running.start()
        yield running
        running.kill()
        # Shown when a test fails.
        sys.stderr.write(running.log.read_text())


def test_with_postgres_down_only_known_tokens_pass_and_nothing_is_lost(fragile):
    known, keyed, unknown = fragile.person(), fragile.person(), fragile.person()
    keyed.stores_key("sk-of-the-user")
    assert keyed.asks("First.").headers["x-memory-stored"] == "yes"
    assert known.asks("First.").headers["x-memory-stored"] == "yes"
    assert wait_until(lambda: known.said() == ["First.", "ok"], PATIENCE)
    fragile.upstream.requests.clear()
    fragile.servers.postgres.crash()
    try:
        for _ in range(GRACE_REQUESTS):
            answer = known.asks("First.", "ok", "Second.")
            assert answer.status_code == 200
            assert answer.headers["x-memory-stored"] == "no"
            assert answer.headers["x-memory-recall"] == "failed"
            assert answer.json() == completion("ok")
        assert [request.headers["authorization"] for request in fragile.upstream.requests] == ["Bearer sk-platform"] * 3
        assert keyed.asks("First.", "ok", "Second.").status_code == 200
        assert fragile.upstream.requests.pop().headers["authorization"] == "Bearer sk-of-the-user"
        # What an outage may cost is bounded, and other tokens cost nothing.
        assert known.asks("First.", "ok", "Second.").status_code == 503
        for token in (unknown.secret, "patrol_made_up"):
            refused = Talker(fragile, token, None).asks("Hello.")
            assert refused.status_code == 503
            assert refused.json()["error"]["code"] == "unavailable"
        assert len(fragile.upstream.requests) == GRACE_REQUESTS
        # So long that no call could be recorded when its answer ended: each is kept, and recorded later.
        missed = GRACE_REQUESTS + 1
        assert wait_until(lambda: fragile.log.read_text().count("proxy.cost_not_recorded") >= missed, PATIENCE)
    finally:
        fragile.servers.postgres.start()

    def stored():
        answer = known.asks("First.", "ok", "Second.", "ok", "Third.")
        return answer.headers.get("x-memory-stored") == "yes"

    assert wait_until(stored, PATIENCE, pause=0.5)
    told = ["First.", "ok", "Second.", "ok", "Third.", "ok"]
    assert wait_until(lambda: known.said() == told, PATIENCE)
    # The calls of the outage are in the accounts now, between the one before it and the one after it.
    settled = "select settled_at is not null from memory.model_calls where being_id = %s and purpose = 'chat'"
    assert wait_until(lambda: known.rows(settled) == [(True,)] * (GRACE_REQUESTS + 2), PATIENCE)


@contextmanager
def crashed(redis: Server) -> Iterator[None]:
    redis.crash()
    try:
        yield
    finally:
        redis.start()


@contextmanager
def suspended(redis: Server) -> Iterator[None]:
    os.kill(redis.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(redis.pid, signal.SIGCONT)


@pytest.mark.parametrize("without", [crashed, suspended])
def test_without_redis_nothing_changes(fragile, without):
    person = fragile.person()
    # With a key a summary of these turns is due at once, and Redis would be sent its message.
    person.stores_key("sk-of-the-user")
    said = ["Are you there?", "ok", "Good.", "ok", "Then listen."]
    with without(fragile.servers.redis):
        assert person.asks(*said).headers["x-memory-stored"] == "yes"
        due = "select dispatched_at is not null from memory.work where owner_id = %s and kind = 'rolling.summarise'"
        assert person.rows(due) == [(True,)]
        assert wait_until(lambda: person.said() == [*said, "ok"], PATIENCE)
        assert person.asks(*said, "ok", "I hear it.").headers["x-memory-stored"] == "yes"
        fragile.upstream.requests.clear()
        assert Talker(fragile, "patrol_made_up", None).asks("Hello.").status_code == 401
        assert fragile.upstream.requests == []


def test_with_the_tokens_out_of_reach_an_unknown_one_spends_nothing(fragile):
    known, unknown = fragile.person(), fragile.person()
    known.asks("First.")
    with psycopg.connect(fragile.servers.database_url) as blocking:
        blocking.execute("lock table memory.api_tokens in access exclusive mode")
        fragile.upstream.requests.clear()
        for token in (unknown.secret, "patrol_made_up"):
            assert Talker(fragile, token, None).asks("Hello.").status_code == 503
        assert fragile.upstream.requests == []
        answer = known.asks("First.", "ok", "Second.")
        assert (answer.status_code, answer.headers["x-memory-stored"]) == (200, "no")

    def stored():
        answer = known.asks("First.", "ok", "Second.")
        return answer.headers.get("x-memory-stored") == "yes"

    # The database is asked again a little later, which the next test relies on.
    assert wait_until(stored, PATIENCE, pause=0.5)


def test_a_slow_memory_is_not_waited_for(fragile):
    person = fragile.person()
    person.asks("First.")
    assert wait_until(lambda: person.said() == ["First.", "ok"], PATIENCE)
    with psycopg.connect(fragile.servers.database_url) as blocking:
        blocking.execute("lock table memory.messages in access exclusive mode")
        answer = person.asks("First.", "ok", "Second.")
        assert answer.status_code == 200
        assert (answer.headers["x-memory-recall"], answer.headers["x-memory-stored"]) == ("late", "pending")
    person.asks("First.", "ok", "Second.", "ok", "Third.")
    assert wait_until(lambda: person.said() == ["First.", "ok", "Second.", "ok", "Third.", "ok"], PATIENCE)


def test_a_slow_recall_is_not_waited_for_and_the_turn_is_stored(fragile):
    person = fragile.person()
    with psycopg.connect(fragile.servers.database_url) as blocking:
        # What a context shows is recorded here before it is handed over.
        blocking.execute("lock table memory.receipts in access exclusive mode")
        fragile.upstream.requests.clear()
        answer = person.asks("First.")
        assert (answer.headers["x-memory-recall"], answer.headers["x-memory-stored"]) == ("late", "yes")
        assert fragile.upstream.requests[0].body["messages"] == wire("First.")
    assert wait_until(lambda: person.said() == ["First.", "ok"], PATIENCE)


def test_an_upstream_that_is_silent_or_gone_is_an_error_in_openais_form(fragile):
    person = fragile.person()
    fragile.upstream.replies.append(Reply.silence())
    silent = person.asks("Hello.")
    assert (silent.status_code, silent.json()["error"]["code"]) == (504, "upstream_timeout")
    gone = person.asks("Hello.", model="gone/fake-1")
    assert (gone.status_code, gone.json()["error"]["code"]) == (502, "upstream_failed")
    assert "127.0.0.1" not in gone.text
    fragile.upstream.replies.append(Reply.document({"error": {"message": "No."}}, 500))
    assert person.asks("Hello.").status_code == 500
    # A call that may be charged for counts as reserved; one that was not sent, or was refused, costs nothing.
    calls = "select provider, cost > 0 from memory.model_calls where being_id = %s order by started_at"
    assert wait_until(lambda: person.rows(calls) == [("main", True), ("gone", False), ("main", False)], PATIENCE)


def test_a_kill_in_the_middle_of_an_answer_is_repaired_by_the_next_transcript(fragile):
    person = fragile.person()
    fragile.upstream.replies.append(Reply.stream("I was ", "about to", ending="wait"))
    headers = {"Authorization": f"Bearer {person.secret}", "X-Memory-Conversation": "chat"}
    body = {"model": "fake-1", "stream": True, "messages": wire("What did you want to say?")}
    url = f"{fragile.url}/openai/v1/chat/completions"
    with httpx2.stream("POST", url, headers=headers, json=body, timeout=PATIENCE) as answer:
        chunks = answer.iter_raw()
        received = b""
        while b"about to" not in received:
            received += next(chunks)
        fragile.kill()
    fragile.start()
    assert person.said() == ["What did you want to say?"]
    person.asks("What did you want to say?", "I was about to", "Yes?")
    told = ["What did you want to say?", "I was about to", "Yes?", "ok"]
    assert wait_until(lambda: person.said() == told, PATIENCE)
