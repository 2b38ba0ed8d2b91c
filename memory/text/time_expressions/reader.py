"""Reads expressions of time from text with a language's table."""

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import NamedTuple

from memory.text.time_expressions.language import LETTER, Language, Meaning, Modification, Values
from memory.text.time_expressions.periods import AskingMoment, Span

_MODIFIER_CHARACTERS = 60
_MODIFIERS_OF_AN_EXPRESSION = 3

_SLOT = re.compile(r"\{([a-z]+)(2?)\}")
# Slots that give their values as another slot does.
_PART_OF = {"fullmonth": "month", "calendarunit": "unit", "tens": "figure"}


class Expression(NamedTuple):
    """An expression of time in a text.

    Attributes:
        start: Its first character.
        end: The character after its last.
        span: Its time.
        cued: True if it needs a modifier to mean that.
        dated: True if it names a year.
        resolve: Computes its time at another moment.
        is_range: True if it is two expressions, which no modifier changes.
    """

    start: int
    end: int
    span: Span
    cued: bool
    dated: bool
    resolve: Callable[[AskingMoment], Span | None]
    is_range: bool = False


class ExpressionReader:
    """A language's table with its patterns compiled; safe to share between threads.

    Args:
        language: The table.
    """

    def __init__(self, language: Language) -> None:
        self._language = language
        self._words = {
            kind: {_key(word): value for word, value in words.items()} for kind, words in language.words.items()
        }
        self._numbers = {_key(word): count for word, count in language.numbers.items()}
        begin, end = (rf"(?<!{LETTER})(?<!\d[.,])(?:", rf")(?!{LETTER})") if language.spaced else (r"(?<!\d)(?:", r")")
        self._left_alone = [self._compiled(begin, each, end, named=False) for each in language.left_alone]
        self._phrases = [
            (self._compiled(begin, phrase.pattern, end), phrase.meaning, cued)
            for phrases, cued in ((language.phrases, False), (language.cued_phrases, True))
            for phrase in phrases
        ]
        self._before = [(self._compiled(begin, each.pattern, r")\s*\Z"), each.modification) for each in language.before]
        self._after = [
            (self._compiled(r"\s*,?\s*(?:", each.pattern, end), each.modification) for each in language.after
        ]
        self._ranges = [
            (self._compiled(begin, each.opening, r")\s*\Z"), self._compiled(r"\s*(?:", each.between, r")\s*"))
            for each in language.ranges
        ]

    def expressions(self, text: str, at: AskingMoment) -> list[Expression]:
        """The expressions in an NFKC-normalised text that stand for a time, in its order; they do not overlap."""
        # Ranges come first, as "from March to May" is not "to May"; then again for "from early March to late May".
        plain = self._joined(text, self._chosen(text, at), at)
        modified = self._joined(text, self._modified(text, plain, at), at)
        return [each for each in modified if not each.cued]

    def _chosen(self, text: str, at: AskingMoment) -> list[Expression]:
        """The longest expressions that do not overlap, in the order of the text."""
        taken = bytearray(len(text))
        for found in (found for pattern in self._left_alone for found in pattern.finditer(text)):
            taken[found.start() : found.end()] = b"\1" * len(found[0])
        candidates = sorted(self._candidates(text, at), key=lambda match: (match.start - match.end, match.start))
        chosen: list[Expression] = []
        for match in candidates:
            if not any(taken[match.start : match.end]):
                chosen.append(match)
                taken[match.start : match.end] = b"\1" * _length(match)
        return sorted(chosen, key=lambda match: match.start)

    def _candidates(self, text: str, at: AskingMoment) -> Iterator[Expression]:
        for pattern, meaning, cued in self._phrases:
            for found in pattern.finditer(text):
                values = self._values(found)
                resolve = _resolver(meaning, values)
                if values is not None and (span := resolve(at)):
                    yield Expression(found.start(), found.end(), span, cued, "year" in values, resolve)

    def _modified(self, text: str, matches: list[Expression], at: AskingMoment) -> list[Expression]:
        """Each expression with the modifiers beside it, as far as they do not reach into another one."""
        modified: list[Expression] = []
        # The beginning of the next expression without a cue.
        ceilings = [len(text)]
        for match in reversed(matches[1:]):
            ceilings.append(ceilings[-1] if match.cued else min(match.start, ceilings[-1]))
        for match, ceiling in zip(matches, reversed(ceilings), strict=False):
            if modified and match.start < modified[-1].end:
                continue
            whole = match
            for _ in range(0 if match.is_range else _MODIFIERS_OF_AN_EXPRESSION):
                wider = max(self._widened(text, whole, ceiling, at), key=_length, default=None)
                # An expression can be a part of a modifier: "the Monday" in "the Monday after Christmas".
                before = next((each for each in reversed(modified) if wider and each.start < wider.start), None)
                if wider is None or (before and wider.start < before.end):
                    break
                whole = wider
            while modified and whole.start < modified[-1].end:
                modified.pop()
            modified.append(whole)
        return modified

    def _widened(self, text: str, match: Expression, ceiling: int, at: AskingMoment) -> Iterator[Expression]:
        for pattern, modification in self._before:
            if found := pattern.search(text, max(0, match.start - _MODIFIER_CHARACTERS), match.start):
                yield from self._with_modifier(match, found, modification, at)
        for pattern, modification in self._after:
            if found := pattern.match(text, match.end, ceiling):
                yield from self._with_modifier(match, found, modification, at)

    def _with_modifier(
        self, match: Expression, found: re.Match[str], modification: Modification, at: AskingMoment
    ) -> Iterator[Expression]:
        values = self._values(found)
        if values is None:
            return

        def resolve(moment: AskingMoment) -> Span | None:
            inner = match.resolve(moment)
            return _valid(lambda: modification(inner, values, moment)) if inner else None

        if span := resolve(at):
            start, end = min(match.start, found.start()), max(match.end, found.end())
            yield match._replace(start=start, end=end, span=span, cued=False, resolve=resolve)

    def _joined(self, text: str, matches: list[Expression], at: AskingMoment) -> list[Expression]:
        """The expressions, with those that make a range as one."""
        joined: list[Expression] = []
        for match in matches:
            whole = self._range(text, joined, match, at) if joined else None
            if whole:
                joined[-1] = whole
            else:
                joined.append(match)
        return joined

    def _range(self, text: str, before: list[Expression], second: Expression, at: AskingMoment) -> Expression | None:
        first = before[-1]
        floor = before[-2].end if len(before) > 1 else 0
        for opening, between in self._ranges:
            opened = opening.search(text, max(floor, first.start - _MODIFIER_CHARACTERS), first.start)
            if not opened or not between.fullmatch(text, first.end, second.start):
                continue
            begin, finish = first.span, second.span
            if first.dated and second.cued:
                # "from November 2021 to February": the February within a year from then.
                finish = second.resolve(at._replace(local=begin.start + timedelta(days=364))) or finish
            elif not first.dated and (first.cued or begin.start >= finish.start):
                # "from November to February": the November before that February.
                begin = first.resolve(at._replace(local=finish.start)) or begin
            if begin.start < finish.end:
                span = Span(begin.start, finish.end)
                return second._replace(start=opened.start(), span=span, cued=False, is_range=True)
        return None

    def _values(self, found: re.Match[str]) -> Values | None:
        """The numbers that a match's words stand for; None if a word is in no vocabulary after all."""
        values: dict[str, int] = {}
        for slot, word in found.groupdict().items():
            if word is None:
                continue
            kind = slot.rstrip("2")
            if kind == "number":
                count = self._numbers.get(_key(word))
                least, most = count or ((int(word), int(word)) if word.isdecimal() else (None, None))
                if least is None or most is None:
                    return None
                values |= {"number": least, "most": most}
            elif kind in self._words:
                value = self._words[kind].get(_key(word))
                if value is None:
                    return None
                values[_PART_OF.get(kind, kind) + slot.removeprefix(kind)] = value
            else:
                values[slot] = int(word)
        return values

    def _compiled(self, begin: str, pattern: str, end: str, *, named: bool = True) -> re.Pattern[str]:
        def group(slot: re.Match[str]) -> str:
            return f"(?{f'P<{slot[1]}{slot[2]}>' if named else ':'}{self._slot(slot[1])})"

        words = _SLOT.sub(group, pattern).replace(" ?", r"\s*").replace(" ", r"\s+")
        return re.compile(begin + words + end, re.IGNORECASE)

    def _slot(self, kind: str) -> str:
        match kind:
            case "year":
                return r"(?<!\d)(?:19|20)\d\d(?!\d)"
            case "day":
                return r"(?<!\d)\d\d?(?!\d)"
            case "figure":
                return r"(?<!\d)\d{1,3}(?!\d)"
            case "number":
                return rf"(?<!-)(?:{_alternatives(self._language.numbers)}|(?<!\d)\d{{1,3}}(?!\d))"
            case _:
                return _alternatives(self._language.words[kind])


def _alternatives(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest that fits, which tries only those with the right first letter."""
    by_letter: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        by_letter.setdefault(word[0], []).append(re.escape(word[1:]).replace(r"\ ", " "))
    return "|".join(f"{re.escape(letter)}(?:{'|'.join(rest)})" for letter, rest in by_letter.items())


def _key(word: str) -> str:
    return " ".join(word.casefold().split())


def _length(match: Expression) -> int:
    return match.end - match.start


def _resolver(meaning: Meaning, values: Values | None) -> Callable[[AskingMoment], Span | None]:
    return lambda moment: _valid(lambda: meaning(values or {}, moment))


def _valid(resolve: Callable[[], Span | None]) -> Span | None:
    """The span that a function resolves to; None where it leaves the calendar or has no length."""
    try:
        span = resolve()
    except (ValueError, OverflowError):
        return None
    return span if span and span.start < span.end else None
