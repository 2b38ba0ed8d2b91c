"""Exports of other programs are imported at the terminal, also after a kill."""

import json
import signal
import subprocess

import pytest

from tests.acceptance.cli.conftest import PATROL
from workers.embedded.processes import wait_until

CONVERSATIONS, LINES = 80, 60


@pytest.fixture
def file(tmp_path):
    """A Claude export with 4,800 messages."""
    conversations = [
        {
            "uuid": f"k-{number}",
            "created_at": "2026-02-01T09:00:00Z",
            "chat_messages": [
                {
                    "uuid": f"m-{number}-{place}",
                    "sender": "human" if place % 2 else "assistant",
                    "text": "More marzipan.",
                    "created_at": f"2026-02-01T09:{place:02}:00Z",
                }
                for place in range(LINES)
            ],
        }
        for number in range(CONVERSATIONS)
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(conversations))
    return path


def test_an_import_that_is_killed_goes_on_with_the_same_command(patrol, account, ledger, file):
    arguments = ["import", "--from", "claude", file, "-b", account.being, "-u", account.user]

    def stored():
        with ledger.transaction() as tx:
            return tx.execute(
                "select count(*), count(distinct m.producer_id) as ids from memory.messages as m"
                " join memory.beings as b using (being_id) where b.slug = %s",
                [account.being],
            ).fetchone()

    running = subprocess.Popen(
        [PATROL, *map(str, arguments)], cwd=patrol.home, env=patrol.environment, stderr=subprocess.DEVNULL
    )
    assert wait_until(lambda: stored()["count"] >= 1000 or running.poll() is not None, 120)
    running.send_signal(signal.SIGKILL)
    running.wait()
    before = stored()["count"]
    assert 1000 <= before < CONVERSATIONS * LINES
    done = patrol.json(*arguments)
    assert (done["known"], done["messages"]) == (before, CONVERSATIONS * LINES - before)
    assert tuple(stored().values()) == (CONVERSATIONS * LINES,) * 2
    again = patrol(*arguments)
    assert f"0 messages, {CONVERSATIONS * LINES} known already" in again.stdout
    assert "entries: 0 messages, " in again.stderr


def test_entries_that_can_not_be_imported_are_told_and_set_aside(patrol, account, tmp_path):
    file = tmp_path / "memories.json"
    file.write_text(json.dumps({"results": [{"id": "m-1", "memory": "Likes tea."}, {"id": "m-2"}]}))
    arguments = ["import", "--from", "mem0", file, "-b", account.being, "-u", account.user]
    ran = patrol(*arguments, code=1)
    assert "memory 2: it has no `memory`" in ran.stderr
    aside = tmp_path / "memories.json.set-aside.jsonl"
    assert aside.stat().st_mode & 0o077 == 0
    assert json.loads(aside.read_text())["entry"] == {"id": "m-2"}
    file.write_text("Dear diary")
    assert "no JSON document" in patrol(*arguments, code=1).stderr
    assert "--from" in patrol("import", file, "-b", account.being, "--aged", code=2).stderr
    assert "is a file" in patrol("import", "-", "-b", account.being, "--from", "mem0", code=2).stderr
