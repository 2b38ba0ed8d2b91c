"""Reads chats that are lines of text: a speaker and words on a line, with a time before them, or above them, or none.

So write WhatsApp, Signal, Telegram, LINE, KakaoTalk and DiscordChatExporter, exporters of iMessage, subtitles (WebVTT,
SRT), and people who copy a chat. Lines that begin no message continue the one before.
"""

# ruff: noqa: RUF001  # colons and dashes of other languages

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from memory.intake.importers.entries import ExportPersons
from memory.intake.importers.plain.dates import DIRECTIONS, is_time, plain

_TIME_CHARACTERS, _NAME_CHARACTERS, _DAY_CHARACTERS = range(8, 41), range(1, 81), range(8, 41)
# Separators between a time and a name behind it, unless the time is in brackets, or ends the line.
_BEHIND_TIME = (" - ", " – ", ": ", ", ")
_IN_BRACKETS, _BEHIND_NAME, _ALONE = "[", "]", ""
# The least numbers of a time with a clock, beside the name of a month.
_NUMBERS_OF_TIME = 4
_COLON = re.compile(r"\s?[:：](?:\s|\Z)")
# A time of day with a speaker, below the day.
_OF_DAY = (
    re.compile(r"(?P<clock>[^\t\n]{4,20})\t(?P<name>[^\t\n]*)\t(?P<text>[^\n]*)"),
    re.compile(r"\[(?P<name>[^\]\n]{1,80})\] \[(?P<clock>[^\]\n]{4,20})\] (?P<text>[^\n]*)"),
)
_CUE = re.compile(r"(?:\d{1,3}:)?\d{2}:\d{2}[.,]\d{3}\s-->\s[^\n]*")
_VOICE = re.compile(r"<v(?:\.[\w.]{1,40})?\s(?P<name>[^>\n]{1,80})>(?P<text>[^\n]*)")
_TAG = re.compile(r"</?[a-z][^<>\n]{0,40}>")
# Names of the two in a chat without times, which people and pages write before words or as headings.
_USERS = frozenset(("user", "human", "you", "me"))
_OTHERS = frozenset(("assistant", "ai", "bot", "gpt", "chatgpt", "claude", "gemini", "copilot"))
# Behind more lines of other text than a title has, such lines are examples.
_MOST_BEFORE = 5
_MARKUP, _HEADING = "#>*_ \t", ("#", "**", "__")
# Symbols before and behind a name, as a picture of the speaker.
_SYMBOLS = re.compile(r"\A[^\w]{1,9}|[^\w.)]{1,9}\Z")
# Programs' marks in place of a picture, before the words below a file, and behind words that were edited.
_PLACEHOLDER = re.compile(r"\u200e[^\n]*|<[^<>\n]{3,60}>")
_PLACEHOLDER_OF_DAY = re.compile(r"\[[^\[\]\n]{3,20}\]")
_FILE = re.compile(r"\A\u200e?\S{1,80}\.\w{2,4} \([^()\n]{3,40}\)(?:\n|\Z)")
_EDITED = re.compile(r"\s?(?:\u200e<[^<>\n]{3,60}>|<This message was edited>)\Z")
# Marks of a message that was deleted, or that only its program can show.
_DELETED = frozenset(
    (
        *("null", "This message was deleted", "You deleted this message", "Waiting for this message"),
        *("Diese Nachricht wurde gelöscht", "Du hast diese Nachricht gelöscht"),
        *("Se eliminó este mensaje", "Eliminaste este mensaje"),
        *("Ce message a été supprimé", "Vous avez supprimé ce message"),
        *("Esta mensagem foi apagada", "Mensagem apagada", "Você apagou esta mensagem"),
        *("Questo messaggio è stato eliminato", "Hai eliminato questo messaggio", "삭제된 메시지입니다"),
    )
)
# Around words, beside their own.
_ENDS = re.compile(rf"\A(?:\s|{DIRECTIONS})+|(?:\s|{DIRECTIONS})+\Z")
# Characters of text before a colon that is no name: `Ann changed the subject to "Rome`.
_QUOTES = ('"', "“", "„", "«")
_PINNED = " (pinned)"
# How DiscordChatExporter begins parts that are no message, or no words of it.
_BESIDE = re.compile(r"={62}|\{(?:Attachments|Embed|Stickers|Reactions)\}")


@dataclass(slots=True)
class _Line:
    """A message as its lines are read; one without a speaker is an event of the program."""

    number: int
    time: str | None
    name: str | None
    words: list[str] = field(default_factory=list)


def messages(text: str, names: ExportPersons) -> Iterator[tuple[int, dict[str, Any] | None]]:
    """Yield the messages of a chat with the numbers of their lines; None for a line of the program itself.

    Args:
        text: The chat.
        names: The names of the two: lines without times are known by them, and by the usual ones.
    """
    lines = text.splitlines()
    found = _of_cues(lines, names) or _of_days(lines) or _of_times(lines) or _of_names(lines, names)
    seen: Counter[str] = Counter()
    for one in found:
        written = "\n".join(one.words).strip()
        if one.time is not None:
            written = _FILE.sub("", _EDITED.sub("", written))
        words = _ENDS.sub("", written)
        is_beside = one.time is not None and (_PLACEHOLDER.fullmatch(written) or words.rstrip(".") in _DELETED)
        if not one.name or not words or is_beside:
            yield one.number, None
            continue
        name = plain(one.name).strip().removeprefix("~").strip()
        is_user = names.user is not None and names.is_user(name, ())
        # A person may have a name that is elsewhere a word for a side.
        message = {**({"role": "user", "name": name} if is_user else {"from": name}), "text": words}
        if one.time is not None:
            # A later export may begin with a later message, and the time of one alone may be ambiguous.
            identified = "\0".join((plain(one.time), name, plain(words)))
            seen[identified] += 1
            key = hashlib.sha256(f"{identified}\0{seen[identified]}".encode(errors="replace")).hexdigest()
            message |= {"id": key, "time": plain(one.time)}
        yield one.number, message


def _named(line: str) -> tuple[str, str] | None:
    """Return the name before a colon with which a line begins, and the words behind it."""
    colon = _COLON.search(line, 0, _NAME_CHARACTERS.stop + 2)
    if colon is None or colon.start() not in _NAME_CHARACTERS:
        return None
    name = line[: colon.start()]
    return None if any(quote in name for quote in _QUOTES) else (name, line[colon.end() :])


def _of_times(lines: Sequence[str]) -> list[_Line]:
    """Read lines that begin with a time, or end with it behind a name, all in the form that most of them have."""
    timed = [*map(_timed, lines)]
    forms = Counter(one[0] for one in timed if one is not None)
    form = max(forms, key=forms.__getitem__, default=_ALONE)
    found = [_Line(1, None, None)]
    rests = [""]
    is_beside = False
    for number, (line, one) in enumerate(zip(lines, timed, strict=True), 1):
        # Of another form is a day above its messages, and a time that a person writes.
        is_day = one is not None and one[0] == _ALONE and "".join(lines[number : number + 1]).startswith(line)
        if one is not None and (one[0] == form or is_day):
            found.append(_Line(number, one[1], None))
            rests.append(one[2])
            is_beside = False
            continue
        is_beside = is_beside or _BESIDE.fullmatch(line.strip()) is not None
        if not is_beside:
            found[-1].words.append(line)
    named = [*map(_named, rests)]
    on_line = form in _BEHIND_TIME or (form == _IN_BRACKETS and 2 * sum(map(bool, named)) >= len(found) - 1)
    for message, rest, before in zip(found[1:], rests[1:], named[1:], strict=True):
        if before is not None and on_line:
            message.name, message.words[:0] = before[0], [before[1]]
        elif not on_line:
            message.name = rest.removesuffix(_PINNED) or (message.words.pop(0) if message.words else None)
    return _behind_others(found) if any(message.name for message in found) else []


def _behind_others(found: list[_Line]) -> list[_Line]:
    """Return messages, the first of which stands for the lines before them, without it if there are none."""
    return found[0 if any(map(str.strip, found[0].words)) else 1 :]


def _timed(line: str) -> tuple[str, str, str] | None:
    """Return the form in which a line has a time, the time, and the rest of the line."""
    begin = line.lstrip("\u200e\u200f\ufeff")
    head = begin[: _TIME_CHARACTERS.stop + 2]
    if head.startswith("["):
        time, end, rest = begin[1:].partition("]")
        return (_IN_BRACKETS, time, rest.lstrip(" ")) if end and _is_clock(time) else None
    for mark in _BEHIND_TIME:
        at = head.find(mark)
        while at >= 0:
            if _is_clock(head[:at]):
                return mark, head[:at], begin[at + len(mark) :]
            at = head.find(mark, at + 1)
    if begin.endswith("]"):
        name, _, time = begin[:-1].rpartition(", [")
        return (_BEHIND_NAME, time, name) if len(name) in _NAME_CHARACTERS and _is_clock(time) else None
    alone = begin.partition(" (")[0] if begin.endswith(")") else begin
    return (_ALONE, alone, "") if _is_clock(alone) else None


def _is_clock(text: str) -> bool:
    if len(text) not in _TIME_CHARACTERS or len(re.findall(r"\d+", text)) < _NUMBERS_OF_TIME:
        return False
    return is_time(text)


def _of_days(lines: Sequence[str]) -> list[_Line]:
    """Read lines that begin with a time of day, below the day."""
    found: list[_Line] = []
    day: str | None = None
    for number, line in enumerate(lines, 1):
        dated = line.strip("- \t")
        timed = next((one for form in _OF_DAY if (one := form.fullmatch(line))), None)
        if timed is not None and day is not None and is_time(f"{day} {timed['clock']}"):
            found.append(_Line(number, f"{day} {timed['clock']}", timed["name"], [timed["text"]]))
        elif len(dated) in _DAY_CHARACTERS and any(map(str.isdigit, dated)) and is_time(f"{dated} 00:00"):
            day = dated
        elif found:
            found[-1].words.append(line)
    for message in found:
        # LINE puts messages of several lines in quotation marks.
        if len(message.words) > 1 and message.words[0].startswith('"'):
            message.words = "\n".join(message.words).strip().removeprefix('"').removesuffix('"').splitlines()
        if _PLACEHOLDER_OF_DAY.fullmatch("\n".join(message.words).strip()):
            message.words = []
    return found


def _of_cues(lines: Sequence[str], names: ExportPersons) -> list[_Line]:
    """Read the cues of subtitles; those of one speaker behind each other are one message.

    Without marks of voices a name is a speaker if it is known, or stands before several cues: a cue may hold a colon.
    """
    cues: list[tuple[int, str]] = []
    is_words = False
    for number, line in enumerate(map(str.strip, lines), 1):
        is_cue = _CUE.fullmatch(line) is not None
        if is_words and line and not is_cue:
            cues.append((number, line))
        is_words = is_cue or (is_words and line != "")
    voices = [_VOICE.fullmatch(line) for _, line in cues]
    spoken = [(one["name"], one["text"]) if one else None for one in voices] if any(voices) else None
    if spoken is None:
        before = [_named(line) for _, line in cues]
        times = Counter(one[0] for one in before if one is not None)
        known = _known(names)
        spoken = [one if one and (times[one[0]] > 1 or one[0].casefold() in known) else None for one in before]
    found: list[_Line] = []
    for (number, line), one in zip(cues, spoken, strict=True):
        if one is not None and not (found and found[-1].name == one[0]):
            found.append(_Line(number, None, one[0]))
        if found:
            found[-1].words.append(_TAG.sub("", line if one is None else one[1]))
    return found


def _known(names: ExportPersons) -> set[str]:
    return {name.casefold() for name in (names.user, names.companion) if name}


def _of_names(lines: Sequence[str], names: ExportPersons) -> list[_Line]:
    """Read lines that begin with the name of one of the two, if both have such lines."""
    known = _USERS | _OTHERS | _known(names)
    found = [_Line(1, None, None)]
    for number, line in enumerate(lines, 1):
        begin = line.lstrip(_MARKUP)
        before = _named(begin.replace(":**", "**:", 1).replace(":__", "__:", 1))
        if before is None and line.lstrip().startswith(_HEADING) and len(begin) in _NAME_CHARACTERS:
            before = (begin, "")
        name = _SYMBOLS.sub("", before[0].strip(_MARKUP)).removesuffix(" said") if before is not None else ""
        if before is not None and name.casefold() in known:
            found.append(_Line(number, None, name, [before[1]]))
        else:
            found[-1].words.append(line)
    sides = {one.casefold() in _USERS or names.is_user(one, ()) for one in (str(line.name) for line in found[1:])}
    is_behind_title = sum(line.strip() != "" for line in found[0].words) <= _MOST_BEFORE
    return _behind_others(found) if len(sides) > 1 and is_behind_title else []
