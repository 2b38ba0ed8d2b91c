"""Texts that take an expression long, made of its own parts.

An expression takes the square of a text's length, or more, if it reads the same characters again: from each place where
it begins, or for each way in which two of its parts can share them. So each window of its parts is repeated behind what
stands before it, and ends with a character that hardly any part matches. Of the characters that a set matches one of
each kind is tried: two characters are of one kind if the same sets of the expression match both.
"""

import warnings
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import sre_constants as kinds
    import sre_parse

LONG = 32 * 1024
# The most texts of the parts of one expression, taken evenly from all.
MOST = 100
# What most expressions don't match, so that they have to try all ways to.
END = "\x00"
CHARACTERS = "a0 -.'\"<>\n_A\u00e9\u3042\u4e00\u0301"
REPEATS = (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT)
# A part that may be repeated less often takes no time by the length of a text.
OFTEN = 8
# So many parts behind each other are repeated, and all from the first.
WINDOW = 3


def attacks(pattern: str, flags: int) -> list[str]:
    """Return texts of 32 KB."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parsed = list(sre_parse.parse(pattern, flags))
    found: dict[tuple[str, str], None] = {}
    for style, first in enumerate(_of_each_kind(parsed)):
        for optional in (True, False):
            found |= dict.fromkeys(_pumps(parsed, "", _Writer(first, style, optional=optional)))
    own = [(before, unit) for before, unit in found if unit]
    pumps = dict.fromkeys([*(("", character) for character in CHARACTERS), *own[:: -(-len(own) // MOST) or 1]])
    return [before + unit * ((LONG - len(before) - 1) // len(unit)) + END for before, unit in pumps]


def _of_each_kind(parsed: Sequence[Any]) -> list[str]:
    """One character of each kind."""
    sets = dict.fromkeys(tuple(one) for one in _sets(parsed))
    own = (chr(code) for one in sets for part in one for code in _codes(part))
    found = {}
    for character in dict.fromkeys(chain(own, CHARACTERS)):
        # Ends of words and lines are looked for in many expressions, beside the sets.
        kind = _is_word(character), character == "\n", *(_holds_any(one, character) for one in sets)
        found.setdefault(kind, character)
    return list(found.values())


def _sets(items: Sequence[Any]) -> Iterator[Any]:
    """Yield what each set matches that is in a part that may be repeated often."""
    for kind, argument in items:
        if kind in REPEATS and argument[1] > OFTEN:
            yield from (one[1] if one[0] is kinds.IN else [one] for one in _single(argument[2]))
        for inner in _inner(kind, argument):
            yield from _sets(inner)


def _single(items: Sequence[Any]) -> Iterator[Any]:
    """Yield the parts that match one character."""
    for kind, argument in items:
        if kind in (kinds.IN, kinds.LITERAL, kinds.NOT_LITERAL, kinds.ANY):
            yield kind, argument
        for inner in _inner(kind, argument):
            yield from _single(inner)


def _inner(kind: Any, argument: Any) -> Sequence[Sequence[Any]]:
    """The sequences of parts within a part."""
    if kind in REPEATS:
        return [list(argument[2])]
    if kind is kinds.SUBPATTERN:
        return [list(argument[-1])]
    if kind is kinds.ATOMIC_GROUP:
        return [list(argument)]
    if kind is kinds.BRANCH:
        return [list(branch) for branch in argument[1]]
    if kind in (kinds.ASSERT, kinds.ASSERT_NOT):
        return [list(argument[1])]
    return []


def _pumps(items: Sequence[Any], before: str, writer: "_Writer") -> Iterator[tuple[str, str]]:
    """Yield windows of parts, each with what stands before it; of the expression, and of the parts within its parts."""
    # By part, what stands before it, and its text.
    written: list[tuple[str, str]] = []
    for kind, argument in items:
        for inner in _inner(kind, argument):
            yield from _pumps(inner, before[-400:], writer)
        text = writer.part(kind, argument)
        written.append((before, text))
        repeated = writer.text(argument[2]) if kind in REPEATS and not text else text
        if kind not in (kinds.LITERAL, kinds.AT):
            for at in sorted({0, *range(max(0, len(written) - WINDOW), len(written))}):
                yield written[at][0], "".join(one for _, one in written[at:-1]) + repeated
            yield "", before + repeated
        before += text
    if before:
        yield "", before
        yield "", before + " "


class _Writer:
    """Writes texts that match parts, as far as that can be said without trying.

    Args:
        first: The character for each set that matches it.
        style: Tells which of some branches is written.
        optional: Whether parts are written that may be left out.
    """

    def __init__(self, first: str, style: int, *, optional: bool) -> None:
        self._order = [first, *CHARACTERS]
        self._style, self._least = style, int(optional)
        self._groups: dict[int, str] = {}

    def part(self, kind: Any, argument: Any) -> str:  # noqa: PLR0911  # one for each kind
        """A text that matches a part."""
        if kind is kinds.LITERAL:
            return chr(argument)
        if kind in (kinds.NOT_LITERAL, kinds.ANY):
            return next(one for one in self._order if _holds((kind, argument), one))
        if kind is kinds.IN:
            own = (chr(code) for part in argument for code in _codes(part))
            return next((one for one in chain(self._order, own) if _holds_any(argument, one)), "")
        if kind in REPEATS:
            least, most, inner = argument
            return "".join(self.text(inner) for _ in range(min(most, max(least, self._least))))
        if kind is kinds.BRANCH:
            return self.text(argument[1][self._style % len(argument[1])])
        if kind is kinds.SUBPATTERN:
            self._groups[argument[0]] = text = self.text(argument[-1])
            return text
        if kind is kinds.ATOMIC_GROUP:
            return self.text(argument)
        if kind is kinds.GROUPREF:
            return self._groups.get(argument, "")
        return ""

    def text(self, items: Sequence[Any]) -> str:
        """A text that matches parts behind each other."""
        return "".join(self.part(*item) for item in items)


def _codes(part: Any) -> Sequence[int]:
    """The characters that a part of a set names."""
    kind, value = part
    if kind is kinds.LITERAL:
        return [value]
    return [*value] if kind is kinds.RANGE else []


def _holds_any(parts: Sequence[Any], character: str) -> bool:
    """Whether a set matches a character."""
    negated = parts[0][0] is kinds.NEGATE
    return negated != any(_holds(part, character) for part in parts[negated:])


def _holds(part: Any, character: str) -> bool:
    kind, value = part
    if kind is kinds.ANY:
        return character != "\n"
    if kind in (kinds.LITERAL, kinds.NOT_LITERAL):
        return (ord(character) == value) == (kind is kinds.LITERAL)
    if kind is kinds.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    return {
        kinds.CATEGORY_WORD: _is_word(character),
        kinds.CATEGORY_NOT_WORD: not _is_word(character),
        kinds.CATEGORY_SPACE: character.isspace(),
        kinds.CATEGORY_NOT_SPACE: not character.isspace(),
        kinds.CATEGORY_DIGIT: character.isdecimal(),
        kinds.CATEGORY_NOT_DIGIT: not character.isdecimal(),
    }.get(value, False)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
