"""Finds the JSON object in a model's answer."""

from pydantic_core import from_json

from schemas.text.storable import storable_json


def only_object(text: str) -> str | None:
    """Find the single JSON object in a text with other text around it.

    Models without structured output put a sentence before their answer, thoughts in `<think>` tags, or a code fence of
    backticks around it. All of that is skipped; a text with two objects, or with an incomplete one, has none.

    Args:
        text: The model's answer.

    Returns:
        The object's text, of which all can be stored, or None.
    """
    if found := _object(text):
        return found
    answer = text.rpartition("</think>")[2]
    start, end = answer.find("{"), answer.rfind("}")
    return _object(answer[start : end + 1]) if start >= 0 else None


def _object(text: str) -> str | None:
    mended = storable_json(text).strip()
    try:
        return mended if isinstance(from_json(mended), dict) else None
    except ValueError:
        return None
