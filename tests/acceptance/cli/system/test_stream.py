"""The door of Redis streams: what a producer writes is taken, and what can't be is listed and given back."""

import json
import re

import psycopg
import pytest
from redis import Redis

from tests.acceptance.cli.conftest import PATIENCE, Command, made_home, read_until
from workers.embedded.processes import wait_until
from workers.embedded.servers import running_servers


@pytest.fixture
def redis(patrol):
    servers = running_servers(patrol.home)
    assert servers is not None
    with Redis.from_url(servers.redis_url) as client:
        yield client


def test_what_is_written_to_a_stream_is_recalled(account, redis):
    scene = {"action": "The oven failed.", "actors": ["Mira"], "when": ["2026-03-02"]}
    note = {"being": str(account.being_id), "id": "by-stream", "type": "scene", "content": scene}
    redis.xadd("patrol:notes", {"data": json.dumps(note)})
    with account.ledger.transaction() as tx:
        count = "select count(*) from memory.notes where being_id = %s"
        assert wait_until(lambda: tx.execute(count, [account.being_id]).fetchone()["count"] == 1, PATIENCE)
    assert account.json("run")["state"] == "done"
    assert "The oven failed." in account("recall", "the oven").stdout


def test_a_reader_is_running(patrol):
    status = patrol.json("stream", "status")
    assert [one["stream"] for one in status["streams"]] == ["patrol:notes", "patrol:messages"]
    assert len(status["readers"]) == 1
    assert "stream.reads" in (patrol.home / "logs" / "stream.log").read_text()


def test_what_was_rejected_is_listed_and_given_back(patrol, account, redis):
    note = {"being": str(account.being_id), "type": "todo", "content": "My secret.", "wings": 2}
    redis.xadd("patrol:notes", {"data": json.dumps(note)})

    def rejected():
        return [one for one in patrol.json("stream", "rejected")["rejected"] if str(account.being_id) in one["data"]]

    assert wait_until(rejected, PATIENCE, pause=0.2)
    (one,) = rejected()
    assert "wings" in one["reason"]
    shown = patrol("stream", "rejected").stdout
    assert re.search("wings: .*not permitted", shown)
    assert "secret" not in shown
    assert "1 entry sent again" in patrol("stream", "replay", one["entry"]).stdout
    assert wait_until(rejected, PATIENCE, pause=0.2)
    assert rejected()[0]["id"] == one["id"]
    patrol("stream", "replay", one["entry"], code=1)
    patrol("stream", "replay", code=1)


def test_a_reader_that_starts_beside_the_migration_waits_for_it(new_database, preloaded):
    with new_database(template="empty") as url, made_home() as home, psycopg.connect(url, autocommit=True) as by:
        others = "select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
        command = Command(home, preloaded, DATABASE_URL=url, REDIS_URL="redis://127.0.0.1:1")
        reader = command.start("stream")
        assert wait_until(lambda: by.execute(others).fetchone() == (1,) or reader.poll() is not None, PATIENCE)
        command("migrate")
        # With the ledger open, it waits for Redis.
        read_until(reader, "stream.waits")
        reader.terminate()
        assert reader.wait(PATIENCE) == 0
        reader.stdout.close()
