"""A model remembers through the official SDK's own client, over HTTP with a token, and over stdio."""

import json
import subprocess
import sys
from contextlib import asynccontextmanager
from functools import partial

import anyio
import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from tests.acceptance.conftest import ENVIRONMENT, PATIENCE, new_address, without_passages
from tests.acceptance.http.intake.scenes import scene
from tests.acceptance.tokens import SCOPES_ALONE, USELESS, useless_secret
from tests.databases import of_processes

SCENE = {"action": "The crimson letter was burnt.", "actors": ["Mira"], "when": ["2026-03-02"]}
FELT = SCENE | {
    "emotion": {"valence": -0.4, "arousal": 0.5, "dominance": 0.1, "safety": 0, "novelty": 0.3, "trust": -1}
}


@asynccontextmanager
async def over_http(stack, person, scopes, being=None):
    headers = dict(person.with_token(scopes, being_id=being).headers)
    async with (
        httpx2.AsyncClient(headers={"Authorization": headers["authorization"]}, timeout=PATIENCE) as http,
        Client(streamable_http_client(f"{stack.url}/mcp", http_client=http)) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(program, stack, person, *_):
    environment = ENVIRONMENT | {**of_processes(stack.database_url), "REDIS_URL": stack.broker_url}
    command, *arguments = [*program, "mcp", "--being", str(person.being.being_id)]
    async with Client(StdioServerParameters(command=command, args=arguments, env=environment)) as client:
        yield client


async def call(client, tool, **arguments):
    """A tool's answer, as a value; an error as its text."""
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        return result.content[0].text
    return result.structured_content.get("result", result.structured_content)


@pytest.fixture
def program(preloaded, tmp_path):
    """The command `patrol`."""
    return [str(preloaded.program(tmp_path / "patrol"))] if preloaded else [sys.executable, "-m", "cli"]


@pytest.fixture(params=["http", "stdio"])
def transport(request, stack, person, program):
    return partial(over_http, stack, person) if request.param == "http" else partial(over_stdio, program, stack, person)


def test_what_is_remembered_comes_to_mind(transport, person):
    async def live():
        async with transport(["ingest", "read"]) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert tools.keys() == {"search", "ask", "recall", "recall_memory", "search_memory", "remember", "context"}
            assert all(tool.description for tool in tools.values())
            noted = await call(client, "remember", **FELT, id="letter", importance=0.9)
            assert not noted["known_already"]
            assert (await call(client, "remember", **FELT, id="letter", importance=0.9))["known_already"]
            assert "other content" in await call(client, "remember", **(SCENE | {"action": "No."}), id="letter")
            await anyio.to_thread.run_sync(person.patrol)
            (node,) = await anyio.to_thread.run_sync(lambda: person.ask("GET", "/nodes").json()["nodes"])
            assert node["emotion"] == FELT["emotion"]
            impression = await call(client, "recall", query="What became of the letter?")
            assert impression["memories"] is None
            assert SCENE["action"] in impression["fragments"]
            mind = await call(client, "recall", query="What became of the letter?", memories=True)
            assert [memory["action"] for memory in mind["memories"]] == [SCENE["action"]]
            assert mind["fragments"].startswith("<recalled_memory>")
            topic = await call(client, "recall_memory", cluster_id=mind["memories"][0]["topic"])
            assert [memory["action"] for memory in topic["memories"]] == [SCENE["action"]]
            assert len(await call(client, "search_memory", query="crimson")) == 1
            assert SCENE["action"] in await call(client, "context", message="What became of the letter?")

    anyio.run(live)


def test_a_context_is_of_the_chat_that_a_model_names(transport, person):
    for chat, words in (("tab-1", "We sail at noon."), ("tab-2", "I am at home.")):
        person.ask("POST", "/messages", json={"role": "user", "content": words, "conversation": chat})

    async def live():
        async with transport(["read"]) as client:
            named = await call(client, "context", conversation="tab-1")
            assert "We sail at noon." in named
            assert "I am at home." not in without_passages(named)
            unnamed = await call(client, "context", conversation="")
            # What was said in other chats is memory, and no line of this one.
            own = without_passages(unnamed)
            assert not any(words in own for words in ("We sail", "I am at home"))
            assert "at most 200 char" in await call(client, "context", conversation="x" * 201)

    anyio.run(live)


def test_a_model_is_told_what_it_can_mend(transport, stack):
    async def ask():
        async with transport(["ingest", "read"]) as client:
            assert "empty" in await call(client, "recall", query=" ")
            assert "empty" in await call(client, "search_memory", query="")
            assert "no cluster" in await call(
                client, "recall_memory", cluster_id="00000000-0000-0000-0000-000000000000"
            )
            assert "action" in await call(client, "remember", **(SCENE | {"action": " "}))
            assert "arousal" in await call(client, "remember", **SCENE, emotion={"valence": 0.5})
            assert "no Being" in await call(client, "recall", query="x", being="a\0b")
            assert "at most 8000 char" in await call(client, "search_memory", query="crimson " * 2000)
            assert "at most 8000 char" in await call(client, "recall", query="crimson " * 2000)
            assert "no Being" in await call(client, "recall", query="x", being="another-being")

    anyio.run(ask)
    assert "crimson" not in (stack.logs / "api.log").read_text()


def test_a_model_is_told_which_arguments_were_ignored(transport, person):
    async def ask():
        async with transport(["ingest", "read"]) as client:
            for tool, given, names in (
                ("remember", SCENE | {"when": [2026], "mood": "sad", "place": "", "callId": "7"}, "mood, callId"),
                ("remember", {"scene": SCENE | {"mood": "sad"}}, "mood"),
                ("context", {"query": "letter"}, "query"),
                ("search", {"q": "letter"}, "q"),
                ("search", {"query": "letter", "since": None}, ""),
            ):
                result = await client.call_tool(tool, given)
                ignored = [f"Ignored, as `{tool}` has no such arguments: {names}."] if names else []
                assert [part.text for part in result.content[1:]] == ignored
                assert result.is_error == (given.keys() == {"q"})

    anyio.run(ask)
    assert {tuple(note["content"]["when"]) for note in person.ask("GET", "/notes").json()["notes"]} == {
        ("2026",),
        tuple(SCENE["when"]),
    }


def test_arguments_are_read_as_models_write_them(transport, person, wait_until):
    send = partial(person.ask, "POST", "/messages")
    said = {"role": "user", "content": "The kiln is crimson \U0001f525.", "created_at": "2026-03-02T22:30:00Z"}
    assert send(json=said).json()["accepted"] == 1
    asked = {"query": "kiln", "kinds": ["message"]}
    wait_until(lambda: not person.ask("POST", "/search", json=asked).json()["unindexed"])

    async def ask():
        async with transport(["ingest", "read"]) as client:
            blank = {"being": "", "speaker": "", "kinds": "", "since": "", "until": "null", "neighbours": ""}
            for asked in (
                {"limit": "5", **blank},
                {"limit": "", "since": "2026-03-02", "until": "2026-03-02", "kinds": "message", "neighbours": "1"},
                {"since": "2026-03-02T22:30:00", "until": "2026-03-03"},
            ):
                found = await call(client, "search", query="crimson kiln \0", **asked)
                assert isinstance(found, dict), (asked, found)
            for dates, is_found in (
                ({"since": "2026-03-02"}, True),
                ({"since": "2026-03-03"}, False),
                ({"until": "2026-03-02"}, True),
                ({"until": "2026-03-01"}, False),
                ({"since": "2026-03-02", "until": "2026-03-02"}, True),
            ):
                found = await call(client, "search", query="crimson kiln", kinds=["message"], **dates)
                assert bool(found["results"]) == is_found, dates
            scene = {"action": "Half \0 of it.", "actors": "Mira", "when": "2026-03-02", "importance": "0.7"}
            words = {"setting": "", "dialogue": "", "themes": "fire", "id": "", "feeling": "", "being": "null"}
            felt = dict.fromkeys(("valence", "arousal", "dominance", "safety", "novelty", "trust"), "0.5")
            assert not (await call(client, "remember", **scene, **words, emotion=felt))["known_already"]
            assert not (await call(client, "remember", **SCENE, emotion="", importance=""))["known_already"]
            assert not (await call(client, "remember", scene=SCENE | {"action": "Nested."}))["known_already"]
            await call(client, "recall", query="The kiln", limit="3", memories="true", being="")
            assert await call(client, "search_memory", query="kiln", mode="", limit="2") is not None
            assert "crimson" in await call(client, "context", message="", process="")

    anyio.run(ask)
    notes = person.ask("GET", "/notes").json()["notes"]
    (half,) = [note["content"] for note in notes if note["content"]["action"] == "Half \ufffd of it."]
    assert (half["actors"], half["importance"], half["emotion"]["trust"]) == (["Mira"], 0.7, 0.5)


CALL = {"jsonrpc": "2.0", "method": "crimson"}


@pytest.mark.parametrize(
    "body",
    [[CALL | {"id": 1}], {"method": "crimson"}, 3, "crimson", CALL, *(CALL | {"id": id_} for id_ in (None, 1.5))],
)
def test_what_is_no_message_of_the_protocol_is_not_repeated(stack, person, body):
    headers = {**person.with_token(["read"]).headers, "Accept": "application/json"}
    answer = httpx2.post(f"{stack.url}/mcp", json=body, headers=headers, timeout=PATIENCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32600)
    assert "crimson" not in answer.text
    assert "pydantic" not in answer.text


def test_an_id_is_a_whole_number_however_it_is_written(stack, person):
    headers = {**person.with_token(["read"]).headers, "Accept": "application/json", "Content-Type": "application/json"}
    body = b'{"jsonrpc":"2.0","id":7.0,"method":"ping"}'
    answer = httpx2.post(f"{stack.url}/mcp", content=body, headers=headers, timeout=PATIENCE)
    assert (answer.status_code, answer.json()) == (200, {"jsonrpc": "2.0", "id": 7, "result": {}})


RAW = b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"remember","arguments":{"action":"Half \\ud83d'
RAW += b'","actors":["\\ud83d\\ude00"],"when":["2026-03-02"]}}}'


def test_half_of_a_character_is_answered_over_http(stack, person):
    headers = {
        **person.with_token(["ingest", "read"]).headers,
        "Accept": "application/json",
        "MCP-Protocol-Version": "2025-06-18",
    }
    headers["Content-Type"] = "application/json"
    answer = httpx2.post(f"{stack.url}/mcp", content=RAW, headers=headers, timeout=PATIENCE)
    assert answer.status_code == 200, answer.text
    assert not answer.json()["result"].get("isError"), answer.text
    (note,) = person.ask("GET", "/notes").json()["notes"]
    assert (note["content"]["action"], note["content"]["actors"]) == ("Half \ufffd", ["\U0001f600"])


def test_half_of_a_character_is_answered_over_stdio(stack, person, program):
    environment = ENVIRONMENT | {**of_processes(stack.database_url), "REDIS_URL": stack.broker_url}
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "raw", "version": "1"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    with subprocess.Popen(
        [*program, "mcp", "--being", str(person.being.being_id)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as served:
        try:
            for line in (json.dumps(hello).encode(), json.dumps(ready).encode(), RAW):
                served.stdin.write(line + b"\n")
                served.stdin.flush()
            answers = {answer.get("id"): answer for answer in (json.loads(served.stdout.readline()) for _ in range(2))}
        finally:
            served.terminate()
    assert not answers[7]["result"].get("isError"), answers
    (note,) = person.ask("GET", "/notes").json()["notes"]
    assert note["content"]["action"] == "Half \ufffd"


def test_a_token_opens_no_more_than_elsewhere(stack, person, newcomer):
    stranger = newcomer()
    person.add_being("second")

    async def ask():
        async with over_http(stack, person, ["read"]) as client:
            assert "lacks the scope `ingest`" in await call(client, "remember", **SCENE)
            assert "Name a being" in await call(client, "recall", query="letter")
            assert "memories" in await call(client, "recall", query="letter", being="second")
            assert "no Being" in await call(client, "recall", query="x", being=str(stranger.being.being_id))
        async with over_http(stack, person, ["read"], person.being.being_id) as client:
            assert "memories" in await call(client, "recall", query="letter")
            assert "no Being" in await call(client, "recall", query="x", being="second")

    anyio.run(ask)


def test_without_a_token_there_is_no_answer(stack, person, problem):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    problem(httpx2.post(f"{stack.url}/mcp", content=json.dumps(hello), timeout=PATIENCE), 401)
    problem(person.with_secret("patrol_guessed").post("/mcp", json=hello), 401)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_no_client_listens_or_ends_a_session_where_there_is_none(person, problem, method):
    answer = person.client.request(method, "/mcp", headers={"Accept": "text/event-stream"})
    assert "POST" in problem(answer, 405)["detail"]
    assert answer.headers["allow"] == "POST"


TOOLS_BY_SCOPE = {
    "read": {"search", "ask", "recall", "recall_memory", "search_memory", "context"},
    "ingest": {"remember"},
    "manage": set(),
}
ASKED = {
    "search": {"query": "letter"},
    "ask": {"question": "letter"},
    "recall": {"query": "letter"},
    "recall_memory": {"cluster_id": "00000000-0000-0000-0000-000000000000"},
    "search_memory": {"query": "letter"},
    "remember": SCENE,
    "context": {},
}


def called(client, tool, **more):
    """The answer to calling a tool, without a session before it."""
    asked = {"name": tool, "arguments": ASKED[tool]}
    headers = {"Accept": "application/json, text/event-stream", **more}
    return client.post(
        "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}, headers=headers
    )


@pytest.mark.parametrize("shown", [*USELESS, "an operator's token"])
def test_what_is_no_valid_token_of_a_users_calls_no_tool(person, problem, shown):
    person.ask("POST", "/notes", json=scene("The crimson letter was burnt."))
    secret = useless_secret(person, shown, None)
    for tool in ASKED:
        # The API delays its answers to an address that keeps sending wrong tokens.
        answer = called(person.with_secret(secret, new_address()), tool)
        if shown == "an operator's token":
            assert "operator's token" in answer.json()["result"]["content"][0]["text"], tool
            assert answer.json()["result"]["isError"], tool
        else:
            problem(answer, 401)
        assert "crimson" not in answer.text, tool
    assert len(person.ask("GET", "/notes").json()["notes"]) == 1


@pytest.mark.parametrize("scope", SCOPES_ALONE)
def test_a_token_calls_the_tools_of_its_scopes_alone(person, scope):
    client = person.with_token([scope])
    refused = {tool for tool in ASKED if "lacks the scope" in called(client, tool).text}
    assert ASKED.keys() - refused == TOOLS_BY_SCOPE[scope]


def test_a_login_of_the_page_calls_no_tool(person, problem):
    logged_in = person.with_page_login(person.with_token())
    for headers in ({}, {"X-Memory-Page": ""}):
        problem(called(logged_in, "remember", **headers), 401)
    assert person.ask("GET", "/notes").json()["notes"] == []


def test_what_other_doors_took_comes_to_mind_here(stack, person):
    person.ask("POST", "/notes", json=scene("Jon brought a blue kite."))
    person.patrol()

    async def ask():
        async with over_http(stack, person, ["read"]) as client:
            assert "kite" in (await call(client, "recall", query="the kite"))["fragments"]

    anyio.run(ask)


def test_a_search_brings_the_cards_of_those_whom_it_names(stack, person):
    fact = {
        "type": "PEOPLE",
        "content": "Nora is a nurse.",
        "entity_refs": ["person:nora"],
        "entity_label": "Nora",
        "importance": 2,
    }
    assert person.ask("POST", "/facts", json=[fact]).is_success

    async def ask():
        async with over_http(stack, person, ["read"]) as client:
            found = await call(client, "search", query="Who is Nora?")
            assert [(card["label"], card["facts"]) for card in found["entities"]] == [("Nora", ["Nora is a nurse."])]
            assert "results" in found

    anyio.run(ask)


def test_what_is_muted_is_told_to_no_model_and_found_by_who_manages_the_memory(stack, person, wait_until):
    for conversation, words in (("kept", "The kiln is for glazing."), ("muted", "The kiln cracked from overfiring.")):
        person.ask("POST", "/messages", json={"role": "user", "content": words, "conversation": conversation})
    question = {"query": "kiln", "kinds": ["message"]}
    wait_until(lambda: not person.ask("POST", "/search", json=question).json()["unindexed"])
    muted = person.ask("POST", "/mutes", json={"kind": "conversation", "target": "muted"})
    assert muted.status_code == 201
    assert person.ask("POST", "/mutes", json={"kind": "conversation", "target": "muted"}).status_code == 200
    assert [one["target"] for one in person.ask("GET", "/mutes").json()["mutes"]] == ["muted"]

    def finds_it(client):
        found = client.post(f"/v1/beings/{person.being.being_id}/search", json=question).json()["results"]
        return any("overfiring" in one["text"] for one in found)

    reader = person.with_token(["read"])
    assert finds_it(person.client)
    assert not finds_it(reader)

    async def ask():
        async with over_http(stack, person, ["read", "ingest", "manage"]) as client:
            told = [
                await call(client, "search", query="kiln overfiring"),
                await call(client, "ask", question="Why did the kiln crack?"),
                await call(client, "context", message="Why did the kiln crack?"),
                await call(client, "context", conversation="muted"),
            ]
            assert "glazing" in json.dumps(told)
            assert "overfiring" not in json.dumps(told)

    anyio.run(ask)
    assert person.ask("DELETE", f"/mutes/{muted.json()['mute_id']}").status_code == 204
    assert finds_it(reader)


def test_an_erased_scene_is_not_remembered_again(stack, person):
    async def live():
        async with over_http(stack, person, ["ingest", "read"]) as client:
            noted = await call(client, "remember", **SCENE, id="letter")
            erased = await anyio.to_thread.run_sync(
                lambda: person.ask("POST", f"/notes/{noted['note_id']}/erase").json()
            )
            assert erased["notes"] == 1
            again = await call(client, "remember", **SCENE)
            assert (again["note_id"], again["erased"], again["known_already"]) == (None, True, False)

    anyio.run(live)
