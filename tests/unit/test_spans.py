"""Quoted words are there letter by letter, or they are not there."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.fences import fenced
from memory.spans import found_span

TEXT = "Well,  I love\n green tea & biscuits <3, you know."


@pytest.mark.parametrize(
    ("quoted", "found"),
    [
        ("I love green tea", "I love\n green tea"),
        ("green tea & biscuits", "green tea & biscuits"),
        ("green tea &amp; biscuits &lt;3", "green tea & biscuits <3"),
        (" you know. ", "you know."),
        ("i love green tea", None),
        ("I love tea", None),
        ("I love green tea …", None),
        ("", None),
        ("  ", None),
    ],
)
def test_spans(quoted, found):
    assert found_span(quoted, TEXT) == found


@given(st.text(alphabet="ab &<>;ampltgq\n", min_size=1).filter(str.strip))
def test_what_is_copied_from_inside_a_fence_is_found(text):
    inside = fenced("message", text).removeprefix("<message>\n").removesuffix("\n</message>")
    assert found_span(inside, text) is not None
