"""Finding the JSON object in what a model said."""

from pydantic_core import from_json


def only_object(text: str) -> str | None:
    """Find the one JSON object in a text that may have more around it.

    Models that no server holds to a form put a sentence before their answer, thoughts in `<think>` tags, or a fence of
    backticks around it. All of that is passed over; two objects are one too many, and half of one is none.

    Args:
        text: What the model said.

    Returns:
        The object as it was written, or None.
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
