"""The real programs of agents against the proxy: what a person says to them is stored, and nothing else of theirs.

They are some 700 MB, so they run on demand, where they are installed: `npm install` in a copy of `agents/`, and the
name of that folder in `TESTS_AGENTS`. The OpenAI Agents SDK is one of Python's packages, and runs in this process.
"""

import asyncio
import json
import os
import subprocess
from pathlib import Path

import pytest
from agents import Agent, OpenAIChatCompletionsModel, OpenAIResponsesModel, RunConfig, Runner
from openai import AsyncOpenAI

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.proxy.test_memory import said

FIRST = "My sister Ingeborg moves to Bergen."
# What the libraries say on each wire.
FIRST_ON = "My sister Ingeborg moves to Bergen ({})."
SECOND_ON = "And when ({})?"
CODEX = """model = "fake-1"
model_provider = "mira"
web_search = "disabled"
[model_providers.mira]
name = "Mira"
base_url = "{url}/openai/v1"
env_key = "MIRA_TOKEN"
wire_api = "responses"
"""


@pytest.fixture
def installed() -> Path:
    """The folder where the programs are installed."""
    if not (folder := os.environ.get("TESTS_AGENTS")):
        pytest.skip("TESTS_AGENTS names no folder with the programs")
    return Path(folder)


@pytest.fixture
def run(tmp_path):
    """Runs a program in an empty folder and home."""
    folder = tmp_path / "work"
    folder.mkdir()

    def run(*command: str | Path, **environment: str) -> str:
        done = subprocess.run(
            command,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), "IS_SANDBOX": "1", **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run


def test_claude_code(proxy, person, installed, run):
    claude = [installed / "node_modules/.bin/claude", "-p", "--model", "fake-1", "--dangerously-skip-permissions"]
    where = {"ANTHROPIC_BASE_URL": f"{proxy.url}/anthropic", "ANTHROPIC_AUTH_TOKEN": secret_of(person)}
    where["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC"] = "1"
    assert "ok" in run(*claude, FIRST, **where)
    run(*claude, "--continue", "And when?", **where)
    assert said(person) == [("user", FIRST), ("assistant", "ok"), ("user", "And when?"), ("assistant", "ok")]
    assert {request.headers["x-api-key"] for request in proxy.upstream.requests} == {"sk-platform"}


def test_codex_cli(proxy, person, installed, run, tmp_path):
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex/config.toml").write_text(CODEX.format(url=proxy.url))
    codex = [installed / "node_modules/.bin/codex", "exec", "--skip-git-repo-check", "-s", "read-only"]
    token = {"MIRA_TOKEN": secret_of(person)}
    assert "ok" in run(*codex, FIRST, **token)
    run(*codex, "resume", "--last", "And when?", **token)
    assert said(person) == [("user", FIRST), ("assistant", "ok"), ("user", "And when?"), ("assistant", "ok")]


def test_cline(proxy, person, installed, run):
    cline, token = installed / "node_modules/.bin/cline", secret_of(person)
    run(cline, "auth", "openai", "--apikey", token, "--modelid", "fake-1", "--baseurl", proxy.base_url)
    run(cline, "-P", "openai", "-k", token, "-m", "fake-1", FIRST)
    assert said(person)[:2] == [("user", FIRST), ("assistant", "ok")]
    assert all(role != "user" or text == FIRST for role, text in said(person)), said(person)


@pytest.mark.parametrize("script", ["vercel.mjs", "langchain.mjs"])
def test_javascript_libraries(proxy, person, installed, run, script):
    run("node", installed / script, proxy.url, secret_of(person))
    assert_two_turns_on(["chat", "messages", "responses"], person)


def test_openai_agents_sdk(proxy, person):
    async def talk():
        client = AsyncOpenAI(base_url=proxy.base_url, api_key=secret_of(person), max_retries=0)
        models = {
            "responses": OpenAIResponsesModel(model="fake-1", openai_client=client),
            "chat": OpenAIChatCompletionsModel(model="fake-1", openai_client=client),
        }
        untraced = RunConfig(tracing_disabled=True)
        for name, model in models.items():
            agent = Agent(name="Mira", instructions="You are brief.", model=model)
            first = await Runner.run(agent, FIRST_ON.format(name), run_config=untraced)
            again = [*first.to_input_list(), {"role": "user", "content": SECOND_ON.format(name)}]
            await Runner.run(agent, again, run_config=untraced)
        await client.close()

    asyncio.run(talk())
    assert_two_turns_on(["chat", "responses"], person)


def assert_two_turns_on(wires, person):
    talk = said(person)
    users = sorted(text for role, text in talk if role == "user")
    told = (FIRST_ON, SECOND_ON)
    assert users == sorted(text.format(wire) for wire in wires for text in told), json.dumps(talk)
    assert [text for role, text in talk if role == "assistant"] == ["ok"] * 2 * len(wires)
