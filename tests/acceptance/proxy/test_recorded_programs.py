"""Requests that real programs sent, replayed: talk is stored word for word, what they ask for themselves is not.

Each file in `recordings` is a chat of one program, recorded by an upstream in its place, or made by its own code of
*Prompt Post-Processing* with a note in the talk and instructions behind it; card texts are replaced by
short ones, and long texts are
shortened. `exchanges` are the bodies that it sent with the answers that it got and, where it matters, how the proxy
said that the turn is stored; `stands` is what was said.
"""

import json
from pathlib import Path

import httpx2
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.proxy.test_memory import said
from tests.fakes.upstream import Reply, completion
from tests.fakes.wire_answers import message, response, streamed_message, streamed_response

RECORDINGS = sorted((Path(__file__).parent / "recordings").rglob("*.json"))
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "weather", "arguments": '{"city": "Kyoto"}'}
CHAT = "/openai/v1/chat/completions"


@pytest.mark.parametrize("file", RECORDINGS, ids=[file.stem for file in RECORDINGS])
def test_a_recorded_chat_is_stored_as_it_was_said(proxy, person, wait_until, file):
    recorded = json.loads(file.read_text("utf-8"))
    headers = {"authorization": f"Bearer {secret_of(person)}", **recorded.get("headers", {})}
    with httpx2.Client(base_url=proxy.url, headers=headers, timeout=PATIENCE) as program:
        for number, exchange in enumerate(recorded["exchanges"], 1):
            words, path = exchange["answer"], exchange.get("path", CHAT)
            streamed = exchange["body"].get("stream")
            proxy.upstream.replies.append(answered(path.partition("?")[0], words, f"resp_{number}", streamed=streamed))
            answer = program.post(path, json=exchange["body"], headers=exchange.get("headers"))
            assert answer.status_code == 200, answer.text
            assert exchange.get("stored") in {None, answer.headers["x-memory-stored"]}
            assert words[6:] in answer.text
    stands = [tuple(one) for one in recorded["stands"]]
    wait_until(lambda: len(said(person)) >= len(stands))
    assert said(person) == stands


def answered(path, words, id_, *, streamed):
    """The upstream's answer, on the wire of a path; without words it calls a tool."""
    if path.endswith("/responses"):
        whole = response(words, id_, items=[] if words else [CALL])
        return streamed_response(words[:6], words[6:], id_=id_) if streamed and words else Reply.document(whole)
    if path.endswith("/messages"):
        return streamed_message(words[:6], words[6:]) if streamed else Reply.document(message(words))
    if not words:
        return Reply.document(completion(None, tool_calls=[{"id": "call_1", "type": "function", "function": CALL}]))
    return Reply.stream(words[:6], words[6:]) if streamed else Reply.document(completion(words))
