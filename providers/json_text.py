"""Finds the JSON object in a model's answer."""

import re

from pydantic_core import from_json

from schemas.text.storable import storable_json

_JSON_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+(?P<closed>"?)|[{}\[\],:]', re.DOTALL)
_ITEMS = re.compile(r"\{*\[*")
_DEEPEST = 20
_PAIRS = {"}": "{", "]": "["}


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


def answer_object(text: str) -> str | None:
    """Find a model's answer: its only object, or else the beginning of one of which at least one item is whole."""
    if found := only_object(text):
        return found
    return storable_json(_said(text)) if cut_object(text) else None


def cut_object(text: str) -> str | None:
    """Find the object in a text whose end is cut off, and close it after the last item or field that is whole.

    Args:
        text: The model's answer, in which `only_object` finds no object.

    Returns:
        The object's text, or None if nothing in it is whole.
    """
    answer = _said(text)
    open_: list[str] = []
    end, closing, before = 0, "", ""
    for token in _JSON_TOKEN.finditer(answer):
        mark = token[0]
        if token["closed"] == "" or len(open_) > _DEEPEST:
            break
        # An object in a list is an item, which is whole only once it is closed.
        whole = _ITEMS.fullmatch("".join(open_)) is not None
        if mark == "," and whole:
            end, closing = token.start(), _closing(open_)
        elif mark in "{[":
            open_.append(mark)
        elif mark in "}]":
            if not open_ or open_.pop() != _PAIRS[mark] or not open_:
                return None
            if _ITEMS.fullmatch("".join(open_)):
                end, closing = token.end(), _closing(open_)
        elif mark[0] == '"' and whole and open_ and (open_[-1] == "[" or before == ":"):
            end, closing = token.end(), _closing(open_)
        before = mark
    return _object(answer[:end] + closing) if end else None


def _said(text: str) -> str:
    """The answer from its first brace on, without thoughts before it."""
    answer = text.rpartition("</think>")[2]
    return answer[answer.find("{") :] if "{" in answer else ""


def _closing(open_: list[str]) -> str:
    return "".join("}" if mark == "{" else "]" for mark in reversed(open_))


def _object(text: str) -> str | None:
    mended = storable_json(text).strip()
    try:
        return mended if isinstance(from_json(mended), dict) else None
    except ValueError:
        return None
