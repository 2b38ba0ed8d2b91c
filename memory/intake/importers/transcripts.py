"""Reads the chats of any program that names its fields as others do (`fields`, `speech`): a list, a tree or a table.

A file holds chats, one chat, or messages with the id of their chat. A message has a mark of the user's, or names its
speaker; the caller then gives the user's name.
"""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import TextIOWrapper
from itertools import chain, repeat
from typing import Any

from memory.intake.importers import fields, speech, unmarked
from memory.intake.importers.entries import (
    NOT_UTF8,
    Entry,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    Owners,
    UnreadableEntry,
    in_utf8,
)
from memory.intake.importers.exported_chat import NO_TALK, PROGRAM_NAME, ExportedChat
from memory.intake.importers.plain import lines
from memory.intake.importers.reading.json_buffer import ELEMENT_BYTES, READ_BYTES
from memory.intake.importers.reading.json_elements import Element, elements
from memory.text.errors import InvalidRequest

FILES = r".+\.(jsonl?|csv|tsv|af|txt|vtt|srt)"
TABLES = (".csv", ".tsv")
TEXTS = (".txt", ".md", ".vtt", ".srt")
# How a document in JSON begins; a line of a chat may begin with a bracket.
_JSON = re.compile(rb"\s*(?:\{|\[\s*[\[{])")
HOLDING_CHATS = ("conversations", "chats")
PATHS = [(), *((name,) for name in HOLDING_CHATS), ("indexedDB", fields.PARTS_APART)]
ABOUT = (
    *(*fields.TELL_OWNER, *fields.CHATS, *fields.CHAT_IDS, *fields.BEGINS),
    *(unmarked.RECORD_KIND, unmarked.RECORD_TIME),
)
KEYS = (
    *fields.LISTS[:-1],
    "role",
    "sender",
    "author",
    "from",
    *speech.MARKS,
    *unmarked.PAIRS[:-1],
    "actions",
    "answer",
)
_COUNTS = re.compile(r"(?:[a-z]{1,20}[-_ ])?[0-9]{1,4}", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*+"?+')
# A line that Excel writes before the names of columns.
_SEPARATOR = re.compile(r"\s*+(?:\"?sep=.\"?)?\s*+", re.IGNORECASE)
OTHER_ACTIVITY = "records of activity without words"
OTHER_RECORDS = "records that hold no message"
# The objects of a file, with their places.
_Objects = Iterator[tuple[str, Element | UnreadableEntry | ExcludedEntry]]
# Chats within an element, each with its messages.
_Listed = Sequence[tuple[Mapping[str, Any], fields.Messages]]


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield the chats of a file.

    Raises:
        InvalidRequest: It is neither JSON nor a table.
    """
    owners = Owners(names, "conversations")
    # Messages that stand alone follow each other in one chat.
    loose: ExportedChat | None = None
    apart = _SeparateParts()
    for place, element in _without_records(_objects(file, names)):
        if isinstance(element, UnreadableEntry | ExcludedEntry):
            yield element
            continue
        value = element.value
        parts = [*fields.earlier(value), value]
        known = ((part, fields.listed(part) or unmarked.messages(part)) for part in parts)
        listed: _Listed = [(part, unmarked.answered(part, found)) for part, found in known if found]
        listed = listed or _held_apart(value)
        if apart.takes(place, element, listed):
            continue
        alone = [] if listed else unmarked.activity(value)
        for one in (unmarked.exchange(value) or [unmarked.flat(value)]) if alone is None else alone:
            owner = _owner_of_said(names, one) or fields.owner(replace(element, value={}))
            id_, begins = _chat_around(names, element, one)
            if loose is None or loose.is_another(id_, owner):
                yield from loose.whole(owners) if loose else ()
                loose = ExportedChat(file, names, id_, begins)
            loose.program = unmarked.program(value) or loose.program
            loose.owner = loose.owner or owner
            loose.add(place, one)
        if listed:
            yield from _listed(file, names, owners, place, element, listed)
        elif not alone and alone is not None:
            yield ExcludedEntry(OTHER_ACTIVITY)
    if loose is not None:
        yield from loose.whole(owners)
    for place, element, held in apart.whole():
        yield from _listed(file, names, owners, place, element, held)


def _listed(
    file: ExportFile,
    names: ExportPersons,
    owners: Owners,
    place: str,
    element: Element,
    listed: _Listed,
) -> Iterator[Entry]:
    """Yield an element's chats, or their replacement if they are another user's, or not to be kept."""
    if (reason := fields.not_remembered(element.value)) is not None:
        yield ExcludedEntry(reason)
        return
    another = owners.of_another(place, fields.owner(element), element.value)
    if another is not None:
        yield another
        return
    for part, within in listed:
        yield from chats(file, names, place, _dated(element, part), within, owners=owners)


def _held_apart(value: Mapping[str, Any]) -> _Listed:
    """Return the chats of an object that has its messages under names of any kind; of several each has its name.

    Objects between the messages that are none are the program's.
    """
    found = [
        (name, [{**one, "role": "system"} if unmarked.is_event(one) else one for one in within])
        for name, within in unmarked.held(value)
    ]
    return [(value if len(found) == 1 else {fields.CHAT_IDS[0]: name}, within) for name, within in found]


@dataclass
class _SeparateParts:
    """Parts of messages that stand in a list of their own in the file, by their ids, and the chats that lack them."""

    parts: dict[str, str] = field(default_factory=dict)
    waiting: list[tuple[str, Element, _Listed]] = field(default_factory=list)

    def takes(self, place: str, element: Element, listed: _Listed) -> bool:
        """Take an element if it is such a part, or has messages that refer to some."""
        id_ = element.value.get("id")
        if element.path[-1:] == (fields.PARTS_APART,) and isinstance(id_, str):
            # Not all of it: most of a file may be pictures, and tools' results.
            if text := speech.words({speech.TEXTS[0]: [element.value]}):
                self.parts[id_] = text
            return True
        if any(_part_ids(one) for _, within in listed if not isinstance(within, Mapping) for one in within):
            self.waiting.append((place, element, listed))
            return True
        return False

    def whole(self) -> Iterator[tuple[str, Element, _Listed]]:
        """Yield the chats with the parts of their messages."""
        for place, element, listed in self.waiting:
            yield place, element, [(part, _with_parts(within, self.parts)) for part, within in listed]


def _part_ids(message: Any) -> list[str]:
    ids = message.get(fields.PART_IDS) if isinstance(message, dict) else None
    return ids if isinstance(ids, list) and all(isinstance(one, str) for one in ids) else []


def _with_parts(within: fields.Messages, apart: Mapping[str, str]) -> fields.Messages:
    """Return messages with the parts to which they refer, if they have no words of their own."""
    if isinstance(within, Mapping):
        return within
    held = ["\n".join(apart[id_] for id_ in _part_ids(one) if id_ in apart) for one in within]
    return [
        {**one, speech.TEXTS[0]: text} if text and not speech.words(one).strip() else one
        for one, text in zip(within, held, strict=True)
    ]


def _chat_around(names: ExportPersons, element: Element, one: Mapping[str, Any]) -> tuple[str | None, datetime | None]:
    """Return the id and the beginning of the chat of a message that stands alone: its own, or of an object around."""
    id_, begins = fields.first(one, fields.CHATS), None
    # Objects around one message alone, up to the array that it stands in, have the message's id.
    whole = 0 if element.in_array else _up_to_array(element)
    for number, (_, outer) in enumerate(element.around if id_ is None else ()):
        id_ = fields.first(outer, fields.CHATS if number < whole else (*fields.CHATS, *fields.CHAT_IDS))
        if id_ is not None:
            begins = fields.time(outer, names.zone, fields.BEGINS).at
            break
    return id_, begins


def _up_to_array(element: Element) -> int:
    """Return how many of the objects around an element are in the same array, or in none."""
    paths = [path for path, _ in element.around]
    return next((number for number, path in enumerate(paths, 1) if path[-1:] == ("[]",)), len(paths))


def _dated(element: Element, chat: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a chat that has an id with the times of the object around it alone, unless it has some of its own.

    An object around several chats has its own times, or those of the export.
    """
    parts = [*fields.about(chat)]
    has_id = any(fields.first(part, fields.CHAT_IDS) is not None for part in parts)
    if element.in_array or not has_id or any(part.keys() & set(fields.BEGINS) for part in parts):
        return chat
    return {**chat, **{name: one[name] for _, one in element.around[:1] for name in fields.BEGINS if name in one}}


def _owner_of_said(names: ExportPersons, message: Mapping[str, Any]) -> str | None:
    """Return the owner of a user's message; None for one with the user's name, and for answers, which name a model."""
    if speech.side(message) != "user":
        return None
    name = speech.speaker(message, has_side=True)
    is_named = names.user is not None and name is not None and names.is_user(name, ())
    return None if is_named else fields.owner(Element((), 1, message))


def _lines(file: ExportFile, names: ExportPersons) -> _Objects:
    """Yield the messages of a chat that is plain text."""
    raw = file.content.read(ELEMENT_BYTES + 1)
    if len(raw) > ELEMENT_BYTES:
        raise InvalidRequest(f"The text is longer than {ELEMENT_BYTES >> 20} MB: divide it.")
    text, is_mended = in_utf8(raw)
    for number, message in lines.messages(text, names):
        place = f"line {number}"
        yield place, ExcludedEntry(NO_TALK) if message is None else Element((), number, message)
    if is_mended:
        yield "the file", UnreadableEntry("the file", NOT_UTF8, None)


def _objects(file: ExportFile, names: ExportPersons) -> _Objects:
    """Yield the objects of a file, or the rows of a table, with their places."""
    is_text = file.name.lower().endswith(TEXTS)
    if is_text and not _JSON.match(file.content.peek(READ_BYTES)):  # type: ignore[attr-defined]
        yield from _lines(file, names)
        return
    if not file.name.lower().endswith(TABLES):
        for number, element in enumerate(elements(file.content, PATHS, KEYS, ABOUT, documents=True), 1):
            entry = element.entry if isinstance(element, UnreadableEntry) else None
            if isinstance(entry, list) and unmarked.are_messages(entry):
                element = Element((), number, {fields.LISTS[0]: entry})  # noqa: PLW2901
            for one in [element] if isinstance(element, UnreadableEntry) else _held(element):
                yield one.place if isinstance(one, UnreadableEntry) else f"entry {one.number}", one
        return
    csv.field_size_limit(ELEMENT_BYTES)
    text = TextIOWrapper(file.content, "utf-8-sig", errors="surrogateescape", newline="")
    header = next((line for line in text if not _SEPARATOR.fullmatch(line)), "")
    rows = csv.DictReader(chain([header], text), delimiter=max(",;\t", key=_QUOTED.sub("", header).count))
    try:
        for number, row in enumerate(rows, 1):
            place, texts = f"row {number}", {"_".join(str(name).lower().split()): one for name, one in row.items()}
            written = {
                name: one.encode(errors="surrogateescape") for name, one in texts.items() if isinstance(one, str)
            }
            mended = {name: one.decode(errors="replace") for name, one in written.items()}
            if any(one != texts[name] for name, one in mended.items()):
                yield place, UnreadableEntry(place, NOT_UTF8, None)
            yield place, Element((), number, texts | mended)
    except csv.Error as fault:
        raise InvalidRequest("The table can't be read.") from fault
    finally:
        # It is not this reader's to close.
        text.detach()


def _without_records(objects: _Objects) -> _Objects:
    """Yield the objects of a file; of a log, which has other records too, those that have words or link others."""
    records = others = 0
    for place, element in objects:
        if isinstance(element, Element) and not element.keyed and _is_record(element.value):
            records += 1
        else:
            others += 1
            yield place, element
    if others:
        yield from repeat(("", ExcludedEntry(OTHER_RECORDS)), records)


def _is_record(value: Mapping[str, Any]) -> bool:
    one = unmarked.flat(value)
    links = fields.first(one, fields.KEYS) is not None and fields.first(one, fields.PARENTS) is not None
    is_said = speech.words(one).strip() or unmarked.exchange(value)
    return not (links or fields.listed(value) or is_said or unmarked.held(value))


def _held(element: Element) -> Iterator[Element | UnreadableEntry]:
    """Yield an element, or its chats where it is a user's object that has the fields of a message too."""
    for name in HOLDING_CHATS:
        held = element.value.get(name)
        if isinstance(held, list) and any(isinstance(one, dict) and fields.listed(one) for one in held):
            holder = {key: element.value[key] for key in ABOUT if key in element.value}
            for number, one in enumerate(held, 1):
                if isinstance(one, dict):
                    yield element.inner(name, number, one, holder)
                else:
                    yield UnreadableEntry(f"entry {number}", "it is no object", one)
            return
    if not _is_schema(element):
        yield unmarked.of_log(element)


def _is_schema(element: Element) -> bool:
    """Whether an element only describes the fields that objects have, as the tools of an agent do."""
    return element.path[-1:] == ("properties",) and all(isinstance(one, dict) for one in element.value.values())


def chats(
    file: ExportFile,
    names: ExportPersons,
    place: str,
    value: Mapping[str, Any],
    within: fields.Messages,
    program: str = PROGRAM_NAME,
    owners: Owners | None = None,
) -> Iterator[Entry]:
    """Yield the chats of one object's messages: one, unless the messages name several."""
    parts = list(fields.about(value))
    id_ = next((one for part in parts if (one := fields.first(part, fields.CHAT_IDS))), None)
    begins = next((time for part in parts if (time := fields.time(part, names.zone, fields.BEGINS).at)), None)
    leaf = next((one for part in parts if (one := fields.first(part, fields.LEAVES))), None)
    # Open WebUI has the messages that it shows in a list beside the tree of all.
    lists = [one for part in parts if isinstance(within, Mapping) and isinstance(one := part.get("messages"), list)]
    keys = (fields.first(one, fields.KEYS) for one in (lists[0] if lists else ()) if isinstance(one, dict))
    shown = frozenset(key for key in keys if key is not None and key in within)
    found: dict[str | None, ExportedChat] = {}
    # A number with few digits counts the chats of one file, or of one installation: another one has it as well.
    counted = id_ is not None and _COUNTS.fullmatch(id_) is not None
    for number, (key, one) in enumerate(_nodes(within), 1):
        own = fields.first(one, fields.CHATS) if isinstance(one, dict) else None
        chat = found.setdefault(
            own or id_,
            ExportedChat(file, names, own or id_, begins, leaf, shown, program, counted=own is None and counted),
        )
        if own is not None and chat.owner is None:
            chat.owner = _owner_of_said(names, one)
        chat.add(f"{place}, message {number}", one, key)
    for chat in found.values():
        yield from chat.whole(owners)


def _nodes(within: fields.Messages) -> Iterator[tuple[str | None, Any]]:
    """Yield messages with their keys; those that stand within another one have it as their parent."""
    if isinstance(within, Mapping):
        yield from ((key, unmarked.flat(one)) for key, one in within.items())
        return
    waiting: list[tuple[str | None, Any]] = [(None, one) for one in reversed(within)]
    while waiting:
        parent, one = waiting.pop()
        one = unmarked.flat(one)
        if not isinstance(one, dict):
            yield None, one
            continue
        if (pair := unmarked.exchange(one)) is not None:
            yield from ((fields.first(side, fields.KEYS), side) for side in pair)
            continue
        key, below = fields.first(one, fields.KEYS), one.get("children")
        if isinstance(below, list):
            waiting += [(key, child) for child in reversed(below) if isinstance(child, dict)]
        yield key, one if parent is None else {fields.PARENTS[0]: parent, **one}
