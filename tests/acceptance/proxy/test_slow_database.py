"""The proxy on a database that is slow, and not down: every turn is stored, and no user waits for another's load."""

import asyncio
import json
import sys
import tempfile
from collections import Counter
from pathlib import Path

import httpx2
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tests.acceptance.conftest import ENVIRONMENT, PATIENCE
from tests.acceptance.proxy.fragile import KEYS_SECRET, Fragile
from tests.fakes.slow_server import slow_way
from tests.fakes.upstream import Reply, running_upstream
from tests.processes.clusters import migrated_servers
from workers.embedded.processes import wait_until

# Twice as many as go on by an earlier verification of the token (PATROL_PROXY_GRACE_REQUESTS).
CHATS = 40
# A chat sends its database some 60 messages one after the other.
LATE_SECONDS = 0.002


@pytest.fixture(scope="module")
def slowed(launch):
    """The proxy with its default patience, and the way to its database."""
    with (
        tempfile.TemporaryDirectory(prefix="patrol-") as home,
        migrated_servers(Path(home)) as servers,
        running_upstream() as upstream,
    ):
        sockets = Path(conninfo_to_dict(servers.database_url)["host"])
        (socket,) = (each for each in sockets.glob(".s.PGSQL.*") if each.is_socket())
        with slow_way(socket, Path(home) / socket.name) as way:
            environment = {
                **ENVIRONMENT,
                "PATROL_HOME": home,
                "DATABASE_URL": make_conninfo(servers.database_url, host=home),
                "REDIS_URL": servers.redis_url,
                "PATROL_SECRET_KEY": KEYS_SECRET,
                "PATROL_PROXY_UPSTREAMS": json.dumps({"main": {"base_url": upstream.url, "key": "sk-platform"}}),
                "PATROL_PRICES": json.dumps({"fake-1": {"input": 0.01, "output": 0.01}}),
            }
            running = Fragile(servers, upstream, environment, Path(home) / "api.log", launch)
            running.start()
            yield running, way
            running.kill()
        # Shown when a test fails.
        sys.stderr.write(running.log.read_text())


@pytest.mark.long
def test_forty_chats_of_a_user_at_a_time_lose_no_turn_and_hold_up_no_other_user(slowed):
    fragile, way = slowed
    loaded, other = fragile.person(), fragile.person()
    url = f"{fragile.url}/openai/v1/chat/completions"

    async def chat(client, talker, number):
        headers = {"Authorization": f"Bearer {talker.secret}", "X-Memory-Conversation": f"chat {number}"}
        body = {"model": "fake-1", "messages": [{"role": "user", "content": f"Turn {number} of many."}]}
        answer = await client.post(url, headers=headers, json=body)
        return answer.status_code, answer.headers.get("x-memory-stored"), answer.text

    async def all_chats():
        limits = httpx2.Limits(max_connections=None)
        async with httpx2.AsyncClient(timeout=PATIENCE, limits=limits) as client:
            await chat(client, loaded, "one before")
            way.seconds = LATE_SECONDS
            chats = [asyncio.ensure_future(chat(client, loaded, number)) for number in range(CHATS)]
            # Another user's first request, for which no earlier one vouches, once all of them are begun: they wait
            # equally long, and on a fast machine all are answered within less time than a request takes.
            await asyncio.sleep(0)
            others = await chat(client, other, "theirs")
            unfinished = sum(not one.done() for one in chats)
            return await asyncio.gather(*chats), others, unfinished

    told, others, unfinished = asyncio.run(all_chats())

    assert others[0] == 200, others
    assert others[1] in {"yes", "pending"}
    assert unfinished
    assert {status for status, _, _ in told} == {200}, [text for status, _, text in told if status != 200][:3]
    assert {stored for _, stored, _ in told} <= {"yes", "pending"}
    asked = {"Turn one before of many."} | {f"Turn {number} of many." for number in range(CHATS)}
    expected = Counter({**dict.fromkeys(asked, 1), "ok": CHATS + 1})
    assert wait_until(lambda: Counter(loaded.said()) == expected, PATIENCE), expected - Counter(loaded.said())
    settled = (
        "select count(*) filter (where outcome = 'answered'), count(*) from memory.model_calls where being_id = %s"
    )
    assert wait_until(lambda: loaded.rows(settled) == [(CHATS + 1, CHATS + 1)], PATIENCE), loaded.rows(settled)
    assert wait_until(lambda: other.said() == ["Turn theirs of many.", "ok"], PATIENCE)
    assert "proxy.turn_not_stored" not in fragile.log.read_text()
    assert "patrol_proxy_turns_not_stored_total{" not in fragile.metrics()


def test_an_error_of_the_upstream_does_not_wait_for_the_database_and_the_turn_is_stored(slowed):
    fragile, way = slowed
    talker = fragile.person()
    headers = {"Authorization": f"Bearer {talker.secret}"}

    def chat(words):
        body = {"model": "fake-1", "messages": [{"role": "user", "content": words}]}
        url = f"{fragile.url}/openai/v1/chat/completions"
        return httpx2.post(url, headers=headers, json=body, timeout=PATIENCE)

    way.seconds = 0.0
    assert chat("Before.").status_code == 200
    assert wait_until(lambda: "ok" in talker.said(), PATIENCE)
    way.seconds = 0.3
    fragile.upstream.replies.append(Reply([], 307))
    assert chat("In the midst of it.").status_code == 502
    assert "In the midst of it." not in talker.said()
    way.seconds = 0.0
    assert wait_until(lambda: "In the midst of it." in talker.said(), PATIENCE)
