"""Reads a SillyTavern chat: JSON Lines, first a header, then one message a line.

Messages have no ids. Theirs are derived from speaker, time and text, so that a branch or a checkpoint, which is a file
of its own that begins with the same messages, adds only what is new in it; the extension in `adapters/sillytavern`
derives the same ids. Swipes that were not chosen are taken back.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any

from memory.intake.importers.entries import Bad, Conversation, Entry, ExportFile, Names, entry_id
from memory.intake.importers.times import moment
from memory.text.json_lines import LineRefused, numbered, read_object

FILES = r".+\.jsonl"
LINE_BYTES = 8 << 20
LINES_AT_ONCE = 200


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield the messages of a chat, some lines at a time."""
    chat = _Chat(file, names)
    for number, raw in numbered(file.content, LINE_BYTES):
        place = f"{file.name}, line {number}"
        try:
            line = read_object(raw, LINE_BYTES)
        except LineRefused as fault:
            yield Bad(place, str(fault), raw.decode(errors="replace"))
            continue
        if not isinstance(line, dict):
            yield Bad(place, "it is no object", line)
        elif "mes" not in line:
            chat.begin(line)
        elif (reason := chat.add(line)) is not None:
            yield Bad(place, reason, line)
        if len(chat.messages) >= LINES_AT_ONCE:
            yield chat.taken()
    yield chat.taken()


def message_id(name: str, is_user: bool, send_date: Any, text: str, seen: int) -> str:
    """Derive a message's id; `seen` counts equal messages of the chat up to this one, from 1."""
    parts = "\0".join((name, "1" if is_user else "0", "" if send_date is None else str(send_date), text))
    digest = hashlib.sha256(parts.encode(errors="replace")).hexdigest()
    return f"sillytavern/{digest}" if seen == 1 else f"sillytavern/{digest}/{seen}"


class _Chat:
    """A chat as it is read."""

    def __init__(self, file: ExportFile, names: Names) -> None:
        self.messages: list[dict[str, Any]] = []
        self._off_branch: list[str] = []
        self._chosen: set[str] = set()
        self._seen: Counter[str] = Counter()
        self._names = names
        self._stem = PurePath(file.name).stem
        self._conversation = entry_id("sillytavern", "group", self._stem)

    def begin(self, header: dict[str, Any]) -> None:
        """Take the character's name from the header; that of a group names none."""
        character = header.get("character_name")
        if isinstance(character, str) and character not in {"", "unused"}:
            self._conversation = entry_id("sillytavern", character, self._stem)

    def add(self, line: dict[str, Any]) -> str | None:
        """Take a message with its swipes; returns what is wrong with it."""
        text, name, date = line["mes"], line.get("name"), line.get("send_date")
        if line.get("is_system") or text == "":
            return None
        if not isinstance(text, str) or not isinstance(name, str):
            return "it has no text or no name"
        if moment(date, self._names.zone) is None:
            return "its `send_date` is no time"
        is_user = bool(line.get("is_user"))
        chosen = self._say(name, date, text, is_user=is_user)
        self._chosen.add(chosen)
        swipes, infos = line.get("swipes"), line.get("swipe_info")
        for place, swipe in enumerate(swipes if isinstance(swipes, list) else []):
            if place == line.get("swipe_id") or not isinstance(swipe, str) or not swipe.strip() or swipe == text:
                continue
            info = infos[place] if isinstance(infos, list) and place < len(infos) else None
            told = info.get("send_date") if isinstance(info, dict) else None
            said = self._say(name, date if moment(told, self._names.zone) is None else told, swipe, is_user=is_user)
            self._off_branch.append(said)
        return None

    def _say(self, name: str, date: Any, text: str, *, is_user: bool) -> str:
        first = message_id(name, is_user, date, text, 1)
        self._seen[first] += 1
        id_ = message_id(name, is_user, date, text, self._seen[first])
        at = moment(date, self._names.zone)
        self.messages.append(
            {
                "id": id_,
                "role": self._names.role(name, is_user=is_user),
                "speaker": name or None,
                "conversation": self._conversation,
                "content": text,
                "created_at": at.isoformat() if at else None,
            }
        )
        return id_

    def taken(self) -> Conversation:
        """What has gathered since the last call."""
        messages, self.messages = self.messages, []
        off, self._off_branch = [id_ for id_ in self._off_branch if id_ not in self._chosen], []
        return Conversation(messages, off)
