"""Requests that real programs sent, replayed: talk is stored word for word, what they ask for themselves is not.

Each file in `recordings` is a chat of one program, recorded by an upstream in its place, or made by its own code of
*Prompt Post-Processing* with a note in the talk and instructions behind it; card texts are replaced by
short ones. `exchanges` are the bodies that it sent with the answers that it got and, where it matters, how the proxy
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

RECORDINGS = sorted((Path(__file__).parent / "recordings").glob("*.json"))


@pytest.mark.parametrize("file", RECORDINGS, ids=[file.stem for file in RECORDINGS])
def test_a_recorded_chat_is_stored_as_it_was_said(proxy, person, wait_until, file):
    recorded = json.loads(file.read_text("utf-8"))
    headers = {"authorization": f"Bearer {secret_of(person)}", **recorded.get("headers", {})}
    with httpx2.Client(base_url=proxy.url, headers=headers, timeout=PATIENCE) as program:
        for exchange in recorded["exchanges"]:
            words = exchange["answer"]
            streamed = exchange["body"].get("stream")
            proxy.upstream.replies.append(
                Reply.stream(words[:6], words[6:]) if streamed else Reply.document(completion(words))
            )
            answer = program.post("/openai/v1/chat/completions", json=exchange["body"])
            assert answer.status_code == 200, answer.text
            assert exchange.get("stored") in {None, answer.headers["x-memory-stored"]}
            assert words[6:] in answer.text
    stands = [tuple(one) for one in recorded["stands"]]
    wait_until(lambda: len(said(person)) >= len(stands))
    assert said(person) == stands
