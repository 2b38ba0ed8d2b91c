"""The proxy's reading of a request's headers."""

import pytest

from api.proxy.completions import named_conversation
from memory.text.errors import InvalidRequest


@pytest.mark.parametrize(
    ("header", "conversation"),
    [
        ("chat 7", "chat 7"),
        (" 3f1c ", "3f1c"),
        (None, None),
        ("", None),
        ("new", None),
        ("undefined", None),
        ("{{LIBRECHAT_BODY_CONVERSATIONID}}", None),
    ],
)
def test_a_template_without_a_value_names_no_conversation(header, conversation):
    assert named_conversation(header) == conversation


def test_an_id_has_a_longest_length():
    assert named_conversation("x" * 200) == "x" * 200
    with pytest.raises(InvalidRequest, match="more than 200"):
        named_conversation("x" * 201)
