"""The answer of a chat completion, read beside the bytes that are passed on."""

import gzip
import json
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from providers.chat import answer_so_far, chat_answer, event_stream
from providers.chat.chat_answer import AnswerReader, ChatAnswer
from providers.chat.completion_events import CompletionEvents
from providers.completion import Usage
from schemas.text.storable import storable
from tests.fakes.upstream import USAGE, Reply, completion

SAID = "Under the mat."


def read(*chunks, ended=True, encoding=None):
    reader = AnswerReader(CompletionEvents, encoding)
    for chunk in chunks:
        reader.feed(chunk)
    return reader.answer(ended=ended)


def test_a_document_is_read():
    body = json.dumps(completion("Good morning.")).encode()
    usage = Usage(input_tokens=USAGE["prompt_tokens"], output_tokens=USAGE["completion_tokens"])
    expected = ChatAnswer("Good morning.", 1, "fake-1", usage, complete=True)
    assert read(body[:40], body[40:]) == expected


@given(st.lists(st.text(min_size=1), max_size=4), st.integers(1, 7))
def test_a_stream_is_read_however_it_is_cut(words, size):
    body = Reply.stream(*words, usage=True).body
    answer = read(*(body[at : at + size] for at in range(0, len(body), size)))
    assert (answer.text, answer.choices, answer.complete, answer.readable) == (storable("".join(words)), 1, True, True)
    assert answer.usage == Usage(input_tokens=USAGE["prompt_tokens"], output_tokens=USAGE["completion_tokens"])


def test_a_stream_that_breaks_off_is_read_as_far_as_it_came():
    body = Reply.stream("Once ", "upon", " a time", ending="drop").body
    answer = read(body[:-9], ended=False)
    assert (answer.text, answer.complete, answer.readable) == ("Once upon", False, True)


def test_a_stream_without_its_end_mark_is_not_complete():
    assert not read(Reply.stream("Once", ending="drop").body).complete


def test_a_document_that_breaks_off_is_read_as_far_as_it_came():
    body = json.dumps(completion("Under the mat.")).encode()
    answer = read(body[: body.index(b" mat")], ended=False)
    assert (answer.text, answer.complete, answer.readable) == ("Under the", False, True)
    answer = read(b'{"choices": [{"mess', ended=False)
    assert (answer.text, answer.complete, answer.readable) == ("", False, True)


def test_what_refuses_and_what_is_spoken_is_said():
    pieces = [{"delta": {"refusal": "I "}}, {"delta": {"refusal": "can't."}}]
    assert read(*(b"data: " + json.dumps({"choices": [one]}).encode() + b"\n\n" for one in pieces)).text == "I can't."
    spoken = {"content": None, "audio": {"data": "AA==", "transcript": "Hello."}}
    assert read(json.dumps({"choices": [{"message": spoken}]}).encode()).text == "Hello."


def test_line_ends_and_comments_of_other_servers_are_read():
    event = b'{"choices": [{"delta": {"content": "Hi"}}]}'
    assert read(b": ping\r\n\r\ndata:" + event + b"\r\n\r\ndata: [DONE]\r\n\r\n").text == "Hi"


def test_the_first_of_several_choices_is_read():
    answer = read(json.dumps(completion("One.", choices=2)).encode())
    assert (answer.text, answer.choices) == ("One.", 2)


def test_reasoning_and_tool_calls_are_no_text():
    deltas = [{"reasoning_content": "Hm."}, {"content": None, "tool_calls": []}, {"content": "Yes."}]
    assert read(Reply.deltas(*deltas).body).text == "Yes."


@pytest.mark.parametrize(
    "cached",
    [{"prompt_tokens_details": {"cached_tokens": 8}}, {"cached_tokens": 8}, {"prompt_cache_hit_tokens": 8}],
)
def test_cached_tokens_are_counted_apart(cached):
    usage = {"prompt_tokens": 10, "completion_tokens": 2, **cached}
    answer = read(json.dumps({**completion("Hi."), "usage": usage}).encode())
    assert answer.usage == Usage(input_tokens=2, output_tokens=2, cache_read_tokens=8)


@pytest.mark.parametrize(
    "piece",
    [
        b"data: no JSON\n\n",
        b"data:\n\n",
        b"data: null\n\n",
        b"data: [1]\n\n",
        b"data\n\n",
        b'data: {"choices": [3]}\n\n',
        b'data: {"choices": 3}\n\n',
        b'data: {"choices": null, "model": 3, "usage": "none"}\n\n',
        b'data: {"choices": [{"index": [], "delta": "x"}]}\n\n',
        b'data: {"choices": [{"delta": {"content": [{"type": {}, "text": 3}, 7, null]}}]}\n\n',
        b'data: {"choices": [], "usage": {"prompt_tokens": "n/a"}}\n\n',
        b'data: {"choices": [], "usage": {"prompt_tokens": -1, "completion_tokens": 1e99}}\n\n',
        b'data: {"error": {"message": "busy"}}\n\n',
        b": a comment\n\n",
        b":\n",
        b"event: ping\nid: 3\nretry: 10\n\n",
        b"data: " + b"[" * 100_000 + b"\n\n",
        b'data: {"choices": [{"delta": {"content": "\xff"\n\n',
        b"data: " + b"x" * event_stream.MOST_BYTES + b"\n\n",
        b"\xff\xfe\n\n",
        b"<html>\n\n",
    ],
    ids=range(21),
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_one_piece_that_is_none_costs_no_other(piece, place):
    pieces = [_delta("Under "), _delta("the mat."), b"data: [DONE]\n\n"]
    pieces.insert(place, piece)
    answer = read(*pieces)
    assert (answer.text, answer.readable, answer.complete) == (SAID, True, True)


def _delta(words, part="delta"):
    return b"data: " + json.dumps({"choices": [{"index": 0, part: {"content": words}}]}).encode() + b"\n\n"


STREAM = _delta("Under ") + _delta("the mat.") + b"data: [DONE]\n\n"
FORMS = {
    "no final line end": STREAM.removesuffix(b"data: [DONE]\n\n").rstrip(),
    "no blank lines": STREAM.replace(b"\n\n", b"\n"),
    "more blank lines": b"\n\n" + STREAM.replace(b"\n\n", b"\n\n\n\n"),
    "CR": STREAM.replace(b"\n", b"\r"),
    "CRLF": STREAM.replace(b"\n", b"\r\n"),
    "a byte order mark": b"\xef\xbb\xbf" + STREAM,
    "a byte order mark before a document": b"\xef\xbb\xbf" + json.dumps(completion(SAID)).encode(),
    "no space": STREAM.replace(b"data: ", b"data:"),
    "several lines of data": b"".join(
        b"data: "
        + json.dumps({"choices": [{"delta": {"content": words}}]}, indent=1).replace("\n", "\ndata: ").encode()
        + b"\n\n"
        for words in ("Under ", "the mat.")
    ),
    "pieces behind the end": STREAM + _delta("No.") + b"data: x\n\n",
    "messages": _delta("Under ", "message") + _delta("the mat.", "message"),
    "messages that grow": _delta("Under ", "message") + _delta(SAID, "message"),
    "the whole behind the deltas": _delta("Under ") + _delta("the mat.") + _delta(SAID, "message"),
    "lists of parts": _delta([{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}])
    + _delta([{"type": "text", "text": "Under "}, "the "])
    + _delta({"text": "mat."}),
    "a text that is a thought": _delta([{"type": "text", "text": "hm", "thought": True}, SAID]),
    "a document of parts": json.dumps(completion([{"type": "text", "text": SAID}])).encode(),
    "a document over several lines": json.dumps(completion(SAID), indent=2).encode(),
    "a document with something behind it": json.dumps(completion(SAID)).encode() + b"\n<!-- 3 -->\n",
    "lines": b"".join(_delta(words).removeprefix(b"data: ") for words in ("Under ", "the mat.")),
    "a list": b"[" + json.dumps(completion(SAID)).encode() + b"]",
    "field names twice, or in capitals": STREAM.replace(b"data: ", b" data: data: ", 1).replace(
        b"\ndata: ", b"\nDATA: "
    ),
    "a mark before each line": STREAM.replace(b"data: ", b"\xef\xbb\xbfdata: "),
    "NUL at the ends": STREAM.replace(b"\n\n", b"\0\n\n"),
    "one line": STREAM.replace(b"\n\n", b""),
    "an object over lines": b'data: {"choices": [{"index": 0,\n"delta": {"content": "Under the mat."}}]}\n\n',
    "line breaks in strings": STREAM.replace(b'{"choices"', b'{"id": "a\tb", "choices"'),
    "a number without an end": STREAM.replace(
        b'{"choices"', b'{"usage": {"prompt_tokens": ' + b"9" * 5000 + b'}, "choices"'
    ),
    "an end mark in quotes": STREAM.replace(b"[DONE]", b'"[done]"') + _delta("No."),
    "another number of the choice": STREAM.replace(b'"index": 0', b'"index": 1'),
    "a choice alone": STREAM.replace(b"[{", b"{").replace(b"}]}", b"}}"),
    "the words of completions": b'data: {"choices": [{"index": 0, "text": "Under the mat."}]}\n\n',
    "parts with values": _delta([{"type": "text", "text": {"value": "Under "}}])
    + _delta([{"type": "text_delta", "text": "the mat."}]),
    "a list that was cut off": b"["
    + STREAM.replace(b"data: [DONE]", b"").replace(b"data: ", b"").strip().replace(b"\n\n", b",\n"),
    "two choices' numbers": _delta("Under ").replace(b'"index": 0', b'"index": "0"') + _delta("the mat."),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_an_answer_is_read_however_it_is_cut(form):
    body = FORMS[form]
    for size in (1, 2, 3, 7, len(body)):
        answer = read(*(body[at : at + size] for at in range(0, len(body), size)))
        assert (answer.text, answer.readable) == (SAID, True), size


def test_halves_of_a_character_in_two_pieces_are_joined():
    assert read(_delta("Hi \ud83d"), _delta("\ude00!")).text == "Hi \U0001f600!"
    assert read(_delta("Hi \ud83d"), _delta("there\0")).text == "Hi \ufffdthere\ufffd"
    assert read(json.dumps(completion("cut \ud83d")).encode()).text == "cut \ufffd"


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
@pytest.mark.parametrize(("encoding", "compress"), [("gzip", gzip.compress), ("Deflate", zlib.compress)])
def test_an_answer_that_is_compressed_without_being_asked_for_is_read(encoding, compress, size):
    body = compress(STREAM)
    answer = read(*(body[at : at + size] for at in range(0, len(body), size)), encoding=encoding)
    assert (answer.text, answer.readable, answer.complete) == (SAID, True, True)


def test_of_an_answer_that_grows_without_end_no_more_is_read(monkeypatch):
    monkeypatch.setattr(chat_answer, "MOST_INFLATED", 100_000)
    answer = read(gzip.compress(STREAM + b" " * 10**6), encoding="gzip")
    assert (answer.text, answer.readable) == (SAID, False)


def test_an_encoding_that_is_none_is_ignored():
    assert read(STREAM, encoding="utf-8").text == SAID


def test_what_is_compressed_in_another_way_is_not_read():
    assert not any(read(b"abc", encoding=several).readable for several in ("br", "gzip, br", "br,gzip"))
    # Whatever its bytes look like.
    answer = read(json.dumps(completion("Hi.")).encode(), encoding="gzip")
    assert (answer.readable, answer.text) == (False, "")


def test_of_an_answer_beyond_the_limit_the_beginning_is_read(monkeypatch):
    monkeypatch.setattr(answer_so_far, "MOST_TEXT", 10)
    answer = read(Reply.stream("Once upon ", "a time", usage=True).body)
    assert (answer.text, answer.readable, answer.usage is not None) == ("Once upon ", True, True)


def test_of_a_document_beyond_the_limit_the_beginning_is_read(monkeypatch):
    monkeypatch.setattr(event_stream, "MOST_BYTES", 1000)
    body = json.dumps(completion("Once upon " + "a time " * 1000)).encode()
    answer = read(*(body[at : at + 100] for at in range(0, len(body), 100)))
    assert answer.text.startswith("Once upon a time a time")
    assert len(answer.text) < 1100
