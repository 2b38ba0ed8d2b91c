"""A chat completion's bound and its use: whatever a client asks, and whatever an upstream answers."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.proxy.wires.chat_completions import read_chat
from memory.proxy.wires.settlement import most_usage, used
from memory.proxy.wires.wire import Memory
from providers.chat.answer_so_far import MOST_TOKENS
from providers.chat.chat_answer import AnswerReader
from providers.chat.completion_events import CompletionEvents
from providers.completion import Usage
from schemas.settings import Settings

SETTINGS = Settings(proxy_answer_tokens=50, proxy_media_tokens=1000, proxy_context_tokens=256)
LIMIT = ("max_completion_tokens", SETTINGS.proxy_answer_tokens)
HI = {"role": "user", "content": "Hi."}

texts = st.text(st.characters(codec="utf-8"), max_size=30)
tool_calls = st.lists(
    st.fixed_dictionaries(
        {"id": st.just("call_1"), "function": st.fixed_dictionaries({"name": texts, "arguments": texts})}
    ),
    max_size=2,
)
parts = st.one_of(
    texts.map(lambda text: {"type": "text", "text": text}),
    texts.map(lambda text: {"type": "refusal", "refusal": text}),
    st.integers(0, 500).map(
        lambda size: {"type": "image_url", "image_url": {"url": "data:image/png;base64," + "A" * size}}
    ),
    st.just({"type": "image_url", "image_url": {"url": "https://example.com/1.png"}}),
    st.just({"type": "file", "file": {"file_id": "f"}}),
    st.just({"image_url": {"url": "data:image/png;base64,AAAA"}}),
)
messages = st.fixed_dictionaries(
    {
        "role": st.sampled_from(["user", "assistant", "tool", "system"]),
        "content": texts | st.none() | st.lists(parts, max_size=3),
    },
    optional={"tool_calls": tool_calls, "name": texts, "reasoning_content": texts, "audio": st.just({"id": "audio_1"})},
)
limits = st.none() | st.integers(-1, 200)
bodies = st.fixed_dictionaries(
    {"model": st.just("m"), "messages": st.lists(messages, min_size=1, max_size=4)},
    optional={
        "tools": st.lists(
            st.fixed_dictionaries({"function": st.fixed_dictionaries({"description": texts})}), max_size=3
        ),
        "response_format": st.dictionaries(texts, texts, max_size=3),
        "prediction": st.fixed_dictionaries({"type": st.just("content"), "content": texts}),
        "max_tokens": limits,
        "max_completion_tokens": limits,
        "n_predict": limits,
        "n": st.none() | st.integers(1, 5),
        "best_of": st.none() | st.integers(1, 5),
        "stream": st.booleans(),
    },
)
deltas = st.fixed_dictionaries(
    {},
    optional={
        "content": texts | st.none(),
        "refusal": texts,
        "reasoning_content": texts,
        "reasoning": texts,
        "tool_calls": tool_calls,
        "function_call": st.fixed_dictionaries({"name": texts, "arguments": texts}),
        "audio": st.fixed_dictionaries({"transcript": texts, "data": texts}),
        "of_tomorrow": st.recursive(
            texts, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2)
        ),
    },
)
counts = st.one_of(st.none(), st.integers(-5, 10_000), st.just(10**30), st.just("7"), st.floats(), st.booleans())
usages = st.none() | st.fixed_dictionaries(
    {},
    optional={
        "prompt_tokens": counts,
        "completion_tokens": counts,
        "total_tokens": counts,
        "prompt_tokens_details": st.none() | st.fixed_dictionaries({"cached_tokens": counts}),
    },
)


def words_of(value):
    """All that a model can have written in a value."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "".join(
            words_of(inner) for name, inner in value.items() if name not in {"id", "index", "role", "type", "format"}
        )
    return "".join(map(words_of, value)) if isinstance(value, list) else ""


def size(text):
    return len(text.encode())


@given(bodies, st.booleans())
def test_what_is_reserved_is_never_below_what_can_come(body, ascii_only):
    chat = read_chat(json.dumps(body, ensure_ascii=ascii_only))
    reserved = most_usage(chat, SETTINGS)
    context = "x" * (SETTINGS.proxy_context_tokens * 3)
    sent = json.loads(chat.written("m", Memory(context), LIMIT))

    # A server reads either limit, and any number of choices; a token is a byte at least.
    read = [sent.get(name) for name in ("max_completion_tokens", "max_tokens")]
    known = [limit for limit in read if limit is not None]
    assert known
    assert min(known) > 0
    most = max(*known, sent.get("n_predict") or 0) * max(sent.get("n") or 1, sent.get("best_of") or 1)
    assert reserved.output_tokens >= most
    contents = [message.get("content") for message in sent["messages"]]
    given = [part for content in contents if isinstance(content, list) for part in content]
    media = [part for part in given if part.get("type") not in {"text", "refusal"}]
    rest = [part for part in given if part not in media]
    prompt = size(words_of(rest)) + sum(size(content) for content in contents if isinstance(content, str))
    others = [{name: value for name, value in message.items() if name != "content"} for message in sent["messages"]]
    prompt += size(words_of(others)) + size(words_of([sent.get("tools"), sent.get("response_format")]))
    assert reserved.input_tokens >= prompt + len(media) * SETTINGS.proxy_media_tokens


@given(
    st.lists(st.tuples(st.integers(0, 2), deltas), max_size=6),
    usages,
    st.booleans(),
    st.sampled_from(["end", "cut", "no mark"]),
)
def test_what_is_settled_is_never_below_what_came(pieces, usage, streamed, ending):
    reserved = Usage(input_tokens=500, output_tokens=60)
    if streamed:
        events = [{"choices": [{"index": index, "delta": delta}]} for index, delta in pieces]
        events += [{"choices": [], "usage": usage}] if usage is not None else []
        raw = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events)
        raw += b"data: [DONE]\n\n" if ending == "end" else b""
    else:
        choices = [{"index": at, "message": delta, "finish_reason": "stop"} for at, (_, delta) in enumerate(pieces)]
        raw = json.dumps({"choices": choices, "usage": usage}).encode()
    reader = AnswerReader(CompletionEvents)
    for at in range(0, len(raw), 7):
        reader.feed(raw[at : at + 7])

    settled = used(reserved, reader.answer(ended=ending != "cut"))

    came = size("".join(words_of(delta) for _, delta in pieces))
    told = usage or {}

    def number(name):
        value = told.get(name)
        fits = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
        return int(value) if fits and value == int(value) else 0

    believed = [
        told.get(name) is None or (number(name) == told[name] and not isinstance(told[name], bool))
        for name in ("prompt_tokens", "completion_tokens")
    ]
    if all(believed) and told and (streamed or ending != "cut"):
        assert settled.output_tokens >= number("completion_tokens")
        assert settled.prompt_tokens >= number("prompt_tokens")
        assert settled.output_tokens >= came / 64
    else:
        assert settled.output_tokens >= came
        assert settled.prompt_tokens >= reserved.input_tokens
    assert settled.output_tokens >= 0


@pytest.mark.parametrize(
    "body",
    [
        {"tools": [{"type": "function", "function": {"name": "f", "description": "x" * 9000}}]},
        {"messages": [HI, {"role": "assistant", "tool_calls": [{"function": {"arguments": "x" * 9000}}]}]},
        {"messages": [{"role": "assistant", "refusal": "x" * 9000}, HI]},
        {"messages": [{"role": "tool", "tool_call_id": "x" * 9001, "content": "1"}, HI]},
        {"messages": [{"role": "user", "content": [{"type": "new", "stuff": {"deep": ["x" * 9000]}}]}]},
        {"response_format": {"type": "json_schema", "json_schema": {"schema": {"description": "x" * 9000}}}},
        {"messages": [{"role": "user", "content": "1 2 3 " * 1500}]},
    ],
)
def test_all_of_a_body_is_reserved(body):
    usage = most_usage(read_chat(json.dumps({"model": "m", "messages": [HI], **body})), SETTINGS)
    assert usage.input_tokens > 9000


def test_a_picture_is_reserved_by_what_it_may_show_and_not_by_its_data():
    def reserved(url):
        content = [{"type": "image_url", "image_url": {"url": url}}]
        return most_usage(
            read_chat(json.dumps({"model": "m", "messages": [{"content": content}]})), SETTINGS
        ).input_tokens

    data = reserved("data:image/png;base64," + "A" * 100_000)
    assert reserved("https://example.com/a.png") - 100 < data < 3000


def test_the_usage_at_the_end_of_a_long_document_is_read():
    answer = {
        "choices": [{"message": {"audio": {"data": "A" * (3 << 20)}, "content": '"usage": {"completion_tokens": 1}'}}]
    }
    raw = json.dumps({**answer, "usage": {"prompt_tokens": 9, "completion_tokens": 700}}).encode()
    reader = AnswerReader(CompletionEvents)
    for at in range(0, len(raw), 1 << 16):
        reader.feed(raw[at : at + (1 << 16)])
    assert used(Usage(5, 5), reader.answer(ended=True)) == Usage(9, 700)


def test_an_answer_that_cannot_be_read_counts_as_reserved_or_by_its_bytes():
    for sent, output in ((b"x" * 10, 60), (b"x" * 100, 100)):
        reader = AnswerReader(CompletionEvents, "gzip")
        reader.feed(sent)
        assert used(Usage(500, 60), reader.answer(ended=True)) == Usage(500, output)
