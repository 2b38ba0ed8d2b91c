"""Reads JSON as models write it without a grammar that holds them to it.

Python literals, comments, trailing, missing and doubled commas, single and curly quotes, full-width commas and colons,
quotes within texts, names without quotes, line breaks in texts, escapes that JSON does not have, a bracket that is
missing, several values one after the other with words between, names that are given twice, Markdown tables. Values
that are whole before a cut end count.
"""

import json
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any

from schemas.text.sentences import whole_sentences

_DEEPEST = 20
# Names are looked for in the places of all texts, so that each search has an end.
_LONGEST_NAME = 200
_PAIRS = {"{": "}", "[": "]", "(": ")"}
_QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": '\u201d\u201c"',
    "\u201d": '\u201d\u201c"',
    "\u201e": '\u201c\u201d"',
    "\u2018": "\u2019'",
    "\u00ab": "\u00bb",
    "\u300c": "\u300d",
}
_WORDS = {"true": True, "false": False, "null": None, "none": None, "undefined": None, "nan": None}
_BETWEEN = re.compile(r"(?:[\s,;\uff0c\u200b\ufeff]|//[^\n]*|/\*.*?(?:\*/|$)|#\s[^\n]*|\.\.\.|\u2026)*", re.DOTALL)
_NAME_END = re.compile(r"\s*(?:[:\uff1a]|=>|=)")
_BARE_NAME = re.compile(r"([\w.-]+)\s*(?:[:\uff1a]|=>|=)")
# Between two answers: the second one stands in the place of the first, and does not add to it.
_CORRECTED = (
    "corrected|correction|revised|final|korrigierte?|korrektur|endgültige?|corregid[oa]|corrigée?|исправлен\\w*"
)
_CORRECTS = re.compile(
    rf"\b(?:{_CORRECTED})(?:\s(?:answer|version|json|output|result|antwort|respuesta|réponse|ответ))?\W*\Z"
    r"|\banswer\W*\Z|(?:修正|最终|訂正)\w*\W*\Z|\bon second thought\b"
    r"|\b(?:scratch|ignore|disregard)\s(?:that|this|the|my)\b",
    re.IGNORECASE,
)
_WAITS = re.compile(r"\bwait\b", re.IGNORECASE)
_ADDS = re.compile(
    r"\b(?:also|too|as well|(?:an)?other|more|missed|missing|forgot\w*|add\w*|further|second|rest|remaining|there)\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?=\s*(?:[,;\uff0c}\])\n]|//|/\*|#\s))")
_BARE = re.compile(r"[^,;\uff0c}\])\n]*")
# The text behind a closing quote: a closing bracket, a comma before another value or name, a name, a new line.
_TEXT_END = re.compile(
    r"\s*+(?:$|[}\])]|//|/\*|[,;\uff0c]\s*+(?:$|[\"'`\u201c\u201d\u201e\u2018\u00ab\u300c{}\[\]()\d+-]|//|/\*|#\s|\.\.\."
    r"|\w[\w.-]*\s*[:\uff1a=]"
    r"|(?:true|false|null|none)\b)"
    r"|[\"'`\u201c\u201d\u2018\u00ab\u300c][\w .-]{1,40}[\"'`\u201d\u2019\u00bb\u300d]\s*[:\uff1a])"
    r"|[ \t]*\n\s*+[\"'`\u201c\u2018{\[]",
    re.IGNORECASE,
)
_ESCAPE = re.compile(
    r"\\(?:u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|(.)|$)", re.DOTALL
)
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "\n": ""}
_RULE = re.compile(r"(?=[^-]*-)[\s|:-]*")


def values(text: str, *, keep_cut: bool = False) -> tuple[list[Any], bool]:
    """Find the objects and lists in a text.

    Args:
        text: A model's answer.
        keep_cut: Whether of a text that is cut off, in an outermost object, its whole sentences are kept.

    Returns:
        The outermost ones in order, each as Python values, without those that a later one of the same names corrects;
        else the rows of Markdown tables as one list of objects; and whether the end of the last one is cut off.
    """
    reader = _Reader(text, keep_cut=keep_cut)
    found: list[Any] = []
    at, whole = 0, True
    while whole and (opening := reader.opening(at)) is not None:
        is_correction = found and _corrects(text, at, opening)
        value, whole, at = reader.container(opening, 0)
        # Items stand beside each other: an answer is an object of lists.
        if is_correction and isinstance(value, dict) and all(isinstance(each, list) for each in value.values()):
            found = [one for one in found if not (isinstance(one, dict) and one.keys() == value.keys())]
        found.append(value)
    rows = [] if found else _rows(text)
    return found or ([rows] if rows else []), not whole


def _corrects(text: str, start: int, end: int) -> bool:
    """Whether the words between two answers put the second one in the place of the first."""
    if _CORRECTS.search(text, start, end):
        return True
    return _WAITS.search(text, start, end) is not None and not _ADDS.search(text, start, end)


def strict(text: str) -> Any:
    """Parse JSON; the values of a name that is given twice are joined.

    Raises:
        ValueError: It is no JSON.
    """
    try:
        return json.loads(text, strict=False, object_pairs_hook=_joined)
    except RecursionError:
        raise ValueError("The JSON is nested too deeply.") from None


def _joined(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """An object of its names and values: lists under the same name are one, of other values the last one counts."""
    read: dict[str, Any] = {}
    for name, value in pairs:
        earlier = read.get(name)
        read[name] = [*earlier, *value] if isinstance(earlier, list) and isinstance(value, list) else value
    return read


class _Reader:
    def __init__(self, text: str, *, keep_cut: bool) -> None:
        self._text = text
        self._keep_cut = keep_cut

    def opening(self, at: int) -> int | None:
        """Return the position of the next object or list; None if there is none."""
        places = [place for mark in "{[" if (place := self._text.find(mark, at)) >= 0]
        return min(places, default=None)

    def container(self, at: int, depth: int) -> tuple[Any, bool, int]:
        """Read an object or list; returns it, whether it is whole, and the position of its end."""
        is_object = self._text[at] == "{"
        closing = _PAIRS[self._text[at]]
        pairs: list[tuple[str, Any]] = []
        items: list[Any] = []
        at += 1
        while True:
            at = self._behind(_BETWEEN, at)
            mark = self._text[at : at + 1]
            if mark == "" or depth == _DEEPEST:
                return _joined(pairs) if is_object else items, False, len(self._text)
            if mark in "}])":
                # The bracket of an outer one: this one's is missing.
                end = at + 1 if mark == closing or depth == 0 else at
                return (_joined(pairs) if is_object and (pairs or not items) else items), True, end
            name, at = self._name(at) if is_object else (None, at)
            value, whole, at = self._value(at, depth)
            if not whole and isinstance(value, str):
                value = whole_sentences(value) if self._keep_cut and name is not None and depth == 0 else ""
            if whole or value or isinstance(value, dict | list):
                if name is not None:
                    pairs.append((name, value))
                elif whole:
                    items.append(value)

    def _behind(self, pattern: re.Pattern[str], at: int) -> int:
        found = pattern.match(self._text, at)
        return found.end() if found else at

    def _name(self, at: int) -> tuple[str | None, int]:
        """The name of a field; None if a value stands there, as in a set of Python's."""
        if self._text[at] in _QUOTES:
            name, whole, end = self._quoted(at, _NAME_END.match, until=at + _LONGEST_NAME)
            if whole and (colon := _NAME_END.match(self._text, end)):
                return name, self._behind(_BETWEEN, colon.end())
            return None, at
        if found := _BARE_NAME.match(self._text, at):
            return found[1], self._behind(_BETWEEN, found.end())
        return None, at

    def _value(self, at: int, depth: int) -> tuple[Any, bool, int]:
        mark = self._text[at : at + 1]
        if mark == "":
            return None, False, at
        if mark in _PAIRS:
            return self.container(at, depth + 1)
        if mark in _QUOTES:
            return self._quoted(at, _TEXT_END.match)
        if mark in "}])":
            return None, True, at
        if number := _NUMBER.match(self._text, at):
            digits = number[0]
            is_whole = digits.lstrip("+-").isdigit()
            return int(digits) if is_whole and len(digits) <= len("1" * 30) else float(digits), True, number.end()
        end = self._behind(_BARE, at)
        word = self._text[at:end].strip()
        # At least one character is read, so that reading always ends.
        return _WORDS.get(word.casefold(), word), end < len(self._text), max(end, at + 1)

    def _quoted(self, at: int, ends: Callable[[str, int], object], until: int = sys.maxsize) -> tuple[str, bool, int]:
        """Read a text in quotes; a quote behind which `ends` finds nothing is one within it."""
        opening = self._text[at]
        if self._text.startswith(opening * 3, at) and (end := self._text.find(opening * 3, at + 3)) >= 0:
            return _unescaped(self._text[at + 3 : end]), True, end + 3
        closing = _QUOTES[opening]
        place = at + 1
        while place < min(len(self._text), until):
            char = self._text[place]
            if char == "\\":
                place += 2
            elif char in closing and ends(self._text, place + 1):
                return _unescaped(self._text[at + 1 : place]), True, place + 1
            else:
                place += 1
        return _unescaped(self._text[at + 1 :]), False, len(self._text)


def _unescaped(text: str) -> str:
    """Resolve escapes, also those of JavaScript and Python; of one that is none its character stays."""
    if "\\" not in text:
        return text

    def unescaped(escape: re.Match[str]) -> str:
        digits = escape[1] or escape[2] or escape[3] or escape[4]
        if digits:
            code = int(digits, 16)
            return chr(code) if code <= sys.maxunicode else "\ufffd"
        return _CONTROLS.get(escape[5] or "", escape[5] or "")

    # Two halves of a UTF-16 pair are one character.
    return _ESCAPE.sub(unescaped, text).encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _rows(text: str) -> list[dict[str, str]]:
    """The rows of the Markdown tables in a text, by the names of their columns."""
    rows: list[dict[str, str]] = []
    before: list[str] = []
    columns: list[str] = []
    for line in text.splitlines():
        cells = [cell.strip().strip("*`") for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
        if _RULE.fullmatch(line):
            columns = before
        elif len(columns) > 1 and len(cells) == len(columns):
            rows.append(dict(zip(columns, cells, strict=True)))
        else:
            columns = []
        before = cells
    return rows
