"""Finds the JSON in a model's text."""

import html
import json
import re
from typing import Any

from pydantic_core import from_json

from providers.answers import lenient_json
from schemas.text.reasoning import spoken
from schemas.text.storable import storable, storable_json

_SPECIAL = re.compile(r"<\|[\w ]{1,30}\|>|</?(?:answer|json|output|result|response)>", re.IGNORECASE)

# gpt-oss answers a schema at times with the call of a tool, which is no speech elsewhere.
_CALL = re.compile(r"<\|channel\|>\s?commentary\s{1,3}to=[^<]{1,100}(?:<\|constrain\|>[^<]{1,20})?<\|message\|>")
# A character's escape that the model has escaped itself: then it has no other characters beyond ASCII, nor escapes.
_DOUBLED = re.compile(r"(?<!\\)\\\\(?=u(?!00[0-7])[0-9a-fA-F]{4})")
_ESCAPES_ONCE = re.compile(r"(?<!\\)\\u")
_ESCAPED = re.compile(r'[\[{]\s*(?:\\n\s*)?\\"')

# How many closing braces, from the last one backwards, are tried as the end of an item: inner objects close earlier.
_BRACES_TRIED = 8


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
    answer = _without_thoughts(text)
    start, end = answer.find("{"), answer.rfind("}")
    return _object(answer[start : end + 1]) if start >= 0 else None


def answer_text(text: str) -> str | None:
    """Find the part of a model's answer that `answer_values` reads: its only object, or all but its thoughts.

    Args:
        text: The model's answer.

    Returns:
        The part, which can be stored; None if there is neither JSON nor a table in it of which anything is whole.
    """
    text = str(storable(text))
    answer = _without_thoughts(text).strip()
    for whole in (text, answer, answer[answer.find("{") : answer.rfind("}") + 1]):
        try:
            parsed = lenient_json.strict(whole)
        except ValueError:
            continue
        if isinstance(parsed, dict | list):
            return whole if storable_json(whole) == whole else json.dumps(storable(parsed))
        if isinstance(parsed, str):
            # JSON that was encoded twice.
            return answer_text(parsed)
    if '"' not in answer and "&quot;" in answer:
        return answer_text(html.unescape(answer))
    if _ESCAPED.match(answer):
        # JSON that was encoded twice, without the quotes around it.
        return answer_text(answer.replace('\\"', '"').replace("\\\\", "\\"))
    parsed, cut = lenient_json.values(answer, keep_cut=True)
    return answer if parsed and (not cut or any(map(_says_anything, parsed))) else None


def answer_values(text: str, *, keep_cut: bool = False) -> tuple[list[Any], bool]:
    """Read an answer.

    Args:
        text: The result of `answer_text`.
        keep_cut: See `lenient_json.values`.

    Returns:
        Its objects and lists, as Python values that can be stored, and whether the end of the last one is cut off.
    """
    if text.isascii() and not _ESCAPES_ONCE.search(text):
        text = _DOUBLED.sub(r"\\", text)
    try:
        parsed, cut = lenient_json.strict(text), False
    except ValueError:
        parsed, cut = lenient_json.values(text, keep_cut=keep_cut)
    else:
        parsed = [parsed]
    return storable(parsed), cut


def items_so_far(text: str) -> str | None:
    """Close an object of one list that is still being written behind the last of its items that is whole.

    Args:
        text: The text that a model has written so far.

    Returns:
        The object up to that item, as JSON; None where no item is whole yet, or it is no plain JSON.
    """
    begun = text.lstrip().removeprefix("```json").removeprefix("```")
    end = len(begun)
    for _ in range(_BRACES_TRIED):
        end = begun.rfind("}", 0, end)
        if end < 0:
            return None
        whole = begun[: end + 1] + "]}"
        try:
            return whole if isinstance(lenient_json.strict(whole), dict) else None
        except ValueError:
            continue
    return None


def _says_anything(value: Any) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is None or any(map(_says_anything, inner))


def _without_thoughts(text: str) -> str:
    """Return an answer without special tokens and its reasoning, which the model's template may have opened."""
    return _SPECIAL.sub("", spoken(_CALL.sub("<|channel|>final<|message|>", text), opened=True))


def _object(text: str) -> str | None:
    mended = storable_json(text).strip()
    try:
        return mended if isinstance(from_json(mended), dict) else None
    except ValueError:
        return None
