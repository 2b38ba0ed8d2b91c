"""No key is ever seen: not in logs, tables, Redis, events, errors, or the arguments of processes."""

import threading
from base64 import b64encode
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import httpx2
import pytest
from redis import Redis

from cli.operations.stack import api_command
from memory.accounts import access
from store.accounts import beings
from tests.acceptance.conftest import PATIENCE, answers
from tests.acceptance.ledger.conftest import BAKERY
from tests.ports import free_port

BROUGHT = "sk-ant-brought+with/a~request=0123456789abcdef"
STORED = "sk-ant-stored+by/a~user=fedcba9876543210zyxw"
REFUSED = "wrong-key+that/nobody~takes=0011223344556677"
PLATFORM = "sk-ant-platform+of/those~who=run-this-8899aabb"
SECRET = "the+secret/that~seals=of-thirty-two-letters-and-more"  # noqa: S105  # of this test alone
SECRETS = [BROUGHT, STORED, REFUSED, PLATFORM, SECRET]


def disguises(secret):
    """The bytes of a secret as they are, quoted, and inside base64 wherever they begin in it."""
    raw = secret.encode()
    yield raw
    yield quote(secret, safe="").encode()
    yield raw.hex().encode()
    for offset in range(3):
        encoded = b64encode(b"\0" * offset + raw).rstrip(b"=")
        yield encoded[4 if offset else 0 : -2]


@contextmanager
def overheard(url):
    """All commands that a Redis receives while the block runs, Celery's events among them."""
    heard: list[str] = []
    with Redis.from_url(url) as client, client.monitor() as monitor:

        def listen():
            for command in monitor.listen():
                heard.append(command["command"])
                if "overheard enough" in command["command"]:
                    return

        thread = threading.Thread(target=listen)
        thread.start()
        try:
            yield heard
        finally:
            with Redis.from_url(url) as other:
                other.echo("overheard enough")
            thread.join()


@pytest.fixture
def commands():
    """The commands by which the test starts processes: a fork shows that of the process it is a fork of."""
    return []


@pytest.fixture
def launch(launch, commands):
    def recorded(command, *options, **more):
        commands.append(command)
        return launch(command, *options, **more)

    return recorded


@pytest.fixture
def door(life):
    """The API over the same ledger, and a client who may do everything; all that is started now can think."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    life.started.settings |= {
        "ANTHROPIC_API_KEY": PLATFORM,
        "ANTHROPIC_BASE_URL": life.provider.url,
        "PATROL_SECRET_KEY": SECRET,
        "PATROL_LOG_LEVEL": "DEBUG",
    }
    life.started.start("api", api_command("127.0.0.1", port, 1))
    with life.store.transaction() as tx:
        user_id = beings.get_being(tx, life.being_id).user_id
    secret, _ = access.issue_token(
        life.store, user_id, being_id=None, scopes=["ingest", "read", "manage"], lifetime=None
    )
    with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {secret}"}, timeout=PATIENCE) as client:
        yield client


def everything(life):
    """Every row of every table, as text."""
    with life.store.transaction() as tx:
        tables = tx.execute("select table_name from information_schema.tables where table_schema = 'memory'").fetchall()
        for table in tables:
            for row in tx.execute(f"select t::text from memory.{table['table_name']} as t"):  # noqa: S608  # our own names
                yield f"{table['table_name']}: {row['t']}"


def arguments():
    """The arguments of every process that can be looked at."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            yield (process / "cmdline").read_text(errors="replace")
        except OSError:
            continue


def test_no_key_is_seen_anywhere(life, door, redis, redis_client, commands, wait_until):
    life.worker()
    wait_until(lambda: answers(str(door.base_url), "/health/live"))
    being, said = f"/v1/beings/{life.being_id}", []

    def ask(method, path, **options):
        answer = door.request(method, path, **options)
        said.append(answer.text)
        return answer

    def patrol():
        run = ask("POST", f"{being}/patrols").json()["run_id"]
        wait_until(lambda: door.get(f"{being}/patrols/{run}").json()["state"] == "done")
        return ask("GET", f"{being}/patrols/{run}").json()

    with overheard(redis.url) as heard:
        notes = [
            {"type": "scene", "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"]}}
            for action in BAKERY
        ]
        assert ask("POST", f"{being}/notes", json=notes, headers={"X-LLM-API-Key": BROUGHT}).status_code == 202
        patrol()
        ask("POST", f"{being}/notes", json=notes, headers={"X-LLM-API-Key": REFUSED, "X-LLM-Provider": "anthropic"})
        refused = patrol()
        assert ask("POST", "/v1/keys", json={"key": STORED}).status_code == 201
        ask("POST", f"{being}/notes", json=notes)
        patrol()
        ask("POST", f"{being}/notes", json=notes, headers={"X-LLM-API-Key": f"{BROUGHT} and more"})
        ask("POST", "/v1/keys", json={"key": f"{STORED} and more"})
        ask("GET", "/v1/keys")
        ask("GET", "/v1/cost")
    places = {
        "a log": [path.read_text(errors="replace") for path in (life.settings.home / "logs").iterdir()],
        "a table": list(everything(life)),
        "Redis": [repr(redis_client.dump(key)) for key in redis_client.scan_iter()],
        "what Redis was told": heard,
        "an answer": said,
        "the arguments of a process": [*arguments(), *map(repr, commands)],
    }

    with life.store.transaction() as tx:
        rows = tx.execute("select distinct paid_with from memory.model_calls where provider = 'anthropic'")
        assert {row["paid_with"] for row in rows} == {"request", "user"}
    consolidated = {step["step"]: step for step in refused["steps"]}["consolidate"]
    assert (consolidated["outcome"], "refuses the key that ends in 6677" in consolidated["reason"]) == ("skipped", True)
    for place, texts in places.items():
        assert texts, place
        for secret in SECRETS:
            for disguise in disguises(secret):
                seen = [text for text in texts if disguise.decode() in text]
                assert not seen, f"{secret} was seen in {place}"
