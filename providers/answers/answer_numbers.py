"""Reads a number that a model writes as a word, a part of a whole, or a percentage."""

import math
import re
from collections.abc import Mapping
from typing import Any

_NUMBER = re.compile(
    r"[~\u2248<>=\s]*+([-+]?(?:\d+(?:[.,]\d+)?|[.,]\d+))\s*+"
    r"(%|percent|(?:/|of|out of)\s*+(\d+))?(?:\s*+[(:\u2013\u2014-].*)?"
)
DEGREES = {"certain": 1.0, "very high": 0.95, "likely": 0.8, "very low": 0.1}
DEGREES |= dict.fromkeys(("very sure", "very confident", "almost certain", "sehr hoch"), 0.95)
_DEGREE_LINES = {
    0.9: "high sure confident hoch sicher alta alto élevée élevé haute высокая 高 높음",
    0.6: "medium moderate mittel media medio moyenne средняя 中 보통",
    0.3: "low niedrig gering baja bajo faible bassa basso низкая 低 낮음",
}
DEGREES |= {word: degree for degree, words in _DEGREE_LINES.items() for word in words.split()}
_GRADE_LINES = (
    "none trivial low minor zero niedrig unwichtig",
    "usual normal medium moderate one mittel",
    "significant high major two important hoch wichtig importante",
    "critical core three identity",
)
GRADES = {word: grade for grade, words in enumerate(_GRADE_LINES) for word in words.split()}
GRADES |= dict.fromkeys(("very high", "who the user is", "sehr hoch", "sehr wichtig"), 3)


class UnreadableValue(ValueError):
    """A value says nothing in the form of its field; the text is the reason, which is counted."""


def read_number(raw: Any, words: Mapping[str, float]) -> float:
    """Return the number; `words` are those that stand for one.

    Raises:
        UnreadableValue: It is none.
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
