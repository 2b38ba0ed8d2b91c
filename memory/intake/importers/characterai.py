"""Reads a dump of Character.AI chats, as the browser extension CAI Tools writes it.

Its dumps have `histories` with `msgs` in order, of which those with `is_alternative` were not chosen; each message has
the time of its chat alone. The service itself has `messages` with flat names, or `turns`, each with candidates, of
which the primary one was chosen. Alternatives are retracted. The extension also writes chats in the formats of other
programs: lines as SillyTavern has them, and pairs as Oobabooga has them.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memory.intake.importers import fields, sillytavern, speech, transcripts, unmarked
from memory.intake.importers.entries import Entry, ExcludedEntry, ExportFile, ExportPersons, UnreadableEntry
from memory.intake.importers.reading.json_elements import Element, elements
from memory.intake.importers.sillytavern import message_id
from memory.intake.importers.threads import ChatNode, ThreadDetails, conversation, oldest_first
from memory.intake.importers.times import moment
from schemas.wire.fields import says_no

FILES = r".+\.jsonl?"
PATHS = [("histories", "histories"), ("histories",), ("chats",)]
PROGRAM_NAME = "characterai"
KEYS = ["msgs", "turns", "messages", "data_visible"]
# Fields that only messages of dumps and of the service have.
OWN = frozenset(("src", "src__name", "src__is_human", "candidates"))
ID_KEYS = ("external_id", "chat_id", "id")
NO_WORDS = "messages without words"


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield the chats of a dump; a file of one chat is one element of `turns`."""
    if file.name.lower().endswith(".jsonl"):
        yield from sillytavern.read(file, names)
        return
    for element in elements(file.content, PATHS, KEYS):
        if not isinstance(element, Element):
            yield element
        elif others := _of_others(element.value):
            yield from transcripts.chats(file, names, f"chat {element.number}", element.value, others, PROGRAM_NAME)
        else:
            yield _conversation(element, file, names)


def _of_others(chat: Mapping[str, Any]) -> fields.Messages | None:
    """The messages of a chat that is written as other programs write theirs; None if it is a dump, or the service's."""
    lines = [one for key in KEYS if isinstance(chat.get(key), list) for one in chat[key]]
    if any(isinstance(one, dict) and OWN & one.keys() for one in lines):
        return None
    return unmarked.messages(chat) or fields.listed(chat)


def _conversation(element: Element, file: ExportFile, names: ExportPersons) -> Entry:
    place, exported = f"chat {element.number}", element.value
    lines = next((exported[key] for key in KEYS if isinstance(exported.get(key), list)), None)
    if lines is None:
        return UnreadableEntry(place, "it has neither `msgs` nor `turns`", exported)
    if (reason := fields.not_remembered(exported)) is not None:
        return ExcludedEntry(reason)
    id_ = next((str(exported[key]) for key in ID_KEYS if isinstance(exported.get(key), str | int)), None)
    bad: list[UnreadableEntry] = []
    left_out: Counter[str] = Counter()
    spoken: list[ChatNode] = []
    before = ""
    for number, one in enumerate(lines, 1):
        # Of a chat without an id a number is no id of a message: it is known by its words, and by those before it.
        before = message_id("", False, before, json.dumps(one, sort_keys=True), 1)
        read_in = _read(one, before if id_ is None else f"{id_}/{number}")
        if read_in is None:
            bad.append(UnreadableEntry(f"{place}, message {number}", "it has no author or no text", one))
        else:
            left_out[NO_WORDS] += not read_in
            spoken += read_in
    spoken = spoken[::-1] if _is_turned(spoken) else oldest_first(spoken)
    begins = moment(exported.get("created")) or moment(exported.get("create_time")) or file.modified
    chat = ThreadDetails(PROGRAM_NAME, id_ or (spoken[0].id if spoken else place), begins)
    return conversation(chat, spoken, names, bad, +left_out)


def _is_turned(spoken: list[ChatNode]) -> bool:
    """Whether turns of one time begin with the newest, as the service has them: the character answers the user."""
    are_turns = bool(spoken) and all(one.key is not None for one in spoken)
    return are_turns and len({one.at for one in spoken}) == 1 and not spoken[0].is_user


def _read(one: Any, derived_id: str) -> list[ChatNode] | None:
    if not isinstance(one, dict):
        return None
    if fields.is_unsaid(one):
        return []
    return _of_turn(one) if isinstance(one.get("candidates"), list) else _of_line(one, derived_id)


def _of_line(line: Mapping[str, Any], derived_id: str) -> list[ChatNode] | None:
    """A message of a dump, or of the service; an empty list if it says nothing."""
    source = line.get("src")
    if not isinstance(source, dict):
        source = {"name": line.get("src__name"), "is_human": line.get("src__is_human")}
    side = speech.side({"author": source})
    if side is None or not isinstance(line.get("text"), str):
        return None
    if not line["text"].strip():
        return []
    id_ = next((str(line[key]) for key in ("uuid", "id") if isinstance(line.get(key), str | int)), derived_id)
    at = moment(line.get("created")) or moment(line.get("created_at"))
    name = fields.first(source, speech.SPEAKERS)
    return [ChatNode(id_, side == "user", line["text"], at, name, chosen=says_no(line.get("is_alternative")))]


def _of_turn(turn: Mapping[str, Any]) -> list[ChatNode] | None:
    """The candidates of a turn, the primary one last; an empty list if none says anything."""
    author, candidates, key = turn.get("author"), turn.get("candidates"), turn.get("turn_key")
    if not isinstance(author, dict) or not isinstance(candidates, list) or not isinstance(key, Mapping):
        return None
    ids = [one.get("candidate_id") if isinstance(one, Mapping) else None for one in candidates]
    primary = turn.get("primary_candidate_id")
    chosen = ids.index(primary) if primary is not None and primary in ids else 0
    found = []
    for place, candidate in enumerate(candidates):
        text = candidate.get("raw_content") if isinstance(candidate, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            continue
        found.append(
            ChatNode(
                f"{key.get('turn_id')}/{ids[place] or place}",
                speech.side({"author": author}) == "user",
                text,
                moment(turn.get("create_time")) or moment(candidate.get("create_time")),
                fields.first(author, speech.SPEAKERS),
                key=str(key.get("turn_id")),
                chosen=place == chosen,
            )
        )
    return found
