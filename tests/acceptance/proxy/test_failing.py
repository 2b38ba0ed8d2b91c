"""The proxy while a part is down: Postgres, Redis, the upstream, or the proxy itself. Each part is really down."""

import json
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx2
import psycopg
import pytest

from tests.acceptance.conftest import ENVIRONMENT, PATIENCE
from tests.acceptance.proxy.fragile import KEYS_SECRET, Fragile, Talker
from tests.fakes.upstream import Reply, completion, running_upstream
from tests.frontends import wire
from tests.processes.clusters import migrated_servers
from workers.embedded.processes import wait_until
from workers.embedded.server import Server
from workers.embedded.supervisor import Launch

# Long enough for the memory on a loaded machine, and short enough to wait for.
MEMORY_PATIENCE = 5.0
GRACE_REQUESTS = 3


@pytest.fixture(scope="module")
def fragile(launch: Launch) -> Iterator[Fragile]:
    """The proxy and its servers, for all tests of this module: each leaves them running."""
    with (
        tempfile.TemporaryDirectory(prefix="patrol-") as home,
        migrated_servers(Path(home)) as servers,
        running_upstream() as upstream,
    ):
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
            "PATROL_CONNECTION_PATIENCE": str(MEMORY_PATIENCE),
            # So that a slow memory is not ended by the statement's own timeout.
            "PATROL_STATEMENT_TIMEOUT": str(2 * PATIENCE),
            "PATROL_PRICES": json.dumps({"fake-1": {"input": 1, "output": 2}}),
        }
        running = Fragile(servers, upstream, environment, Path(home) / "api.log", launch)
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
        # Each waits at its end as long as the patience is, for what can't be recorded.
        with ThreadPoolExecutor(GRACE_REQUESTS) as at_once:
            answers = list(at_once.map(lambda _: known.asks("First.", "ok", "Second."), range(GRACE_REQUESTS)))
        for answer in answers:
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
        # A turn that is told as not stored is in the log, and in the metrics.
        told = [line for line in fragile.log.read_text().splitlines() if "proxy.turn_not_stored" in line]
        assert len(told) == GRACE_REQUESTS + 1
        assert all("Second." not in line for line in told)
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
    not_stored = f'patrol_proxy_turns_not_stored_total{{header="no",upstream="main"}} {GRACE_REQUESTS + 1}.0'
    assert not_stored in fragile.metrics().splitlines()


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


def test_with_the_tokens_out_of_reach_an_unknown_one_spends_nothing_and_a_known_ones_turn_is_stored(fragile):
    known, unknown = fragile.person(), fragile.person()
    known.asks("First.")
    with psycopg.connect(fragile.servers.database_url) as blocking:
        blocking.execute("lock table memory.api_tokens in access exclusive mode")
        fragile.upstream.requests.clear()
        assert Talker(fragile, unknown.secret, None).asks("Hello.").status_code == 503
        assert fragile.upstream.requests == []
        answer = known.asks("First.", "ok", "Second.")
        assert (answer.status_code, answer.headers["x-memory-stored"]) == (200, "yes")
    assert wait_until(lambda: known.said() == ["First.", "ok", "Second.", "ok"], PATIENCE)


def test_with_the_budget_out_of_reach_the_turn_is_stored_and_the_cost_recorded_later(fragile):
    known = fragile.person()
    known.asks("First.")
    with psycopg.connect(fragile.servers.database_url) as blocking:
        # Every reservation adds to what was spent.
        blocking.execute("lock table memory.spending in exclusive mode")
        answer = known.asks("First.", "ok", "Second.")
        assert (answer.status_code, answer.headers["x-memory-stored"]) == (200, "pending")
        assert wait_until(lambda: "Second." in known.said(), PATIENCE)
    assert wait_until(lambda: known.said() == ["First.", "ok", "Second.", "ok"], PATIENCE)
    settled = "select outcome from memory.model_calls where being_id = %s and purpose = 'chat'"
    assert wait_until(lambda: known.rows(settled) == [("answered",)] * 2, PATIENCE)


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
