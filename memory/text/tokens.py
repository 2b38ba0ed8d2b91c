"""Splits a text into tokens for comparison: words, numbers, signs and emoji, each with its place in the text.

Tokens are compared by their form: NFKC, case folded, digits as ASCII, apostrophes straight. Punctuation and markup
(Markdown, simple HTML tags, the targets of links) are no tokens. Combining marks belong to their letters, a decimal
point and a minus to their number, so that "3.5" differs from "35". In scripts that put no spaces between words, each
character is a token; in Hangul as well, where people put them as they like. Signs that a script's writers leave out, or
write in either of two ways, make no difference: vowel marks and forms of alef in Arabic, niqqud, nukta, ё.
"""

import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby
from typing import Literal, NamedTuple

Kind = Literal["word", "character", "number", "sign", "emoji"]


class Token(NamedTuple):
    """One token.

    Attributes:
        form: The form that is compared.
        start: Its first character in the text.
        end: The character behind its last in the text.
        kind: Which kind of token it is.
        capital: Whether it begins with a capital, as names do.
    """

    form: str
    start: int
    end: int
    kind: Kind
    capital: bool


def _classes() -> dict[str, str]:
    """The characters of each general category beyond ASCII, as ranges for a regular expression."""
    ranges: defaultdict[str, list[str]] = defaultdict(list)
    for category, run in groupby(map(chr, range(0x80, 0x20000)), key=unicodedata.category):
        first, *others = run
        ranges[category].append(f"{first}-{others[-1] if others else first}")
    return {category: "".join(each) for category, each in ranges.items()}


_CLASSES = _classes()
_MARKS = _CLASSES["Mn"] + _CLASSES["Mc"] + _CLASSES["Me"]
# Behind another character, these complete it.
_JAMO = "\u1160-\u11ff"
_TONES = "\U0001f3fb-\U0001f3ff"
_UNSPACED = (
    "\uac00-\ud7a3\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    f"\U00020000-{chr(sys.maxunicode)}"
)
_LETTER = rf"(?:[^\W\d_{_UNSPACED}]|[{_MARKS}])"
_FLAG = "\U0001f1e6-\U0001f1ff"
_EMOJI = _CLASSES["So"]
_SIGNS = _CLASSES["Sc"] + _CLASSES["Sm"]
_NUMBER = r"(?:\d+(?:[.,\u066b\u066c]\d+)*|(?<![\w.])\.\d+)"
_TOKEN = re.compile(
    rf"(?P<number>(?:(?<![\w.,)\]%])[-+])?{_NUMBER})"
    # Characters that begin no other token are passed over at once: most of a long run does not.
    r"|(?![\x00-#&-*,-/:;?@\[-`{-\x7f])"
    rf"(?=[\w{_UNSPACED}{_MARKS}{_EMOJI}{_FLAG}{_SIGNS}$+=<>%\u2030])(?:"
    # `<`, `>` and `~` are signs in sums and markup elsewhere; the latter is blanked before.
    rf"(?P<sign>[{_SIGNS}$+=<>%\u2030])"
    rf"|(?P<character>아니|[{_UNSPACED}][{_MARKS}]*)"
    rf"|(?P<emoji>[{_FLAG}]{{2}}|[{_EMOJI}](?:\u200d[{_EMOJI}])*)"
    # French elision: the word behind it can be quoted by itself.
    rf"|(?P<elision>(?:[ldjmnstc]|qu|jusqu|lorsqu|puisqu|quoiqu)'(?=[^\W\d_]))"
    rf"|(?P<word>{_LETTER}+(?:'{_LETTER}+)*))"
)
# Apostrophes that people leave out without writing another word, as "were" for "we're".
_LEFT_OUT = re.compile(
    r".*n't|i'm|(?:i|you|we|they)'ve|(?:you|they)'re|(?:he|she|that|what|there|who)'s|(?:you|they|it|that)'ll"
)
_MARKUP = re.compile(
    r"</?(?:a|b|blockquote|br|cite|code|del|div|em|font|h[1-6]|hr|i|img|ins|li|mark|ol|p|pre|q|s|small|span|strong|sub"
    r"|sup|u|ul)(?:\s+[\w-]+=(?:\"[^\"<>]*\"|'[^'<>]*'|[^\s\"'<>]+))*\s*/?>"
    r"|(?<=\])\([^()\s]*\)"
    r"|^[ \t]*>[> \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_SEGMENT = re.compile(rf"[\x00-\x7f]+(?![{_MARKS}])|.[{_MARKS}{_JAMO}{_TONES}]*", re.DOTALL)
# Dashes are minuses where a number follows; the token's pattern decides.
_SAME = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201b\u02bc\u2032\u00b4\uff07", "'")
    | dict.fromkeys("\u2012\u2013\u2212\u2010\u2011", "-")
)
# Arabic letters that are written in either form.
ARABIC_FORMS = str.maketrans("\u0623\u0625\u0622\u0629\u0649", "\u0627\u0627\u0627\u0647\u064a")
_SPELT_ALIKE = ARABIC_FORMS | str.maketrans(
    {"\u0451": "\u0435", "\u0901": "\u0902"}
    # Tatweel, tashkeel, niqqud, nukta, and the dot that the small form of a Turkish capital leaves behind.
    | dict.fromkeys((0x640, *range(0x64B, 0x653), 0x670, *range(0x591, 0x5BE), *range(0x5BF, 0x5C8), 0x93C, 0x307))
)
# Variation selectors and skin tones are form.
_UNSEEN = frozenset({*range(0xFE00, 0xFE10), *range(0x1F3FB, 0x1F400)})
_ZERO_WIDTH_SPACE, _JOINER = "\u200b", "\u200d"


def tokens(text: str) -> list[Token]:
    """Split a text into its tokens, in order; takes time by the text's length."""
    blanked = _MARKUP.sub(lambda markup: " " * len(markup[0]), text)
    if blanked.isascii():
        return list(_tokens(blanked.lower(), text, None))
    folded: list[str] = []
    places: list[tuple[int, int]] = []
    for segment in _SEGMENT.finditer(blanked):
        start, end = segment.span()
        if segment[0].isascii():
            folded.append(segment[0].lower())
            places += ((place, place + 1) for place in range(start, end))
        else:
            form = _folded(segment[0])
            folded.append(form)
            places += [(start, end)] * len(form)
    return list(_tokens("".join(folded), text, places))


def _tokens(folded: str, text: str, places: list[tuple[int, int]] | None) -> Iterator[Token]:
    for found in _TOKEN.finditer(folded):
        kind = found.lastgroup
        start, end = found.span()
        if places is not None:
            start, end = places[start][0], places[end - 1][1]
        form = found[0]
        if kind == "number" and not form.isascii():
            form = "".join(str(unicodedata.decimal(digit, digit)) for digit in form)
        elif _LEFT_OUT.fullmatch(form):
            form = form.replace("'", "")
        capital = text[start].isupper() or text[start].istitle()
        yield Token(form, start, end, "word" if kind == "elision" else kind, capital)  # type: ignore[arg-type]


def _folded(segment: str) -> str:
    """Fold one character with its marks; invisible signs are left out."""
    first = segment[0]
    if first == _ZERO_WIDTH_SPACE:
        return " "
    if first != _JOINER and unicodedata.category(first) == "Cf":
        return ""
    kept = "".join(char for char in segment if ord(char) not in _UNSEEN).translate(_SAME)
    form = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", kept).casefold())
    form = form.translate(_SAME).translate(_SPELT_ALIKE)
    # "10²" is not 102, nor "3½" 31/2.
    apart = unicodedata.decomposition(first).startswith(("<super>", "<sub>", "<fraction>", "<circle>", "<square>"))
    return f" {form} " if apart else form
