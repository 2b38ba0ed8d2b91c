"""Reads messages and conclusions of Honcho, as its API and its command line return them.

They are an array, or arrays under `items`, `messages`, `conclusions` or `observations`; messages may stand in
`sessions` that have an id. A message's peer is its speaker. Conclusions about the user become facts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from memory.intake.importers import fields
from memory.intake.importers.entries import (
    Entry,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    Owners,
    Statement,
    UnreadableEntry,
    with_snake_case,
)
from memory.intake.importers.reading.json_elements import Element, elements
from memory.intake.importers.threads import ChatNode, ThreadDetails, are_strangers, conversation, oldest_first
from memory.intake.importers.times import moment

FILES = r".+\.jsonl?"
PATHS = [(), ("items",), ("messages",), ("conclusions",), ("observations",), ("sessions",)]
KEYS = ["content"]
# Fields that hold for messages and conclusions if an object around them has them, and the id of a session.
ABOUT = ("session_id", "session_name", "peer_id", "peer_name", "observed_id", "observed", "user_id", "id")
NO_USER = "none of its peers is the user: name the user with `--me`"
USUAL_NAMES = frozenset(("user", "human"))


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield messages and conclusions; a peer named `user` or `human` is the user unless `names` has the user's name."""
    owners = Owners(names, "messages")
    session: str | None = None
    turns: list[ChatNode] = []
    for place, exported in _read_elements(file):
        entry = exported if isinstance(exported, UnreadableEntry | ExcludedEntry) else _entry(place, exported, names)
        if isinstance(entry, ChatNode) and entry.speaker is None:
            entry = owners.of_another(place, fields.first(exported, ("user_id",)), exported) or entry
        if not isinstance(entry, ChatNode):
            yield entry
            continue
        # Messages of a session come one after the other; some requests return the newest first.
        if turns and session != _session(exported):
            yield _conversation(session, turns, file, names)
            turns = []
        session = _session(exported)
        turns.append(entry)
    if turns:
        yield _conversation(session, turns, file, names)


def _read_elements(file: ExportFile) -> Iterator[tuple[str, Any]]:
    """Yield each message or conclusion with its place, or its fault."""
    for element in elements(file.content, PATHS, KEYS, ABOUT):
        if not isinstance(element, Element):
            yield element.place, element
            continue
        around: dict[str, Any] = {}
        for _, one in reversed(element.around):
            around = _around(around, one)
        within = element.value.get("messages")
        if not isinstance(within, list):
            yield f"entry {element.number}", fields.under(around, with_snake_case(element.value))
            continue
        if (reason := fields.not_remembered(element.value)) is not None:
            yield f"session {element.number}", ExcludedEntry(reason)
            continue
        around = _around(around, element.value)
        for number, message in enumerate(within, 1):
            place = f"session {element.number}, message {number}"
            if isinstance(message, Mapping):
                yield place, fields.under(around, with_snake_case(message))
            else:
                yield place, UnreadableEntry(place, "it is no object", message)


def _around(outer: Mapping[str, Any], one: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that hold for the messages in an object: its own, else those of the objects around it."""
    about = {name: value for name, value in with_snake_case(one).items() if name in ABOUT}
    session = about.pop("id", None)
    return fields.under(outer, ({"session_id": session} if isinstance(session, str) else {}) | about)


def _session(exported: Mapping[str, Any]) -> str | None:
    session = exported.get("session_id") or exported.get("session_name")
    return session if isinstance(session, str) else None


def _conversation(session: str | None, turns: list[ChatNode], file: ExportFile, names: ExportPersons) -> Entry:
    if are_strangers(turns, names):
        return UnreadableEntry("a session", NO_USER, [asdict(one) for one in turns])
    return conversation(ThreadDetails("honcho", session, file.modified), oldest_first(turns), names)


def _entry(place: str, exported: Mapping[str, Any], names: ExportPersons) -> ChatNode | Entry:
    text, at = exported.get("content"), moment(exported.get("created_at"))
    if not isinstance(text, str) or not text.strip():
        return UnreadableEntry(place, "it has no `content`", exported)
    observed = exported.get("observed_id") or exported.get("observed")
    if observed is not None:
        if not isinstance(observed, str) or not names.is_user(observed, USUAL_NAMES):
            return UnreadableEntry(place, "it is a conclusion about another peer than the user", exported)
        return Statement(place, text, at)
    if exported.get("is_active") is False or fields.is_unsaid(exported):
        return ExcludedEntry("messages that were deleted")
    peer, id_ = exported.get("peer_id") or exported.get("peer_name"), exported.get("id") or exported.get("public_id")
    # Before there were peers, a message was the user's or not.
    is_user = names.is_user(peer, USUAL_NAMES) if isinstance(peer, str) else exported.get("is_user")
    if not isinstance(is_user, bool) or not isinstance(id_, str | int):
        return UnreadableEntry(place, "it has no id, or no peer", exported)
    return ChatNode(str(id_), is_user, text, at, speaker=peer if isinstance(peer, str) else None)
