"""Off the record no word is left anywhere: every door is spoken to with planted words, and everything is searched."""

import json
from itertools import count
from pathlib import Path

import anyio
import pytest
from celery import Celery
from redis import Redis

from tests.acceptance.http.test_mcp import over_http
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.proxy.test_memory import asked, said
from tests.fakes.upstream import Reply, completion
from tests.full_being import tables_with
from workers.streams import rejected

WORD = "quittenmarmelade"
NUMBERS = count()
# What is asked of the memory, with where the question stands.
QUESTIONS = {
    "/recall": "query",
    "/search_memory": "query",
    "/search": "query",
    "/ask": "question",
    "/context": "message",
}


def planted():
    """A sentence that nothing else holds."""
    return f"I hid {WORD} number {next(NUMBERS)} behind the oven."


def traces(person, stack):
    """The places of a planted word: tables, keys in Redis, and files of the system's but the servers' own."""
    with person.ledger.transaction() as tx:
        found = {f"table {name}" for name in tables_with(tx, WORD)}
    with Redis.from_url(stack.redis_url) as redis:
        for key in redis.scan_iter():
            if WORD.encode() in (redis.dump(key) or b"") or any(
                WORD.encode() in entry for entry in entries(redis, key)
            ):
                found.add(f"key {key.decode()}")
    logs = (path for path in Path(stack.logs).rglob("*") if path.is_file())
    return found | {f"file {path.name}" for path in logs if WORD.encode() in path.read_bytes()}


def entries(redis, key):
    """The entries of a stream; a dump compresses them."""
    return [repr(one).encode() for one in redis.xrange(key)] if redis.type(key) == b"stream" else []


def copies(person):
    """How many answers to repeated requests are stored for a person."""
    with person.ledger.transaction() as tx:
        return tx.value("select count(*) from memory.request_answers where user_id = %s", [person.user.user_id])


def counts(person):
    """The effects of being found on memories, and what contexts record."""
    with person.ledger.transaction() as tx:
        being = [person.being.being_id]
        found = tx.value("select sum(reactivation_count) from memory.memory_nodes where being_id = %s", being)
        return found, tx.value("select count(*) from memory.receipts where being_id = %s", being)


@pytest.fixture
def remembers(person):
    """A person whose Being has a memory that is found."""
    scene = {"action": "Jam was boiled behind the oven.", "actors": ["Mira"], "when": ["2026-03-02"]}
    assert person.ask("POST", "/notes", json={"type": "scene", "content": scene}).is_success
    person.patrol()
    return person


def marked(request):
    """A request that says itself that it is off the record."""
    return {**request, "off_the_record": True}


def ask_everything(person, mark):
    """Ask and tell over every route, with an Idempotency-Key."""
    for path, name in QUESTIONS.items():
        headers = {"Idempotency-Key": f"key {next(NUMBERS)}"}
        answer = person.ask("POST", path, json=mark({name: planted()}), headers=headers)
        assert answer.json()["off_the_record"] is True, answer.text
    parts = person.ask("POST", "/ask/stream", json=mark({"question": planted()})).text
    assert '"off_the_record":true' in parts
    told = mark({"messages": [{"role": "user", "content": planted(), "id": "m1"}]})
    turn = person.ask("POST", "/turns", json=told, headers={"Idempotency-Key": "turn"}).json()
    assert (turn["receipt"]["off_the_record"], turn["receipt"]["ids"]) == ([0], [None])
    assert (turn["context"]["off_the_record"], "context_id" in turn["context"]) == (True, False)
    for message in ({"conversation": "tab-1"}, {"id": "m2", "metadata": {"in_confidence": True}}):
        handed = mark({"role": "user", "content": planted(), **message})
        receipt = person.ask("POST", "/messages", json=handed).json()
        assert (receipt["accepted"], receipt["off_the_record"], receipt["rejected"]) == (0, [0], [])


def proxy_everything(proxy, sdk, claude, **options):
    """Chat over the three wires, with and without a stream; returns what the answers say was stored."""
    replies = [Reply.document(completion(planted())), Reply.stream(planted()[:12], planted()[12:])]
    proxy.upstream.replies.extend(replies)
    chat, line = sdk(), {"role": "user", "content": planted()}
    told = []
    for stream in (False, True):
        with chat.chat.completions.with_streaming_response.create(
            model="fake-1", messages=[line], stream=stream, **options
        ) as answer:
            told.append(answer.headers["x-memory-stored"])
            answer.read()
        assert "off_the_record" not in proxy.upstream.requests[-1].body
        assert planted().split(" number")[0] in proxy.upstream.requests[-1].raw.decode()
    answer = chat.responses.with_raw_response.create(model="fake-1", input=planted(), **options)
    told.append(answer.headers["x-memory-stored"])
    answer = claude().messages.with_raw_response.create(model="fake-1", max_tokens=9, messages=[line], **options)
    told.append(answer.headers["x-memory-stored"])
    assert all("off_the_record" not in one.body for one in proxy.upstream.requests)
    return told


def test_a_marked_request_leaves_no_word_through_any_door(stack, proxy, sdk, claude, remembers, wait_until):
    person = remembers
    before, kept = counts(person), copies(person)
    ask_everything(person, marked)
    stored = proxy_everything(proxy, sdk, claude, extra_body={"off_the_record": True})
    stored += proxy_everything(proxy, sdk, claude, extra_headers={"X-Memory-Off-The-Record": "true"})
    assert set(stored) == {"off-the-record"}
    assert "Jam was boiled" in proxy.upstream.requests[-1].raw.decode(), "memory is read"

    with Redis.from_url(stack.redis_url) as redis:
        being = str(person.being.being_id)
        note = {"type": "todo", "content": planted()}
        with Celery("foreign", broker=stack.broker_url, set_as_current=False) as foreign:
            messages = [marked({"role": "user", "content": planted()}), {"role": "user", "content": "It rained."}]
            foreign.send_task("ingest.messages", [being, messages], queue="ingest", task_id=f"off-{being}")
            foreign.send_task("ingest.notes", [being, marked(note)], queue="ingest", task_id=f"bad-{being}")

        def refused():
            found = [
                one
                for one in rejected.listed(redis)
                if one.id.startswith((f"celery/off-{being}", f"celery/bad-{being}"))
            ]
            return len(found) == 2 and found

        # Its sender learns why, and that nothing is left to send again.
        wait_until(refused)
        assert all(one.data == b"" and not one.whole for one in refused())
    wait_until(lambda: ("user", "It rained.") in said(person))
    wait_until(lambda: traces(person, stack) == set())
    assert (counts(person), copies(person)) == (before, kept)
    assert [line for _, line in said(person)] == ["It rained."]
    assert value_of_calls(person) >= 8


def value_of_calls(person):
    """How many chat calls are in the accounts."""
    with person.ledger.transaction() as tx:
        return tx.value(
            "select count(*) from memory.model_calls where owner_id = %s and purpose = 'chat'",
            [person.being.being_id],
        )


def test_a_being_that_is_off_the_record_keeps_nothing_until_it_is_on_it_again(
    stack, proxy, sdk, claude, remembers, wait_until
):
    person = remembers
    path = f"/v1/beings/{person.being.being_id}"
    assert person.client.patch(path, json={"off_the_record": True}).json()["off_the_record"] is True
    before, kept = counts(person), copies(person)
    ask_everything(person, dict)
    assert set(proxy_everything(proxy, sdk, claude)) == {"off-the-record"}
    assert person.ask("POST", "/notes", json={"type": "todo", "content": planted()}).status_code == 422
    knowledge = {"items": [{"namespace": ["jam"], "key": "1", "value": {"words": planted()}}]}
    assert person.ask("POST", "/knowledge", json=knowledge).status_code == 409
    assert person.ask("PUT", "/working-memory/jam", json=[{"content": planted()}]).status_code == 409
    export = {"program": "mem0", "file": "memories.json", "text": json.dumps([{"memory": planted()}])}
    assert person.ask("POST", "/imports", json=export).status_code == 409

    async def use_tools():
        async with over_http(stack, person, ["ingest", "read", "manage"], person.being.being_id) as client:
            for tool, name in (("ask", "question"), ("search", "query"), ("recall", "query"), ("context", "message")):
                assert not (await client.call_tool(tool, {name: planted()})).is_error
            scene = {"action": planted(), "actors": ["Mira"], "when": ["2026-03-02"]}
            return (await client.call_tool("remember", scene)).is_error

    assert anyio.run(use_tools), "remembering is refused"
    wait_until(lambda: traces(person, stack) == set())
    assert (counts(person), copies(person)) == (before, kept)

    assert person.client.patch(path, json={"off_the_record": False}).is_success
    assert person.ask("POST", "/messages", json={"role": "user", "content": "It rained."}).json()["accepted"] == 1


def test_a_conversation_alone_is_off_the_record(person):
    path = f"/v1/beings/{person.being.being_id}"
    changed = person.client.patch(path, json={"off_the_record_in": {"tab-1": True, "tab-2": True}}).json()
    assert changed["off_the_record_in"] == ["tab-1", "tab-2"]
    two = [{"role": "user", "content": f"In {tab}.", "conversation": tab} for tab in ("tab-1", "tab-3")]
    assert person.ask("POST", "/messages", json=two).json()["off_the_record"] == [0]
    turn = person.ask("POST", "/turns", json={"messages": two[:1]}).json()
    assert turn["context"]["off_the_record"] is True
    assert person.ask("POST", "/context", json={"conversation": "tab-1"}).json()["off_the_record"] is True
    assert person.ask("POST", "/context", json={"conversation": "tab-3"}).json()["off_the_record"] is False
    assert (
        person.ask("PUT", "/working-memory/jam", params={"conversation": "tab-1"}, json=[{"content": "x"}]).status_code
        == 409
    )
    assert person.client.patch(path, json={"off_the_record_in": {"tab-1": False}}).json()["off_the_record_in"] == [
        "tab-2"
    ]
    assert person.ask("POST", "/messages", json=two[0]).json()["accepted"] == 1
    assert person.client.patch(path, json={"off_the_record_in": {f"c{n}": True for n in range(100)}}).status_code == 409
    assert person.with_token(scopes=["ingest", "read"]).patch(path, json={"off_the_record": True}).status_code == 403


def test_a_chat_that_goes_on_on_the_record_keeps_what_is_said_then(proxy, sdk, person, wait_until):
    first, second = planted(), planted()
    proxy.upstream.replies.append(Reply.document(completion("Whom did you tell of it?")))
    assert asked(sdk(), first, extra_body={"off_the_record": True}).headers["x-memory-stored"] == "off-the-record"
    # Its digest is written once the answer has gone out.
    answer = asked(sdk(), first, "Whom did you tell of it?", second)
    assert answer.headers["x-memory-stored"] == "yes"
    wait_until(lambda: said(person) == [("user", second), ("assistant", "ok")])


@pytest.mark.parametrize(
    "headers",
    [
        {"x_memory_conversation": "temporary:socket-1"},
        {"x_memory_conversation": "local:socket-1"},
        {"x_openwebui_chat_id": "local:socket-1"},
        {"x_memory_off_the_record": "1"},
    ],
)
def test_a_temporary_chat_leaves_no_word_and_reads_memory(sdk, remembers, headers):
    answer = asked(sdk(**headers), "I will quit on Monday, with the jam.", "Why?", "The pay.")
    assert (answer.headers["x-memory-stored"], answer.headers["x-memory-recall"]) == ("off-the-record", "included")
    assert said(remembers) == []
    with remembers.ledger.transaction() as tx:
        placed = tx.execute("select 1 from memory.transcript_turns where being_id = %s", [remembers.being.being_id])
        assert placed.fetchall() == []


@pytest.mark.parametrize("value", ["", "false", "0", "{{TEMPORARY}}"])
def test_a_header_that_says_no_is_no_mark(sdk, value):
    assert asked(sdk(x_memory_off_the_record=value), "Hello.").headers["x-memory-stored"] == "yes"


@pytest.mark.parametrize("mark", [{"off_the_record": "true"}, {"off_the_record": 1}, {"Off_The_Record": True}])
def test_a_mark_that_is_none_is_refused_and_not_taken_for_the_record(proxy, person, mark):
    token = secret_of(person)
    body = {"model": "fake-1", "messages": [{"role": "user", "content": "Hello."}], **mark}
    answer = person.client.post(
        f"{proxy.base_url}/chat/completions", json=body, headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 400
    assert said(person) == []
