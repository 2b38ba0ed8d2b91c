"""History that a frontend rewrites by its settings before it resends it.

Quotation marks are made straight or curly, panels and markup are taken out, times and names are put before lines,
characters are escaped, words are masked, long lines are cut, all is translated. Such a message at the same place, by
the same speaker, is the same message, and its first wording stays. A message with other words of the same language is
another one: an edit.
"""

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from unicodedata import decimal
from uuid import UUID

from memory.proxy.matching.added_paragraphs import is_within
from memory.proxy.matching.alignment import KnownConversation, Match
from memory.proxy.reading.turns import Turn, trailing_words
from memory.text.languages import language_of_word, votes
from memory.text.markup import Markup
from memory.text.same_words import LONG
from store.talk.transcripts import PlacedMessage

# The most messages that are compared by text: at one place, of these the newest ones, and in all.
MOST_AT_A_PLACE = 64
NEWEST = 32
COMPARED = 400
# The least share of a text that must be the same where words are masked, unless all of it is masked.
LEAST_SHARE = 0.3
# The most characters of a text that may be a translation, and how many times the other's characters it may have.
MOST_TRANSLATED = 4_000
MOST_RATIO = 3
# The language of a text of fewer words is recognised by its script alone.
LEAST_WORDS = 4

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")
_NO_LETTERS = re.compile(r"[\W_]+")

# Tags that only say how their words look.
_LOOKS = frozenset(
    (
        "p",
        "div",
        "span",
        "b",
        "i",
        "u",
        "s",
        "em",
        "strong",
        "q",
        "font",
        "small",
        "del",
        "li",
        "ul",
        "ol",
        "blockquote",
    )
)
_PICTURE = re.compile(r"!\[[^\[\]\n]{0,300}\]\([^()\s]*+\)")
# A tag alone, a row of a table, and a line in brackets.
_MARKS = re.compile(r"<[^<>]{1,200}>|^[ \t]*+\|[^\n]*\|[ \t]*$|^[ \t]*+\[[^\[\]\n]*\][ \t]*$", re.MULTILINE)
_TIME = (
    r"(?:\d{4}-\d{1,2}-\d{1,2}[T ,]*+|\d{1,2}[./]\d{1,2}[./]\d{2,4}[ ,]*+|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*+[ ,]*+"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*+ \d{1,2}(?:, \d{4})?[ ,]*+)*"
    r"(?:(?:at )?\d{1,2}:\d{2}(?::\d{2})?(?:\.\d+)?(?: ?[ap]\.?m\.?)?(?: ?(?:utc|gmt|z|[+-]\d{2}:?\d{2}))?)?"
)
_TIMED = re.compile(
    rf"\A\s*+(?:[\[(<{{]\s*+(?:time|date|sent|at)?:?\s*+{_TIME}\s*+[\])>}}]\s*+[:-]?|{_TIME}\s*+[-–—|:]+\s)\s*+",
    re.IGNORECASE,
)
_BRACKET_TIME = re.compile(r"\A\s*[\[(][^\[\]()\n]{0,60}\d{1,2}:\d{2}[^\[\]()\n]{0,30}[\])]\s*[:-]?\s*")
_BRACKET = re.compile(
    r"\A\s*\[(?:(?:time|date|timestamp|clock)\b[^\[\]\n]{0,60}|\d{1,4} [a-z]{3,7} ago|just now)\]\s*", re.IGNORECASE
)
_MASK = re.compile(
    r"\[(?:redacted|censored|removed|masked|hidden|filtered|name|link|url|image|photo|\.\.\.|…|_+)\]|[*•✱#]{2,}|[█▇■●♥❤]+|\b[xX_]{3,}\b"
    r"|(?-i:\[[A-Z][A-Z_]{1,20}\d{0,3}\])|\{\{\w{1,20}\}\}",
    re.IGNORECASE,
)
# Masks in the form of tags.
_TAG_MASK = re.compile(r"<(?:redacted|censored|removed|masked|name|(?-i:[A-Z][A-Z_]{1,20}\d{0,3}))>", re.IGNORECASE)
_LABEL = re.compile(r"\A\s*+[^\n:]{1,40}:[ \t]+(?=\S)")


def rewritten(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, texts: Mapping[UUID, str]
) -> dict[int, dict[UUID, int]]:
    """Return, by turn, which messages are the same in other clothes, with the number of the turn's characters.

    Args:
        turns: The transcript.
        matches: Its alignment so far.
        known: The conversation.
        texts: The texts of the messages that `to_compare` returned.
    """
    alike: dict[int, dict[UUID, int]] = {}
    for number, messages in _at_their_places(turns, matches, known, texts):
        length = len(turns[number].comparable)
        for message in messages:
            alike.setdefault(number, {})[message.message_id] = length
    return alike


def to_compare(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> set[UUID]:
    """Return the messages that unmatched turns may show in other words; empty if all but the last words match."""
    matched = {match.turn for match in matches}
    last = max((number for number, turn in enumerate(turns) if turn.role == "assistant"), default=-1)
    if all(number in matched for number in range(last)) and (last < 0 or last in matched):
        return set()
    found = {match.message.message_id for match in matches}
    newest = sorted((id_ for id_ in known.messages if id_ not in found), reverse=True)
    return set(newest[:COMPARED])


class _Wording:
    """A text for comparison; its derived forms are made once.

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self.text = text

    def is_same(self, other: "_Wording") -> bool:
        """Whether two texts are the same but for frontends' rewriting."""
        # Two texts with panels of their own, or with code, differ in these.
        if self.panels and other.panels and self.panels != other.panels:
            return False
        if self.core == other.core:
            return bool(self.core)
        return self.rewrites(other) or other.rewrites(self) or self._may_translate(other)

    def rewrites(self, other: "_Wording") -> bool:
        """Whether this is the other text with a name before it, cut, or with masked words."""
        return (self.unlabelled or None) == other.core or (self.is_cut and self.cuts(other)) or self.masks(other)

    @cached_property
    def core(self) -> str:
        """The letters and digits, without panels, markup and the time before it; all if there are no others."""
        return _letters(self._bare) or _letters(self._timeless)

    @cached_property
    def panels(self) -> str:
        """The letters and digits of the panels; none if there is nothing else."""
        return _letters(_panels_of(self._timeless)[1]) if _letters(self._bare) else ""

    @cached_property
    def _timeless(self) -> str:
        text = html.unescape(self.text) if "&" in self.text else self.text
        text = _TAG_MASK.sub("████", text) if "<" in text else text
        return _without_time(unicodedata.normalize("NFKC", text))

    @cached_property
    def _bare(self) -> str:
        return _panels_of(self._timeless)[0]

    @cached_property
    def pieces(self) -> list[str]:
        """The letters and digits between masked words; one piece if none is masked."""
        return [_letters(piece) for piece in _MASK.split(self._bare)]

    @cached_property
    def talk(self) -> str:
        """The text without panels and markup."""
        return _panels_of(self.text)[0].strip()

    @cached_property
    def numbers(self) -> set[str]:
        """Its numbers, in the digits of any script: a translator may say one twice, or once, as languages do."""
        return {"".join(str(decimal(digit)) for digit in number) for number in _NUMBER.findall(self.talk)}

    @cached_property
    def language(self) -> str | None:
        """The language; None if the text has too few words of one, or is too long."""
        return _language(self.talk) if len(self.text) <= MOST_TRANSLATED else None

    @cached_property
    def unlabelled(self) -> str:
        """The letters and digits without a speaker's name before them; none if there is no name."""
        label = _LABEL.match(self._bare)
        return _letters(self._bare[label.end() :]) if label else ""

    @cached_property
    def is_cut(self) -> bool:
        """Whether it ends with an ellipsis."""
        return self.text.rstrip().endswith(("…", "..."))

    def cuts(self, other: "_Wording") -> bool:
        """Whether this is the long beginning of the other text."""
        return len(self.core) >= min(LONG, LEAST_SHARE * len(other.core)) and other.core.startswith(self.core)

    def masks(self, other: "_Wording") -> bool:
        """Whether this is the other text with masked words."""
        core, pieces = other.core, self.pieces
        if len(pieces) == 1 or 0 < sum(map(len, pieces)) < LEAST_SHARE * len(core):
            return False
        first, *midst, last = pieces
        if not (core.startswith(first) and core.endswith(last)):
            return False
        at = len(first)
        for piece in midst:
            found = core.find(piece, at)
            if found < 0:
                return False
            at = found + len(piece)
        return len(core) - len(last) >= at

    def _may_translate(self, other: "_Wording") -> bool:
        """Whether two texts may say the same in two languages: about as long, with the same numbers in any order."""
        if self.language is None or other.language in (None, self.language):
            return False
        lengths = sorted((len(self.talk), len(other.talk)))
        return lengths[1] <= MOST_RATIO * lengths[0] and self.numbers == other.numbers


def _at_their_places(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, texts: Mapping[UUID, str]
) -> "list[tuple[int, list[PlacedMessage]]]":
    at = {match.turn: match.message for match in matches}
    taken = {match.message.message_id for match in matches}
    wordings = {id_: _Wording(text) for id_, text in texts.items() if id_ not in taken}
    newest = list(known.messages.values())[-NEWEST:]
    found: list[tuple[int, list[PlacedMessage]]] = []
    before: Collection[PlacedMessage] | None = None
    last = trailing_words(turns)
    for number, turn in enumerate(turns):
        if number in at:
            before = [at[number]]
            continue
        wording = _Wording(turn.text)
        has_more = turn.role == "user" and number < last and "\n" in turn.text
        same = [
            one
            for one in _candidates(number, before, at, known, newest)
            if (one.role, one.speaker) == (turn.role, turn.speaker)
            and (other := wordings.get(one.message_id)) is not None
            and (wording.is_same(other) or (has_more and is_within(other.text, turn.text)))
        ]
        if same:
            found.append((number, same))
        before = same or None
    return found


def _candidates(
    number: int,
    before: Collection[PlacedMessage] | None,
    at: Mapping[int, PlacedMessage],
    known: KnownConversation,
    newest: Sequence[PlacedMessage],
) -> list[PlacedMessage]:
    """The messages that may stand at a turn's place: behind the one before it, before the one behind it, or newest."""
    found: list[PlacedMessage] = []
    if before is not None:
        found += [one for message in before for one in known.after.get(message.message_id, ())]
    if number == 0:
        roots = known.after.get(None, ())
        found += [
            *roots,
            *(one for root in roots if known.is_greeting(root) for one in known.after.get(root.message_id, ())),
        ]
    behind = at.get(number + 1)
    if behind is not None and behind.parent_id is not None and behind.parent_id in known.messages:
        found.append(known.messages[behind.parent_id])
    if before is None and (not found if number > 0 else not at):
        found += newest
    different = {id(one): one for one in found}.values()
    return sorted(different, key=lambda one: one.message_id, reverse=True)[:MOST_AT_A_PLACE]


def _language(text: str) -> str | None:
    """Return the language of a text; None if it has too few words of one."""
    words = _WORD.findall(text.casefold())
    of_script = Counter(code for word in words for code in [language_of_word(word, "")] if code)
    if of_script and of_script.total() > len(words) / 2:
        return of_script.most_common(1)[0][0]
    (best, most), (_, next_most) = votes(words).most_common(2)
    return best if len(words) >= LEAST_WORDS and most > next_most else None


def _panels_of(text: str) -> tuple[str, str]:
    """Return a text without fenced blocks, tags, comments, pictures, tables and lines in brackets; and its panels."""
    kept, panels, place = [], [], 0
    for block in Markup(text, lambda name: name not in _LOOKS).blocks("fence", "comment", "tag"):
        kept.append(text[place : block.opens.start])
        place = block.closes.end
        if block.opens.kind != "comment":
            panels.append(text[block.opens.start : place])
    rest = " ".join([*kept, text[place:]])
    pictures = _PICTURE.findall(rest) if "![" in rest else []
    return _MARKS.sub(" ", _PICTURE.sub(" ", rest) if pictures else rest), "".join([*panels, *pictures])


def _without_time(text: str) -> str:
    for pattern in (_BRACKET_TIME, _BRACKET, _TIMED):
        found = pattern.match(text)
        if found and found.end() and text[found.end() :].strip():
            return text[found.end() :]
    return text


def _letters(text: str) -> str:
    return _NO_LETTERS.sub("", text.casefold())
