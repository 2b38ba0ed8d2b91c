"""Finds the JSON object in a model's answer."""

from pydantic_core import from_json


def only_object(text: str) -> str | None:
    """Find the single JSON object in a text with other text around it.

    Models without structured output put a sentence before their answer, thoughts in `<think>` tags, or a code fence of
    backticks around it. All of that is skipped; a text with two objects, or with an incomplete one, has none.

    Args:
        text: The model's answer.

    Returns:
        The object's text, or None.
    """
    if _is_object(text):
        return text.strip()
    answer = text.rpartition("</think>")[2]
    start, end = answer.find("{"), answer.rfind("}")
    candidate = answer[start : end + 1] if start >= 0 else ""
    return candidate if _is_object(candidate) else None


def _is_object(text: str) -> bool:
    try:
        return isinstance(from_json(text), dict)
    except ValueError:
        return False
