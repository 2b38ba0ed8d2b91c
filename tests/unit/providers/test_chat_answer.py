"""The answer of a chat completion, read beside the bytes that are passed on."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers import chat_answer
from providers.chat_answer import AnswerReader, ChatAnswer
from providers.thinking import Usage
from tests.fakes.upstream import USAGE, Reply, completion

EVENTS = "text/event-stream; charset=utf-8"
DOCUMENT = "application/json"


def read(content_type, *chunks, ended=True, encoding=None):
    reader = AnswerReader(content_type, encoding)
    for chunk in chunks:
        reader.feed(chunk)
    return reader.answer(ended=ended)


def test_a_document_is_read():
    body = json.dumps(completion("Good morning.")).encode()
    usage = Usage(input_tokens=USAGE["prompt_tokens"], output_tokens=USAGE["completion_tokens"])
    expected = ChatAnswer("Good morning.", 1, "fake-1", usage, complete=True)
    assert read(DOCUMENT, body[:40], body[40:]) == expected


@given(st.lists(st.text(min_size=1), max_size=4), st.integers(1, 7))
def test_a_stream_is_read_however_it_is_cut(words, size):
    body = Reply.stream(*words, usage=True).body
    answer = read(EVENTS, *(body[at : at + size] for at in range(0, len(body), size)))
    assert (answer.text, answer.choices, answer.complete, answer.readable) == ("".join(words), 1, True, True)
    assert answer.usage == Usage(input_tokens=USAGE["prompt_tokens"], output_tokens=USAGE["completion_tokens"])


def test_a_stream_that_breaks_off_is_read_as_far_as_it_came():
    body = Reply.stream("Once ", "upon", " a time", ending="drop").body
    answer = read(EVENTS, body[:-9], ended=False)
    assert (answer.text, answer.complete, answer.readable) == ("Once upon", False, True)


def test_a_stream_without_its_end_mark_is_not_complete():
    assert not read(EVENTS, Reply.stream("Once", ending="drop").body).complete


def test_a_document_that_breaks_off_says_nothing():
    answer = read(DOCUMENT, b'{"choices": [{"mess', ended=False)
    assert (answer.text, answer.complete, answer.readable) == ("", False, True)


def test_a_stream_is_known_by_its_type_in_any_case():
    assert read("Text/Event-Stream", Reply.stream("Hi").body).text == "Hi"


def test_line_ends_and_comments_of_other_servers_are_read():
    event = b'{"choices": [{"delta": {"content": "Hi"}}]}'
    assert read(EVENTS, b": ping\r\n\r\ndata:" + event + b"\r\n\r\ndata: [DONE]\r\n\r\n").text == "Hi"


def test_the_first_of_several_choices_is_read():
    answer = read(DOCUMENT, json.dumps(completion("One.", choices=2)).encode())
    assert (answer.text, answer.choices) == ("One.", 2)


def test_reasoning_and_tool_calls_are_no_text():
    deltas = [{"reasoning_content": "Hm."}, {"content": None, "tool_calls": []}, {"content": "Yes."}]
    assert read(EVENTS, Reply.deltas(*deltas).body).text == "Yes."


def test_cached_tokens_are_counted_apart():
    usage = {"prompt_tokens": 10, "completion_tokens": 2, "prompt_tokens_details": {"cached_tokens": 8}}
    answer = read(DOCUMENT, json.dumps({**completion("Hi."), "usage": usage}).encode())
    assert answer.usage == Usage(input_tokens=2, output_tokens=2, cache_read_tokens=8)


@pytest.mark.parametrize(
    "body", [b"data: no JSON\n\n", b"data: [1]\n\n", b'data: {"choices": [3]}\n\n', b'data: {"choices": 3}\n\n']
)
def test_what_is_no_answer_is_unreadable_and_no_error(body):
    answer = read(EVENTS, Reply.stream("Hi", ending="drop").body, body)
    assert (answer.readable, answer.text) == (False, "")


def test_a_compressed_answer_is_not_read():
    # Whatever its bytes look like.
    answer = read(DOCUMENT, json.dumps(completion("Hi.")).encode(), encoding="gzip")
    assert (answer.readable, answer.text) == (False, "")


@pytest.mark.parametrize(("most_text", "most_bytes"), [(10, 10_000), (10_000, 100)])
def test_an_answer_beyond_the_limits_is_held_no_longer(monkeypatch, most_text, most_bytes):
    monkeypatch.setattr(chat_answer, "MOST_TEXT", most_text)
    monkeypatch.setattr(chat_answer, "MOST_BYTES", most_bytes)
    reader = AnswerReader(EVENTS)
    reader.feed(Reply.stream("Once upon ", "a time", ending="drop").body + b"data: " + b"x" * 200)
    answer = reader.answer(ended=True)
    assert (answer.readable, answer.text) == (False, "")
