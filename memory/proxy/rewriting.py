"""History that a frontend rewrites before it resends it, as its own settings tell it to.

Quotation marks are made straight or curly, panels and markup are taken out, times are put before lines, words are
masked, all is translated. Such a message at the same place, by the same speaker, is the same message, and its first
wording stays. What differs in its words within one language is another one: an edit.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from unicodedata import decimal
from uuid import UUID

from memory.proxy.alignment import KnownConversation, Match
from memory.proxy.turns import Turn
from memory.text.languages import language_of_word, votes
from store.talk.transcripts import PlacedMessage

# The most messages at one place, and in all, whose texts are compared.
AT_A_PLACE = 8
COMPARED = 400
# So much of a text must be the same where words are masked, unless all of it is.
LEAST_SHARE = 0.3
# A translation has at most so many times the characters.
MOST_RATIO = 3
# A text of fewer words tells no language, but by its script.
LEAST_WORDS = 4

_WORD = re.compile(r"[^\W\d_]+")
_NUMBER = re.compile(r"\d+")

# Panels are looked for in texts of so many characters: unclosed ones take the square of the length.
MOST_COMPARED = 4_000
_PANELS = re.compile(
    r"(?P<fence>`{3,}|~{3,}).*?(?P=fence)|<!--.*?-->|<(?P<tag>[a-z][\w-]*)(?:\s[^<>]*)?>.*?</(?P=tag)>|<[^<>]{1,200}>"
    r"|^[ \t]*\|.*\|[ \t]*$|^[ \t]*\[[^\[\]\n]*\][ \t]*$",
    re.IGNORECASE | re.DOTALL | re.MULTILINE,
)
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
_BRACKET = re.compile(r"\A\s*\[(?:time|date|timestamp|clock)\b[^\[\]\n]{0,60}\]\s*", re.IGNORECASE)
_MASK = re.compile(
    r"\[(?:redacted|censored|removed|masked|hidden|filtered|name|\.\.\.|…|_+)\]|[*•✱#]{2,}|[█▇■●♥❤]+|\b[xX_]{3,}\b"
    r"|<(?:redacted|censored|removed|masked|name)>",
    re.IGNORECASE,
)


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
        said = len(turns[number].comparable)
        for message in messages:
            alike.setdefault(number, {})[message.message_id] = said
    return alike


def to_compare(turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation) -> set[UUID]:
    """Return the messages whose texts may be those of turns that match none; empty if all but the last words match."""
    matched = {match.turn for match in matches}
    last = max((number for number, turn in enumerate(turns) if turn.role == "assistant"), default=-1)
    if all(number in matched for number in range(last)) and (last < 0 or last in matched):
        return set()
    found = {match.message.message_id for match in matches}
    newest = sorted((id_ for id_ in known.messages if id_ not in found), reverse=True)
    return set(newest[:COMPARED])


def same_wording(one: str, other: str) -> bool:
    """Whether two texts are the same but for what frontends rewrite."""
    (one_core, one_panels), (other_core, other_panels) = _core(one), _core(other)
    # Two texts with panels of their own, or with code, differ in these.
    if one_panels and other_panels and one_panels != other_panels:
        return False
    if one_core == other_core:
        return bool(one_core)
    return _is_masked(one, other_core) or _is_masked(other, one_core) or _is_translation(one, other)


def _at_their_places(
    turns: Sequence[Turn], matches: Sequence[Match], known: KnownConversation, texts: Mapping[UUID, str]
) -> "list[tuple[int, list[PlacedMessage]]]":
    at = {match.turn: match.message for match in matches}
    taken = {match.message.message_id for match in matches}
    found: list[tuple[int, list[PlacedMessage]]] = []
    before: Collection[PlacedMessage] | None = None
    for number, turn in enumerate(turns):
        if number in at:
            before = [at[number]]
            continue
        same = [
            one
            for one in _candidates(number, before, at, known)
            if one.message_id not in taken
            and one.message_id in texts
            and (one.role, one.speaker) == (turn.role, turn.speaker)
            and same_wording(turn.text, texts[one.message_id])
        ]
        if same:
            found.append((number, same))
        before = same or None
    return found


def _candidates(
    number: int, before: Collection[PlacedMessage] | None, at: Mapping[int, PlacedMessage], known: KnownConversation
) -> list[PlacedMessage]:
    """The messages that may stand at a turn's place: behind the one before it, or before the one behind it."""
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
        found += list(known.messages.values())[-4 * AT_A_PLACE :]
    newest = sorted({one.message_id: one for one in found}.values(), key=lambda one: one.message_id, reverse=True)
    return newest[: 8 * AT_A_PLACE]


def _is_translation(one: str, other: str) -> bool:
    """Whether two texts may say the same in two languages: about as long, and with the same numbers in any order."""
    if max(len(one), len(other)) > MOST_COMPARED:
        return False
    one, other = _PANELS.sub(" ", one), _PANELS.sub(" ", other)
    lengths = sorted((len(one.strip()), len(other.strip())))
    if lengths[1] > MOST_RATIO * lengths[0] or _numbers(one) != _numbers(other):
        return False
    languages = _language(one), _language(other)
    return None not in languages and languages[0] != languages[1]


def _numbers(text: str) -> set[str]:
    """The numbers in a text, in the digits of any script: a translator may say one twice, or once, as languages do."""
    return {"".join(str(decimal(digit)) for digit in number) for number in _NUMBER.findall(text)}


@lru_cache(maxsize=4096)
def _language(text: str) -> str | None:
    """The language of a text; None if too few of its words tell."""
    words = _WORD.findall(text.casefold())
    of_script = Counter(code for word in words for code in [language_of_word(word, "")] if code)
    if of_script and of_script.total() > len(words) / 2:
        return of_script.most_common(1)[0][0]
    (best, most), (_, next_most) = votes(words).most_common(2)
    return best if len(words) >= LEAST_WORDS and most > next_most else None


@lru_cache(maxsize=4096)
def _core(text: str) -> tuple[str, str]:
    """The letters and digits of a text, without panels, markup and the time before it; and those of the panels."""
    text = _without_time(unicodedata.normalize("NFKC", text))
    if len(text) > MOST_COMPARED:
        return _letters(text), ""
    bare = _letters(_PANELS.sub(" ", text))
    panels = "".join(_letters(found.group()) for found in _PANELS.finditer(text) if found["fence"] or found["tag"])
    return (bare, panels) if bare else (_letters(text), "")


def _without_time(text: str) -> str:
    for pattern in (_BRACKET_TIME, _BRACKET, _TIMED):
        found = pattern.match(text)
        if found and found.end() and text[found.end() :].strip():
            return text[found.end() :]
    return text


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _is_masked(text: str, core: str) -> bool:
    """Whether a text with masked words is another one, of which the core is given."""
    bare = _PANELS.sub(" ", _without_time(unicodedata.normalize("NFKC", text)))
    pieces = [_letters(piece) for piece in _MASK.split(bare)]
    said = sum(map(len, pieces))
    if len(pieces) == 1 or 0 < said < LEAST_SHARE * len(core):
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
