"""Frontends and upstreams really send odd characters and lengths, and answers that keep to no form."""

import json

import httpx2
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.proxy.test_memory import said
from tests.fakes.upstream import Reply, completion


def event(words, part="delta"):
    return b"data: " + json.dumps({"choices": [{"index": 0, part: {"content": words}}]}).encode() + b"\n\n"


STREAM = event("Under ") + event("the mat.") + b"data: [DONE]\n\n"
DOCUMENT = json.dumps(completion("Under the mat.")).encode()
ANSWERS = {
    "a document of parts": (json.dumps(completion([{"type": "text", "text": "Under the mat."}])).encode(), "json"),
    "a stream that says that it is JSON": (STREAM, "json"),
    "a document that says that it is a stream": (DOCUMENT, "event-stream"),
    "a document of no type": (DOCUMENT, None),
    "no final line end": (STREAM.removesuffix(b"\n\ndata: [DONE]\n\n"), "event-stream"),
    "bare CR": (STREAM.replace(b"\n", b"\r"), "event-stream"),
    "empty and null pieces": (b"data:\n\n" + event("Under ") + b"data: null\n\n" + event("the mat."), "event-stream"),
    "pieces behind the end": (STREAM + b"data: {\n\n" + event("No."), "event-stream"),
    "a byte order mark": (b"\xef\xbb\xbf" + STREAM, "event-stream"),
    "odd usage": (event("Under the mat.") + b'data: {"usage": {"prompt_tokens": "n/a"}}\n\n', "event-stream"),
    "messages": (event("Under ", "message") + event("the mat.", "message"), "event-stream"),
}


@pytest.fixture
def ask(proxy, person):
    """Send a transcript, written as many clients write it; returns the raw answer."""
    with httpx2.Client(headers={"Authorization": f"Bearer {secret_of(person)}"}, timeout=PATIENCE) as client:
        yield lambda body: client.post(
            f"{proxy.base_url}/chat/completions", content=body, headers={"Content-Type": "application/json"}
        )


def asking(words, **options):
    return json.dumps({"model": "fake-1", "messages": [{"role": "user", "content": words}], **options}).encode()


@pytest.mark.parametrize("form", ANSWERS)
@pytest.mark.parametrize("size", [3, 1 << 20])
def test_an_odd_answer_passes_byte_for_byte_and_is_taken_in(proxy, ask, person, wait_until, form, size):
    body, kind = ANSWERS[form]
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    media = {"json": "application/json", "event-stream": "text/event-stream"}.get(kind)
    proxy.upstream.replies.append(Reply(parts, headers={"content-type": media} if media else {}, chunked=True))
    answer = ask(asking("Where is the key?", stream=True, stream_options={"include_usage": True}))
    assert answer.content == body
    wait_until(lambda: said(person) == [("user", "Where is the key?"), ("assistant", "Under the mat.")])


def test_an_answer_that_breaks_off_is_taken_in_as_far_as_it_came(proxy, ask, person, wait_until):
    broken = Reply([event("Under "), event("the mat."), b'data: {"choi'], ending="drop", chunked=True)
    proxy.upstream.replies.append(broken)
    with pytest.raises(httpx2.RemoteProtocolError):
        ask(asking("Where is the key?", stream=True))
    wait_until(lambda: said(person) == [("user", "Where is the key?"), ("assistant", "Under the mat.")])


def test_halves_of_characters_lose_neither_side(proxy, ask, person, wait_until):
    proxy.upstream.replies.append(
        Reply([event("Under the mat \ud83d") + event("\ude00!")], headers={"content-type": "text/event-stream"})
    )
    answer = ask(b'{"model":"fake-1","messages":[{"role":"user","name":"Z\\u0000o","content":"hi \\ud83d Rex"}]}')
    assert answer.headers["x-memory-stored"] == "yes"
    wait_until(lambda: said(person) == [("other", "hi \ufffd Rex"), ("assistant", "Under the mat \U0001f600!")])
    assert b"\\ud83d Rex" in proxy.upstream.requests[-1].raw, "the upstream gets what the client wrote"


def test_of_a_long_turn_the_beginning_is_stored_and_the_header_says_so(ask, person, wait_until):
    long = "tar and feathers " * 8000
    answer = ask(asking(long))
    assert answer.headers["x-memory-stored"] == "shortened"
    wait_until(lambda: len(said(person)) == 2)
    (_, kept), (_, said_then) = said(person)
    assert (long.startswith(kept), len(kept) > 60_000, said_then) == (True, True, "ok")
    again = json.loads(asking(long))
    again["messages"] += [{"role": "assistant", "content": "ok"}, {"role": "user", "content": "And now?"}]
    assert ask(json.dumps(again).encode()).headers["x-memory-stored"] == "yes"
    wait_until(lambda: len(said(person)) == 4)


def test_of_a_long_answer_the_beginning_is_stored(proxy, ask, person, wait_until):
    proxy.upstream.replies.append(Reply.stream(*["tar and feathers " * 100] * 300))
    ask(asking("Tell me all.", stream=True))
    wait_until(lambda: len(said(person)) == 2)
    assert said(person)[1][1].startswith("tar and feathers tar")
