"""A stream without the piece that its client did not ask for."""

from hypothesis import given
from hypothesis import strategies as st

from providers.chat.hidden_usage import MOST_LINE, WithoutUsage

WORDS = b'data: {"choices": [{"index": 0, "delta": {"content": "\\"usage\\": {}"}}], "usage": null}\n\n'
LAST = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1}}\r\n\r\n'
USAGE = b'data: {"choices": [], "usage": {"prompt_tokens": 1}}\n\n'
BARE = b'event: message\r\ndata: {"usage": {"prompt_tokens": 1}}\r\n\r\n'
COMMENT = b": usage follows\n\n"
BROKEN = b'data: {"usage": \n\n'
NO_BLANK = b'data: {"choices": [{"delta": {"content": "Hi"}}]}\n'
CR = b'data: {"choices": [{"delta": {"content": "Hi"}}]}\r\r'
DOCUMENT = b'{"choices": [{"message": {"content": "Hi"}}], "usage": {"prompt_tokens": 1}}'
DONE = b"data: [DONE]\n\n"


def passed(stream, size):
    without = WithoutUsage()
    return b"".join(without.feed(stream[at : at + size]) for at in range(0, len(stream), size)) + without.rest()


@given(
    st.lists(st.sampled_from([WORDS, LAST, USAGE, BARE, COMMENT, BROKEN, NO_BLANK, CR, DOCUMENT, DONE])),
    st.integers(1, 200),
)
def test_all_but_the_usage_is_passed_on_byte_for_byte(events, size):
    shown = {USAGE: b"", BARE: b"event: message\r\n"}
    body = b"".join(event + b"\n" for event in events)
    assert passed(body, size) == b"".join(shown.get(event, event) + b"\n" for event in events)


def test_each_line_is_passed_on_when_it_is_complete():
    without = WithoutUsage()
    assert without.feed(WORDS + NO_BLANK + NO_BLANK[:-1]) == WORDS + NO_BLANK
    assert without.feed(b"\n") == NO_BLANK


def test_an_end_without_a_line_end_is_passed_on_unless_it_is_the_usage():
    assert passed(WORDS + DONE.strip(), 9) == WORDS + DONE.strip()
    assert passed(WORDS + USAGE.strip(), 9) == WORDS
    assert passed(DOCUMENT, 9) == DOCUMENT


def test_a_long_line_is_not_held():
    without = WithoutUsage()
    long = b"data: " + b"x" * MOST_LINE
    assert without.feed(long) == long
    assert without.feed(b"x\n\n" + USAGE + DONE) == b"x\n\n" + DONE
