"""Reads messages and conclusions of Honcho, as its API and its command line return them.

They are an array, or arrays under `items`, `messages`, `conclusions` or `observations`; messages may stand in
`sessions` that have an id. Whose a message is, is told by its peer. Conclusions about the user become facts.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memory.intake.importers.entries import Bad, Conversation, Entry, ExportFile, Names, Statement, entry_id
from memory.intake.importers.json_elements import Element, elements
from memory.intake.importers.times import moment

FILES = r".+\.json"
PATHS = [(), ("items",), ("messages",), ("conclusions",), ("observations",), ("sessions",)]
USUAL_NAMES = frozenset(("user", "human"))


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield messages and conclusions; a peer named `user` or `human` is the user unless `names` says who is."""
    for element in elements(file.content, PATHS):
        if not isinstance(element, Element):
            yield element
            continue
        told = element.value
        within = told.get("messages")
        if isinstance(within, list):
            for number, message in enumerate(within, 1):
                place = f"session {element.number}, message {number}"
                if isinstance(message, Mapping):
                    yield _entry(place, {"session_id": told.get("id"), **message}, names)
                else:
                    yield Bad(place, "it is no object", message)
        else:
            yield _entry(f"entry {element.number}", told, names)


def _entry(place: str, told: Mapping[str, Any], names: Names) -> Entry:
    users = USUAL_NAMES if names.user is None else {names.user}
    text, at = told.get("content"), moment(told.get("created_at"))
    if not isinstance(text, str) or not text.strip():
        return Bad(place, "it has no `content`", told)
    observed = told.get("observed_id") or told.get("observed")
    if observed is not None:
        if observed not in users:
            return Bad(place, "it is a conclusion about another peer than the user", told)
        return Statement(place, text, at)
    peer, id_ = told.get("peer_id") or told.get("peer_name"), told.get("id") or told.get("public_id")
    session = told.get("session_id") or told.get("session_name")
    if not isinstance(peer, str) or not isinstance(id_, str) or at is None:
        return Bad(place, "it has no id, no peer or no time", told)
    message = {
        "id": entry_id("honcho", id_),
        "role": names.role(peer, is_user=peer in users),
        "speaker": peer,
        "content": text,
        "created_at": at.isoformat(),
    }
    if isinstance(session, str):
        message["conversation"] = entry_id("honcho", session)
    return Conversation([message])
