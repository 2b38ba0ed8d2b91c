"""A quotation is found only if the text contains it exactly, except for white space."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.text.prompt_escaping import tagged
from memory.text.quote_match import find_quote

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
def test_find_quote(quoted, found):
    assert find_quote(quoted, TEXT) == found


@given(st.text(alphabet="ab &<>;ampltgq\n", min_size=1).filter(str.strip))
def test_a_quotation_of_escaped_text_is_found(text):
    inside = tagged("message", text).removeprefix("<message>\n").removesuffix("\n</message>")
    assert find_quote(inside, text) is not None
