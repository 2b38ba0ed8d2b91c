"""Producers that share Redis: the examples of docs/interfaces.md run as they are written."""

import json
import re
import subprocess
import sys

import pytest
from redis import Redis

from schemas.settings import CHECKOUT
from tests.acceptance.cli.conftest import PATIENCE
from workers.embedded.processes import wait_until

DOORS = (CHECKOUT / "docs" / "interfaces.md").read_text()
BEING = "0199d6a8-5c00-7000-8000-000000000001"
PORT = "127.0.0.1:6379"


def section(title):
    return DOORS.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def example(title, language):
    """The first example in a language of a section."""
    found, *_ = re.findall(rf"```{language}\n(.*?)```", section(title), re.DOTALL)
    assert BEING in found
    return found


def test_up_prints_the_address_for_producers_and_says_that_talk_becomes_no_facts(patrol):
    greeting = " ".join((patrol.home / "greeting").read_text().split())
    assert f"redis://127.0.0.1:{(patrol.home / 'redis_port').read_text()}" in greeting
    assert "no facts are extracted from them" in greeting


@pytest.mark.parametrize(("title", "count"), [("Redis streams", "messages"), ("Celery by name", "notes_pending")])
def test_an_example_in_python_hands_something_in(patrol, account, title, count):
    before = account.json("overview")[count]
    code = example(title, "python").replace(PORT, f"127.0.0.1:{(patrol.home / 'redis_port').read_text()}")
    code = code.replace(BEING, str(account.being_id))
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=patrol.environment)
    assert wait_until(lambda: account.json("overview")[count] == before + 1, PATIENCE, pause=0.2)


def test_the_example_of_the_shell_hands_something_in(patrol, account):
    (entry,) = re.findall(r"XADD patrol:notes '\*' data '(.*?)'", example("Redis streams", "sh"), re.DOTALL)
    with Redis(port=int((patrol.home / "redis_port").read_text())) as redis:
        redis.xadd("patrol:notes", {"data": json.dumps(json.loads(entry) | {"being": str(account.being_id)})})
    assert wait_until(lambda: account.json("overview")["notes_pending"] == 1, PATIENCE, pause=0.2)
