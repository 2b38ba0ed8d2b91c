"""Reads messages and conclusions of Honcho, as its API and its command line return them.

They are an array, or arrays under `items`, `messages`, `conclusions` or `observations`; messages may stand in
`sessions` that have an id. Whose a message is, is told by its peer. Conclusions about the user become facts.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memory.intake.importers.entries import Bad, Entry, ExportFile, LeftOut, Names, Statement
from memory.intake.importers.json_elements import Element, elements
from memory.intake.importers.threads import Chat, Said, conversation
from memory.intake.importers.times import moment

FILES = r".+\.jsonl?"
PATHS = [(), ("items",), ("messages",), ("conclusions",), ("observations",), ("sessions",)]
KEYS = ["content"]
USUAL_NAMES = frozenset(("user", "human"))


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield messages and conclusions; a peer named `user` or `human` is the user unless `names` says who is."""
    session: str | None = None
    said: list[Said] = []
    for place, told in _told(file):
        entry = told if isinstance(told, Bad) else _entry(place, told, names)
        if not isinstance(entry, Said):
            yield entry
            continue
        # Messages of a session come one after the other; some requests return the newest first.
        if said and session != _session(told):
            yield _conversation(session, said, file, names)
            said = []
        session = _session(told)
        said.append(entry)
    if said:
        yield _conversation(session, said, file, names)


def _told(file: ExportFile) -> Iterator[tuple[str, Any]]:
    """Yield each message or conclusion with its place, or what is wrong with it."""
    for element in elements(file.content, PATHS, KEYS):
        if not isinstance(element, Element):
            yield element.place, element
            continue
        within = element.value.get("messages")
        if not isinstance(within, list):
            yield f"entry {element.number}", element.value
            continue
        for number, message in enumerate(within, 1):
            place = f"session {element.number}, message {number}"
            if isinstance(message, Mapping):
                yield place, {"session_id": element.value.get("id"), **message}
            else:
                yield place, Bad(place, "it is no object", message)


def _session(told: Mapping[str, Any]) -> str | None:
    session = told.get("session_id") or told.get("session_name")
    return session if isinstance(session, str) else None


def _conversation(session: str | None, said: list[Said], file: ExportFile, names: Names) -> Entry:
    times = [one.at for one in said if one.at is not None]
    if times and times[0] > times[-1]:
        said.reverse()
    return conversation(Chat("honcho", session, file.modified), said, names)


def _entry(place: str, told: Mapping[str, Any], names: Names) -> Said | Entry:
    text, at = told.get("content"), moment(told.get("created_at"))
    if not isinstance(text, str) or not text.strip():
        return Bad(place, "it has no `content`", told)
    observed = told.get("observed_id") or told.get("observed")
    if observed is not None:
        if not isinstance(observed, str) or not names.is_user(observed, USUAL_NAMES):
            return Bad(place, "it is a conclusion about another peer than the user", told)
        return Statement(place, text, at)
    if told.get("is_active") is False or told.get("deleted_at"):
        return LeftOut("messages that were deleted")
    peer, id_ = told.get("peer_id") or told.get("peer_name"), told.get("id") or told.get("public_id")
    if not isinstance(peer, str) or not isinstance(id_, str | int):
        return Bad(place, "it has no id, or no peer", told)
    return Said(str(id_), names.is_user(peer, USUAL_NAMES), text, at, speaker=peer)
