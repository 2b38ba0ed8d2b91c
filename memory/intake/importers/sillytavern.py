"""Reads a SillyTavern chat, also as Chub writes it: JSON Lines, first a header, then one message a line.

Messages have no ids. Theirs are derived from speaker, time and text, so that a branch or a checkpoint, which is a file
of its own that begins with the same messages, adds only its new ones; the extension in `adapters/sillytavern`
derives the same ids, and notes in the header of which conversation they are. Where all times are that of the file, the
message before stands for the time. Swipes that were not chosen are retracted. Lines that the person has hidden from the
model (`is_system`) were said all the same; the program's own lines, narration and notes were not.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BufferedReader
from pathlib import PurePath
from typing import IO, Any

from memory.intake.importers import fields
from memory.intake.importers.entries import (
    NOT_UTF8,
    Entry,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    UnreadableEntry,
    entry_id,
    in_utf8,
)
from memory.intake.importers.reading.json_elements import NO_JSON, elements
from memory.intake.importers.threads import ChatNode, ThreadDetails, conversation
from memory.intake.importers.times import clock_time, moment
from memory.text.errors import InvalidRequest
from memory.text.json_lines import LineRefused, numbered, read_object
from schemas.wire.fields import says_no

PROGRAM_NAME = "sillytavern"
FILES = r".+\.jsonl"
LINE_BYTES = 8 << 20
# In this time a program writes thousands of lines, and no person answers a greeting.
MOMENT_MS = 3000
# The kinds of lines that the program writes, or that stand beside the talk.
NO_TALK = frozenset(
    ("help", "welcome", "welcome_prompt", "empty", "generic", "slash_commands", "formatting", "hotkeys", "macros")
) | {"narrator", "comment", "assistant_note", "assistant_message"}
# The speaker of the program's hidden lines, in versions that wrote no kind; these may have been shown again.
PROGRAM_ITSELF = "SillyTavern System"
PROGRAM = frozenset(("System", "Note", ""))
# Texts in place of an answer that has not come; the extension knows the same.
PLACEHOLDERS = frozenset(("", "...", "…"))
# The user's, in a chat that neither marks lines nor names the user.
USUAL_NAMES = frozenset(("you", "user"))
HEADER = frozenset(("user_name", "character_name", "chat_metadata", "create_date"))
# An array, an object on several lines, or lines that end as on the first Macintosh.
_NO_LINES = re.compile(rb"\s*+(?:\[|\{[ \t]*+[\r\n])|[^\r\n]++\r(?!\n|\Z)")
LEFT_OUT = "lines of the program, narration and notes"
NOT_COME = "lines without words"


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield a chat, and the faults of its lines."""
    yield from _entries(file, _Chat(file, names))


def read_group(file: ExportFile, names: ExportPersons) -> tuple[list[Entry], dict[str, dict[str, Any]]]:
    """Return a group's chat as `read` yields it, and the lines of its messages by their ids."""
    chat = _Chat(file, names)
    return list(_entries(file, chat)), chat.lines


def _entries(file: ExportFile, chat: "_Chat") -> Iterator[Entry]:
    read_in = list(lines(file))
    chat.is_of_one_moment = _is_of_one_moment([line for _, line in read_in if isinstance(line, dict)])
    for place, line in read_in:
        if isinstance(line, UnreadableEntry):
            yield line
        elif not isinstance(line, dict):
            yield UnreadableEntry(place, "it is no object", line)
        elif "mes" in line:
            if (reason := chat.add(line)) is not None:
                yield UnreadableEntry(place, reason, line)
        elif not chat.header and not chat.turns and HEADER & line.keys():
            chat.header = line
        else:
            yield UnreadableEntry(place, "it is no message: it has no `mes`", line)
    if chat.turns or chat.left_out:
        yield chat.whole()


def lines(file: ExportFile) -> Iterator[tuple[str, Any]]:
    """Yield the value of each line with its place, or its fault; of other JSON each object in it."""
    content = BufferedReader(file.content)  # type: ignore[type-var]  # it reads from any file of bytes
    try:
        yield from (
            _entries_of_json(file, content) if _NO_LINES.match(content.peek()) else _entries_of_lines(file, content)
        )
    finally:
        # It is not this reader's to close.
        content.detach()


def _entries_of_json(file: ExportFile, content: IO[bytes]) -> Iterator[tuple[str, Any]]:
    for element in elements(content, [()], ["mes", *HEADER]):
        if isinstance(element, UnreadableEntry):
            place = f"{file.name}, {element.place}"
            yield place, replace(element, place=place)
        else:
            yield f"{file.name}, entry {element.number}", element.value


def _entries_of_lines(file: ExportFile, content: IO[bytes]) -> Iterator[tuple[str, Any]]:
    number, has_objects = 0, False
    for number, raw in numbered(content, LINE_BYTES):
        has_objects = has_objects or raw.lstrip().startswith(b"{")
        place = f"{file.name}, line {number}"
        text, mended = in_utf8(raw)
        if mended:
            yield place, UnreadableEntry(place, NOT_UTF8, None)
        try:
            yield place, read_object(text.encode(errors="surrogatepass"), LINE_BYTES)
        except LineRefused as fault:
            yield place, UnreadableEntry(place, str(fault), text)
    if number and not has_objects:
        raise InvalidRequest(NO_JSON)


def message_id(name: str, is_user: bool, send_date: Any, text: str, seen: int) -> str:
    """Derive a message's id; `seen` counts equal messages of the chat up to this one, from 1."""
    parts = "\0".join((name, "1" if is_user else "0", "" if send_date is None else _as_string(send_date), text))
    digest = hashlib.sha256(parts.encode(errors="replace")).hexdigest()
    return digest if seen == 1 else f"{digest}/{seen}"


def _as_string(value: Any) -> str:
    """Write a value as JavaScript does."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | list | dict) else str(value)


@dataclass
class _Chat:
    """A chat that is being read."""

    file: ExportFile
    names: ExportPersons

    def __post_init__(self) -> None:
        self.header: dict[str, Any] = {}
        self.turns: list[ChatNode] = []
        self.lines: dict[str, dict[str, Any]] = {}
        self.left_out: Counter[str] = Counter()
        self._chosen: set[str] = set()
        self._characters: set[str] = set()
        self._seen: Counter[str] = Counter()
        self._before = ""
        self.is_of_one_moment = False

    def add(self, line: dict[str, Any]) -> str | None:
        """Add a message with its swipes; returns its fault."""
        text, name = _words(line["mes"]), line.get("name")
        # An export of the same chat at another moment has other dates, and the same messages before.
        date = self._before if self.is_of_one_moment else line.get("send_date")
        is_user = self._is_users(line.get("is_user"), name)
        if name is None:
            name = self.header.get("user_name" if is_user else "character_name")
        if not isinstance(text, str) or not isinstance(name, str):
            return "it has no text or no name"
        if _is_no_talk(line, name, is_user=is_user):
            self.left_out[LEFT_OUT] += 1
            return None
        if not is_user and not line.get("original_avatar"):
            # In a group, and where another one is made to speak, the line has the speaker's own picture.
            self._characters.add(name)
        if text.strip() in PLACEHOLDERS:
            self.left_out[NOT_COME] += 1
            return None
        message = self._say(name, date, text, is_user=is_user)
        self._chosen.add(message)
        self._before = message
        self.lines[entry_id(PROGRAM_NAME, message)] = line
        swipes, infos = line.get("swipes"), line.get("swipe_info")
        for place, swipe in enumerate(swipes if isinstance(swipes, list) else []):
            swipe = _words(swipe)  # noqa: PLW2901  # of the same swipe
            if not isinstance(swipe, str) or swipe.strip() in PLACEHOLDERS or swipe == text:
                continue
            if place == line.get("swipe_id"):
                continue
            info = infos[place] if isinstance(infos, list) and place < len(infos) else None
            dated = info.get("send_date") if isinstance(info, dict) else None
            self._say(name, date if moment(dated) is None else dated, swipe, is_user=is_user, chosen=False)
        return None

    def _is_users(self, mark: Any, name: Any) -> bool:
        """Whether a line is the user's: by its mark, else by its name."""
        if mark is None:
            if self.header.get("user_name") is None and isinstance(name, str):
                return self.names.is_user(name, USUAL_NAMES)
            return name is not None and name == self.header.get("user_name")
        return isinstance(mark, str | int) and not says_no(mark)

    def _say(self, name: str, date: Any, text: str, *, is_user: bool, chosen: bool = True) -> str:
        first = message_id(name, is_user, date, text, 1)
        self._seen[first] += 1
        id_ = message_id(name, is_user, date, text, self._seen[first])
        at, again = clock_time(date, self.names.zone)
        self.turns.append(ChatNode(id_, is_user, text, at, name, chosen=chosen, again=again))
        return id_

    def whole(self) -> Entry:
        """Return the chat as it was read."""
        if (reason := fields.not_remembered(self.header)) is not None:
            return ExcludedEntry(reason)
        stem = PurePath(self.file.name).stem
        begins = moment(self.header.get("create_date"), self.names.zone) or self.file.modified
        turns = [one for one in self.turns if one.chosen or one.id not in self._chosen]
        chat = ThreadDetails(PROGRAM_NAME, self._noted() or f"{self._character()}/{stem}", begins)
        return conversation(chat, turns, self.names, (), self.left_out)

    def _noted(self) -> str | None:
        """The chat's id as the extension noted it; a branch has its chat's notes, which are not about it."""
        metadata = self.header.get("chat_metadata")
        notes = metadata.get("memory_patrol") if isinstance(metadata, dict) else None
        if not isinstance(metadata, dict) or not isinstance(notes, dict):
            return None
        if any(notes.get(own) != metadata.get(name) for own, name in (("branchOf", "main_chat"), ("integrity",) * 2)):
            return None
        written = notes.get("conversation")
        return (
            written.removeprefix("sillytavern/")
            if isinstance(written, str) and written.startswith("sillytavern/")
            else None
        )

    def _character(self) -> str:
        """Return the character's name from the header, else that of the only speaker; several, or none, are a group."""
        written = self.header.get("character_name")
        if isinstance(written, str) and written not in {"", "unused"}:
            return written
        return next(iter(self._characters)) if len(self._characters) == 1 else "group"


def _is_of_one_moment(entries: list[dict[str, Any]]) -> bool:
    """Whether the dates of messages are the moment in which a program wrote the file, as CAI Tools does."""
    created = next((entry["create_date"] for entry in entries if "create_date" in entry), None)
    dates = [entry.get("send_date") for entry in entries if "mes" in entry]
    is_answered = any(entry.get("is_user") for entry in entries)
    return is_answered and all(
        isinstance(one, int | float) and isinstance(created, int | float) and 0 <= one - created < MOMENT_MS
        for one in dates
    )


def _words(value: Any) -> Any:
    """The text of a message or a swipe; Chub writes an object with it."""
    return value.get("message") if isinstance(value, dict) else value


def _is_no_talk(line: dict[str, Any], name: str, *, is_user: bool) -> bool:
    extra = line.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    if extra.get("type") in NO_TALK or extra.get("tool_invocations"):
        return True
    return not is_user and (name.strip() == PROGRAM_ITSELF or (bool(line.get("is_system")) and name.strip() in PROGRAM))
