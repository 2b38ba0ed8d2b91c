"""Reads a number that a model writes as a word, a part of a whole, or a percentage."""

import math
import re
from collections.abc import Mapping
from typing import Any

_NUMBER = re.compile(
    r"[~\u2248<>=\s]*+([-+]?\d+(?:[.,]\d+)?)\s*+(%|percent|(?:/|of|out of)\s*+(\d+))?(?:\s*+[(:\u2013\u2014-].*)?"
)
DEGREES = {"certain": 1.0, "very high": 0.95, "high": 0.9, "likely": 0.8}
DEGREES |= {"medium": 0.6, "moderate": 0.6, "low": 0.3, "very low": 0.1}
_GRADE_LINES = ("none trivial low minor zero", "usual normal medium moderate one", "significant high major two")
GRADES = {word: grade for grade, words in enumerate(_GRADE_LINES) for word in words.split()}
GRADES |= dict.fromkeys(("very high", "critical", "core", "three"), 3)


class UnreadableValue(ValueError):
    """A value says nothing in the form of its field; the text is the reason, which is counted."""


def read_number(raw: Any, words: Mapping[str, float]) -> float:
    """Return the number; `words` are those that stand for one.

    Raises:
        Unreadable: It is none.
    """
    if isinstance(raw, str):
        word = " ".join(raw.replace("_", " ").split()).casefold()
        if word in words:
            return words[word]
        if found := _NUMBER.fullmatch(word):
            number = float(found[1].replace(",", "."))
            if found[3]:
                return number / float(found[3]) if float(found[3]) else 0.0
            return number / 100 if found[2] else number
    elif isinstance(raw, int | float) and not isinstance(raw, bool) and math.isfinite(raw):
        return float(raw)
    raise UnreadableValue("a value of another type")
