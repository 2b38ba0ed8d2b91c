"""The plugin for Claude Code: its hooks with recorded events, and its MCP configuration with the SDK's client."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from schemas.settings import CHECKOUT
from tests.acceptance.conftest import PATIENCE

PLUGIN = CHECKOUT / "adapters" / "claude-code"
RECORDED = Path(__file__).parent / "claude_code"
EVENTS = {
    event["hook_event_name"]: event
    for event in map(json.loads, (RECORDED / "events.jsonl").read_text("utf-8").splitlines())
}


@pytest.fixture
def environment(stack, person):
    """What a person sets for the plugin."""
    token = person.with_token(["ingest", "read"]).headers["authorization"].removeprefix("Bearer ")
    set_by_person = {"MEMORY_PATROL_URL": stack.url, "MEMORY_PATROL_TOKEN": token, "MEMORY_PATROL_BEING": "mira"}
    return set_by_person | {"CLAUDE_PLUGIN_ROOT": str(PLUGIN), "PATH": os.environ["PATH"], "NO_PROXY": "127.0.0.1"}


@pytest.fixture
def hook(environment):
    """Run a hook as Claude Code does, by the command of its configuration."""
    configured = json.loads((PLUGIN / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]

    def run(name, **changes):
        event = EVENTS[name] | {"transcript_path": str(RECORDED / "transcript.jsonl")} | changes
        ((entry,),) = [group["hooks"] for group in configured[name]]
        command = entry["command"].replace("python3", sys.executable, 1)
        return subprocess.run(
            ["sh", "-c", command],  # noqa: S607  # as Claude Code runs it
            input=json.dumps(event),
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )

    return run


def said(person):
    with person.ledger.transaction() as tx:
        return tx.execute(
            "select role, content, conversation from memory.messages where being_id = %s order by created_at",
            [person.being.being_id],
        ).fetchall()


def test_a_session_that_is_not_saved_leaves_nothing(hook, person, tmp_path):
    for name in ("Stop", "PreCompact", "SessionEnd"):
        ran = hook(name, transcript_path=str(tmp_path / "none.jsonl"))
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert said(person) == []


def test_a_session_is_handed_in_once_whichever_events_come(hook, person):
    for name in ("Stop", "PreCompact", "SessionEnd", "Stop"):
        ran = hook(name)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert [(row["role"], row["content"]) for row in said(person)] == [
        ("user", "The oven driver is written in Rust, keep it so."),
        ("assistant", "I look at the driver first."),
        ("assistant", "It is Rust and stays Rust."),
    ]
    assert {row["conversation"] for row in said(person)} == {"claude-code/5e55"}


def entry(number, content, **fields):
    at = f"2026-03-02T{number // 60:02}:{number % 60:02}:00Z"
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": f"u{number}", "sessionId": "s1", "timestamp": at, "message": message, **fields}


def test_no_character_and_no_length_loses_a_session(hook, person, tmp_path):
    transcript = tmp_path / "s1.jsonl"
    entries = [
        entry(0, "Before."),
        entry(1, "cut \ud83d"),
        entry(2, "x" * 200_000),
        entry(3, "After.", uuid="\ud83d\0"),
    ]
    transcript.write_text("\n".join(map(json.dumps, entries)))
    ran = hook("SessionEnd", transcript_path=str(transcript))
    assert (ran.returncode, ran.stderr) == (0, "")
    words = [row["content"] for row in said(person)]
    assert (words[0], words[1], words[2][:9], words[3]) == ("Before.", "cut \ufffd", "x" * 9, "After.")
    assert hook("UserPromptSubmit", prompt="What \ud83d " + "now " * 30_000).returncode == 0


def test_what_was_refused_is_told_and_the_rest_is_taken_in(hook, person, tmp_path):
    transcript = tmp_path / "s1.jsonl"
    late = {"timestamp": "2126-03-02T20:00:00Z"}
    entries = [entry(number, f"Words {number}.", **(late if number >= 100 else {})) for number in range(160)]
    transcript.write_text("\n".join(json.dumps({**one, "uuid": f"v{n}"}) for n, one in enumerate(entries)))
    ran = hook("SessionEnd", transcript_path=str(transcript))
    assert ran.returncode == 1, "only an exit code of 2 would block"
    assert "60 of the messages were refused: created_at" in ran.stderr
    assert len(said(person)) == 100


def test_what_was_told_before_comes_with_the_prompt(hook, person):
    person.ask("POST", "/facts", json=[{"type": "PROJECT", "content": "The oven driver is in Rust.", "pinned": True}])
    told = json.loads(hook("UserPromptSubmit").stdout)["hookSpecificOutput"]
    assert told["hookEventName"] == "UserPromptSubmit"
    assert "The oven driver is in Rust." in told["additionalContext"]


def test_a_session_goes_on_without_memory(hook, environment):
    environment["MEMORY_PATROL_URL"] = "http://127.0.0.1:1"
    ran = hook("UserPromptSubmit")
    # Only an exit code of 2 would block.
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "not reached" in ran.stderr
    environment["MEMORY_PATROL_TOKEN"] = ""
    assert "MEMORY_PATROL_TOKEN" in hook("Stop").stderr


def test_the_mcp_configuration_connects(environment):
    def expanded(text):
        return re.sub(r"\$\{(\w+)(?::-[^}]*)?\}", lambda found: environment[found[1]], text)

    (server,) = json.loads(expanded((PLUGIN / ".mcp.json").read_text("utf-8")))["mcpServers"].values()

    async def tools():
        async with (
            httpx2.AsyncClient(headers=server["headers"], timeout=PATIENCE) as http,
            Client(streamable_http_client(server["url"], http_client=http)) as client,
        ):
            return {tool.name for tool in (await client.list_tools()).tools}

    assert {"search", "recall", "remember"} <= anyio.run(tools)
