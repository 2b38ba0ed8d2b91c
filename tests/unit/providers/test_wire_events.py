"""The answers of each wire: their words, tokens and ends, with what servers are reported to send otherwise."""

import json

import pytest

from providers.chat.chat_answer import AnswerReader
from providers.chat.completion_events import CompletionEvents
from providers.chat.message_events import MessageEvents
from providers.chat.response_events import ResponseEvents
from providers.completion import Usage

RESPONSE_USAGE = {
    "input_tokens": 11,
    "input_tokens_details": {"cached_tokens": 8},
    "output_tokens": 3,
    "output_tokens_details": {"reasoning_tokens": 1},
    "total_tokens": 14,
}
MESSAGE_USAGE = {"input_tokens": 3, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 2, "output_tokens": 1}


def item(*texts, id_="msg_1"):
    content = [{"type": "output_text", "text": text, "annotations": []} for text in texts]
    return {"type": "message", "id": id_, "role": "assistant", "status": "completed", "content": content}


def response(*output, status="completed", usage=RESPONSE_USAGE):
    return {
        "id": "resp_1",
        "object": "response",
        "model": "gpt",
        "status": status,
        "output": list(output),
        "usage": usage,
    }


def of_response(type_, **fields):
    return {"type": f"response.{type_}", **fields}


def said(text, output=0, part=0):
    return of_response("output_text.delta", output_index=output, content_index=part, delta=text)


def block(type_, index=0, **fields):
    return {"type": f"content_block_{type_}", "index": index, **fields}


def told(text, index=0):
    return block("delta", index, delta={"type": "text_delta", "text": text})


def started(usage=MESSAGE_USAGE):
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": [], "usage": usage}
    return {"type": "message_start", "message": {**message, "stop_reason": None}}


def stopped(reason="end_turn", usage=None):
    return {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage or {"output_tokens": 5}}


def read(events, made, ended=True):
    reader = AnswerReader(events)
    for one in made:
        data = one if isinstance(one, bytes) else f"event: {one.get('type')}\ndata: {json.dumps(one)}\n\n".encode()
        # As networks cut it.
        reader.feed(data[:7])
        reader.feed(data[7:])
    return reader.answer(ended=ended)


WHOLE = [
    of_response("created", response=response(status="in_progress", usage=None)),
    of_response("output_item.added", output_index=0, item={**item(), "status": "in_progress"}),
    said("Good "),
    said("morning."),
    of_response("output_text.done", output_index=0, content_index=0, text="Good morning."),
    of_response("output_item.done", output_index=0, item=item("Good morning.")),
    of_response("completed", response=response(item("Good morning."))),
]
PART_ENDS = of_response("content_part.done", output_index=0, content_index=0, part=item("Good morning.")["content"][0])
REFUSAL = {**item(), "content": [{"type": "refusal", "refusal": "Good morning."}]}
REFUSED = [
    of_response("refusal.delta", output_index=0, content_index=0, delta="Good "),
    of_response("refusal.delta", output_index=0, content_index=0, delta="morning."),
    of_response("refusal.done", output_index=0, content_index=0, refusal="Good morning."),
]
MESSAGE = [
    started(),
    block("start", content_block={"type": "text", "text": ""}),
    told("Good "),
    told("morning."),
    block("stop"),
    stopped(),
    {"type": "message_stop"},
]


def test_a_response_is_read_as_a_stream_and_as_a_document():
    for made in (WHOLE, [json.dumps(response(item("Good morning."))).encode()]):
        answer = read(ResponseEvents, made)
        assert (answer.text, answer.complete, answer.choices, answer.model) == ("Good morning.", True, 1, "gpt")
        assert answer.usage == Usage(input_tokens=3, output_tokens=3, cache_read_tokens=8)
        assert answer.ids == ("resp_1", "msg_1")


def test_a_message_is_read_as_a_stream_and_as_a_document():
    document = {**started()["message"], "content": [{"type": "text", "text": "Good morning."}]}
    document |= {"stop_reason": "end_turn", "usage": {**MESSAGE_USAGE, "output_tokens": 5}}
    for made in (MESSAGE, [json.dumps(document).encode()]):
        answer = read(MessageEvents, made)
        assert (answer.text, answer.complete, answer.choices, answer.model) == ("Good morning.", True, 1, "claude")
        assert answer.usage == Usage(input_tokens=3, output_tokens=5, cache_read_tokens=8, cache_write_tokens=2)
        assert answer.ids == ("msg_1",)


@pytest.mark.parametrize(
    "made",
    [
        # The final response is empty, as where nothing is stored.
        [*WHOLE[:-1], of_response("completed", response=response())],
        # No pieces, no ends of parts, no items.
        [WHOLE[0], WHOLE[4], WHOLE[-1]],
        [of_response("content_part.done", part=item("Good morning.")["content"][0]),
         of_response("completed", response=response())],
        [WHOLE[0], WHOLE[5], WHOLE[-1]],
        [WHOLE[-1]],
        [WHOLE[2], WHOLE[3], WHOLE[-1]],
        # Events that keep the connection open, pieces with what hides their length, and chat's end mark.
        [{"type": "keepalive"}, WHOLE[0], b": ping\n\n", {**WHOLE[2], "obfuscation": "xyz"}, *WHOLE[3:],
         b"data: [DONE]\n\n"],
        # Pieces without their places, as llama.cpp sends them.
        [{name: value for name, value in one.items() if not name.endswith("_index")} for one in WHOLE],
        # The end of a part with more numbers than its pieces, or fewer.
        [of_response("output_text.delta", delta="Good morning."), PART_ENDS, WHOLE[-1]],
        [of_response("output_text.delta", output_index=0, delta="Good morning."), PART_ENDS, WHOLE[-1]],
        [*WHOLE[:4], {name: PART_ENDS[name] for name in ("type", "part")}, *WHOLE[5:]],
        # Without names of events, and without blank lines between them.
        [f"data: {json.dumps(one)}\n".encode() for one in WHOLE],
        # A part that is no text, before the words.
        [WHOLE[0], of_response("reasoning_summary_text.delta", output_index=0, delta="Look."), *WHOLE[1:]],
        [*WHOLE[:3], {"type": "response.unknown", "delta": None}, {"type": None}, *WHOLE[3:]],
        # A refusal, in pieces, at the end of its part, and in the response alone.
        [WHOLE[0], *REFUSED, of_response("completed", response=response(REFUSAL))],
        [WHOLE[0], REFUSED[-1], of_response("completed", response=response())],
        [of_response("completed", response=response(REFUSAL))],
        # A message that does not say that it is one.
        [of_response("completed", response=response({"role": "assistant", "content": "Good morning."}))],
    ],
)  # fmt: skip
def test_a_response_is_said_once_however_a_server_tells_it(made):
    answer = read(ResponseEvents, made)
    assert (answer.text, answer.complete) == ("Good morning.", True)


@pytest.mark.parametrize(
    "made",
    [
        # Words in the start of a block, an empty piece, pings, and chat's end mark.
        [started(), {"type": "ping"}, block("start", content_block={"type": "text", "text": "Good "}), told(""),
         told("morning."), stopped(), {"type": "message_stop"}, b"data: [DONE]\n\n"],
        # A start without content, the end of the message left out, and a count that is null in its last event.
        [{"type": "message_start", "message": {"id": "msg_1", "usage": None}}, *MESSAGE[1:5],
         stopped(usage={"input_tokens": None, "output_tokens": 5}), {"type": "ping"}],
        # No start of a block, no end of the message, no usage, or one without numbers.
        [started(None), told("Good "), told("morning."), stopped()],
        [started({"input_tokens": None}), *MESSAGE[1:5], {**stopped(), "usage": None}, MESSAGE[-1]],
        # Thoughts, with and without a signature, and a start that comes twice.
        [started(), started(), block("start", content_block={"type": "thinking", "thinking": ""}),
         block("delta", delta={"type": "thinking_delta", "thinking": "Look."}), block("stop"),
         block("delta", delta={"type": "signature_delta", "signature": "s"}),
         block("start", 1, content_block={"type": "text", "text": ""}), told("Good morning.", 1), *MESSAGE[-2:]],
        # A thought whose pieces are of the wrong type.
        [started(), block("start", content_block={"type": "thinking", "thinking": ""}), told("Look."), block("stop"),
         block("start", 1, content_block={"type": "text", "text": ""}), told("Good morning.", 1), *MESSAGE[-2:]],
        # A block of a thought that goes on with the answer.
        [started(), block("start", content_block={"type": "thinking", "thinking": ""}),
         block("delta", delta={"type": "thinking_delta", "thinking": "Look."}), told("Good morning."), *MESSAGE[-2:]],
        # A block that starts without its type.
        [started(), block("start", content_block={}), told("Good morning."), block("stop"), *MESSAGE[-2:]],
        # A document without its type, whose content is a text, a block, or a list of texts.
        *([{"role": "assistant", "content": content, "stop_reason": "end_turn"}]
          for content in ("Good morning.", {"type": "text", "text": "Good morning."}, ["Good ", "morning."])),
        # Text in several blocks, as with citations.
        [started(), told("Good "), block("start", 1, content_block={"type": "text", "text": "", "citations": []}),
         block("delta", 1, delta={"type": "citations_delta", "citation": {"cited_text": "No."}}),
         told("morning.", 1), *MESSAGE[-2:]],
        [f"data:{json.dumps(one)}\r\n\r\n".encode() for one in MESSAGE],
    ],
)  # fmt: skip
def test_a_message_is_said_once_however_a_server_tells_it(made):
    answer = read(MessageEvents, made)
    assert (answer.text, answer.complete) == ("Good morning.", True)


@pytest.mark.parametrize(
    ("events", "made", "text"),
    [
        (ResponseEvents, WHOLE[:3], "Good "),
        (ResponseEvents, [*WHOLE[:3], {"type": "error", "code": "server_error", "message": "No."}], "Good "),
        (MessageEvents, MESSAGE[:3], "Good "),
        (MessageEvents, [*MESSAGE[:3], {"type": "error", "error": {"type": "overloaded_error"}}], "Good "),
        (MessageEvents, [*MESSAGE[:3], b'event: content_block_delta\ndata: {"type": "content_bl'], "Good "),
    ],
)  # fmt: skip
def test_what_breaks_off_is_read_as_far_as_it_came(events, made, text):
    answer = read(events, made)
    assert (answer.text, answer.complete) == (text, False)


def test_a_response_that_fails_or_is_cut_short_has_ended():
    for status in ("failed", "incomplete"):
        made = [*WHOLE[:3], of_response(status, response=response(item("Good "), status=status))]
        answer = read(ResponseEvents, made)
        assert (answer.text, answer.complete, answer.usage is not None) == ("Good ", True, True)


def test_what_an_answer_says_before_and_after_a_tool_is_set_apart():
    search = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    items = [item("Let me look."), search, item("Rain.", id_="msg_2")]
    streamed = [
        said("Let me look."),
        of_response("output_item.done", output_index=1, item=search),
        said("Ra", 2),
        said("in.", 2),
        of_response("completed", response=response(*items)),
    ]
    for made in (streamed, [json.dumps(response(*items)).encode()]):
        assert read(ResponseEvents, made).text == "Let me look.\n\nRain."
    used = {"type": "server_tool_use", "id": "srv_1", "name": "web_search", "input": {"query": "weather"}}
    blocks = [{"type": "text", "text": "Let me look."}, used, {"type": "text", "text": "Rain."}]
    starts = [block("start", place, content_block=each) for place, each in enumerate(blocks)]
    document = {**started()["message"], "content": blocks, "stop_reason": "end_turn"}
    for made in ([started(), *starts, *MESSAGE[-2:]], [json.dumps(document).encode()]):
        assert read(MessageEvents, made).text == "Let me look.\n\nRain."


def test_words_that_are_handed_on_to_tools_are_told_and_are_no_speech():
    task = "Look for the lighthouse file."
    given = json.dumps({"description": "look", "prompt": task})
    call = {"type": "function_call", "id": "fc_1", "name": "spawn_agent", "arguments": given}
    used = {"type": "tool_use", "id": "toolu_1", "name": "Agent", "input": {}}
    piece = {"type": "input_json_delta", "partial_json": given[:9]}
    rest = {"type": "input_json_delta", "partial_json": given[9:]}
    called = {"index": 0, "id": "call_1", "function": {"name": "scout", "arguments": given[:9]}}
    chunks = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [called]}}]},
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": given[9:]}}]}}]},
        {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]},
    ]
    for events, made in [
        (ResponseEvents, [of_response("output_item.done", output_index=0, item=call)]),
        (ResponseEvents, [json.dumps(response(call)).encode()]),
        (MessageEvents, [started(), block("start", content_block=used), block("delta", delta=piece),
                         block("delta", delta=rest), block("stop"), stopped("tool_use")]),
        (CompletionEvents, chunks),
        (CompletionEvents, [json.dumps({"choices": [{"message": {"tool_calls": [{"function": {"arguments": given}}]},
                                                     "finish_reason": "tool_calls"}]}).encode()]),
    ]:  # fmt: skip
        answer = read(events, made)
        assert (answer.text, answer.handed_on) == ("", (task,))
        assert answer.came >= len(task)


@pytest.mark.parametrize(
    ("events", "made"),
    [(ResponseEvents, WHOLE), (ResponseEvents, [WHOLE[-1]]), (MessageEvents, MESSAGE)],
)
def test_what_came_is_counted_once(events, made):
    assert 0 < read(events, made).came < 3 * len("Good morning.")


def test_numbers_that_can_not_be_are_no_usage():
    for wrong in ({"input_tokens": -1, "output_tokens": 2}, {"input_tokens": "9"}, {"output_tokens": 10**12}, [], None):
        assert read(ResponseEvents, [of_response("completed", response=response(usage=wrong))]).usage is None
        assert read(MessageEvents, [started(wrong), {**stopped(), "usage": wrong}]).usage is None


@pytest.mark.parametrize(
    ("events", "made", "wrong"),
    [(ResponseEvents, WHOLE, {**WHOLE[2], "output_index": []}),
     *((MessageEvents, MESSAGE, {**MESSAGE[2], **wrong}) for wrong in ({"index": []}, {"delta": {"type": {}}}))],
)  # fmt: skip
def test_a_piece_with_a_list_or_an_object_for_a_number_or_a_kind_is_passed_over(events, made, wrong):
    assert read(events, [*made[:2], wrong, *made[2:]]).text == "Good morning."


def test_a_document_without_words_or_its_type_has_its_usage():
    assert read(MessageEvents, [{"content": [], "stop_reason": "end_turn", "usage": MESSAGE_USAGE}]).usage is not None


def test_a_streams_usage_grows_and_what_is_left_out_stays():
    answer = read(MessageEvents, [started(), stopped(usage={"output_tokens": 9, "input_tokens": 0})])
    assert answer.usage == Usage(input_tokens=3, output_tokens=9, cache_read_tokens=8, cache_write_tokens=2)


def test_ollamas_chunks_are_read():
    """Its role is in each chunk, its reasoning in a field, parallel calls have one index, and the end has no words."""
    chunk = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": "qwen3"}
    deltas = [
        {"role": "assistant", "content": "", "reasoning": "Look."},
        {"role": "assistant", "content": "Good "},
        {"role": "assistant", "content": "morning.", "tool_calls": [{"index": 0, "function": {"arguments": "{}"}}]},
    ]
    made = [{**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]
    made.append(
        {**chunk, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": "stop"}]}
    )
    usage = {"prompt_tokens": 26, "completion_tokens": 12, "total_tokens": 38}
    made.append({**chunk, "choices": [], "usage": usage})
    answer = read(CompletionEvents, made)
    assert (answer.text, answer.complete, answer.usage.output_tokens) == ("Good morning.", True, 12)


SPOKEN = {"name": "send_message", "arguments": '{"message": "Good morning."}'}
BY_CALLS = {
    "chat completions": (
        CompletionEvents,
        [
            {"choices": [{"delta": {"content": "I greet her."}}]},
            {"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {**SPOKEN, "arguments": '{"mess'}}]}}]},
            {
                "choices": [
                    {"delta": {"tool_calls": [{"index": 0, "function": {"arguments": 'age": "Good morning."}'}}]}}
                ]
            },
            {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]},
        ],
    ),
    "messages": (
        MessageEvents,
        [
            started(),
            block("start", 0, content_block={"type": "text", "text": "I greet her."}),
            block("start", 1, content_block={"type": "tool_use", "id": "t", "name": "send_message", "input": {}}),
            block("delta", 1, delta={"type": "input_json_delta", "partial_json": SPOKEN["arguments"]}),
            block("stop", 1),
            stopped("tool_use"),
        ],
    ),
    "responses": (
        ResponseEvents,
        [
            of_response("output_item.done", output_index=0, item={"type": "function_call", "id": "f", **SPOKEN}),
            of_response("completed", response=response({"type": "function_call", "id": "f", **SPOKEN})),
        ],
    ),
}


@pytest.mark.parametrize(("events", "made"), BY_CALLS.values(), ids=BY_CALLS)
def test_an_agent_that_speaks_by_calls_has_said_their_words(events, made):
    assert read(events, made).text == "Good morning."


@pytest.mark.parametrize("given", [{"to": "Bob", "message": "Ann is ill."}, {"channel": "#all", "text": "Ann is ill."}])
def test_a_message_to_another_person_is_not_what_the_agent_says(given):
    called = {"index": 0, "function": {"name": "send_message", "arguments": json.dumps(given)}}
    pieces = [{"delta": {"content": "I tell Bob."}}, {"delta": {"tool_calls": [called]}}]
    made = [{"choices": [piece]} for piece in (*pieces, {"delta": {}, "finish_reason": "tool_calls"})]
    assert read(CompletionEvents, made).text == "I tell Bob."
    content = [{"type": "text", "text": "I tell Bob."}, {"type": "tool_use", "name": "send_message", "input": given}]
    document = {"type": "message", "content": content, "stop_reason": "tool_use"}
    assert read(MessageEvents, [document]).text == "I tell Bob."
