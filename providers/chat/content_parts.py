"""The words of a message's content, which is a text, or parts of which some have words."""

from collections.abc import Mapping, Sequence
from typing import Any

# By which names parts of a type have their words, one within another at times. A model's refusal is its answer; Gemini
# marks a text as a thought.
_TEXT = ("text", "value", "content", "parts")
_SAID: Mapping[str | None, Sequence[str]] = {
    **dict.fromkeys(("text", "input_text", "output_text", "text_delta", None), _TEXT),
    "refusal": ("refusal",),
}
_NESTED = 4


def words_of(part: Any, nested: int = _NESTED) -> str | None:
    """Return the text of a content or of one part; None if it has no text, as a picture."""
    match part:
        case str():
            return part
        case list() if nested:
            return "".join(filter(None, (words_of(each, nested - 1) for each in part)))
        case dict() if nested and part.get("thought") is not True:
            kind = part.get("type")
            names = _SAID.get(kind, ()) if kind is None or isinstance(kind, str) else ()
            return next((words_of(part[name], nested - 1) for name in names if name in part), None)
    return None
