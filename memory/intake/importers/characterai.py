"""Reads a dump of Character.AI chats, as the browser extension CAI Tools writes it.

Older dumps have `histories` with `msgs`, of which those with `is_alternative` were not chosen; newer ones chats with
`turns`, each with candidates, of which the primary one was chosen. Alternatives are taken back. Messages without a time
follow the beginning of their chat by a second each.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from memory.intake.importers.entries import Bad, Conversation, Entry, ExportFile, Names, entry_id
from memory.intake.importers.json_elements import Element, elements
from memory.intake.importers.times import filled, moment

FILES = r".+\.json"
PATHS = [("histories", "histories"), ("histories",), ("chats",), ()]
ID_KEYS = ("external_id", "chat_id", "id")


@dataclass(frozen=True, slots=True)
class _Said:
    """A message, or one candidate for it."""

    id: str
    name: str | None
    is_user: bool
    text: str
    at: datetime | None
    chosen: bool


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield the chats of a dump; a file of one chat is one element of `turns`."""
    for element in elements(file.content, PATHS):
        yield _conversation(element, names) if isinstance(element, Element) else element


def _conversation(element: Element, names: Names) -> Entry:
    place, told = f"chat {element.number}", element.value
    id_ = next((told[key] for key in ID_KEYS if isinstance(told.get(key), str)), None)
    turns, lines = told.get("turns"), told.get("msgs")
    if not isinstance(turns, list) and not isinstance(lines, list):
        return Bad(place, "it has neither `msgs` nor `turns`", told)
    bad: list[Bad] = []
    said: list[_Said] = []
    for number, one in enumerate(turns if isinstance(turns, list) else lines or [], 1):
        read_in = _of_turn(one) if isinstance(turns, list) else _of_line(one, f"{id_}/{number}")
        if read_in is None:
            bad.append(Bad(f"{place}, message {number}", "it has no author or no text", one))
        else:
            said += read_in
    # Turns come newest first from the service; times decide where they are known.
    if said and all(one.at for one in said):
        said.sort(key=lambda one: (one.at, one.id))
    times = filled([one.at for one in said], moment(told.get("created") or told.get("create_time")))
    messages: list[dict[str, Any]] = []
    off_branch: list[str] = []
    conversation = id_ or (said[0].id if said else place)
    for one, at in zip(said, times, strict=True):
        if at is None:
            bad.append(Bad(f"{place}, message {one.id[:36]}", "neither it nor its chat has a time", {"text": one.text}))
            continue
        messages.append(
            {
                "id": entry_id("characterai", one.id),
                "role": names.role(one.name, is_user=one.is_user),
                "speaker": one.name,
                "conversation": entry_id("characterai", conversation),
                "content": one.text,
                "created_at": at.isoformat(),
            }
        )
        if not one.chosen:
            off_branch.append(messages[-1]["id"])
    return Conversation(messages, off_branch, bad)


def _of_line(line: Any, derived_id: str) -> list[_Said] | None:
    """A message of an older dump; an empty list if it says nothing."""
    source = line.get("src") if isinstance(line, dict) else None
    if not isinstance(source, Mapping) or not isinstance(line.get("text"), str):
        return None
    if not line["text"].strip():
        return []
    id_ = next((str(line[key]) for key in ("uuid", "id") if isinstance(line.get(key), str | int)), derived_id)
    at = moment(line.get("created") or line.get("created_at"))
    chosen = not line.get("is_alternative")
    return [_Said(id_, _name(source.get("name")), bool(source.get("is_human")), line["text"], at, chosen)]


def _of_turn(turn: Any) -> list[_Said] | None:
    """The candidates of a turn; an empty list if none says anything."""
    author = turn.get("author") if isinstance(turn, dict) else None
    candidates = turn.get("candidates") if isinstance(turn, dict) else None
    key = turn.get("turn_key") if isinstance(turn, dict) else None
    if not isinstance(author, Mapping) or not isinstance(candidates, list) or not isinstance(key, Mapping):
        return None
    primary = turn.get("primary_candidate_id")
    found = []
    for place, candidate in enumerate(candidates):
        text = candidate.get("raw_content") if isinstance(candidate, Mapping) else None
        if not isinstance(text, str) or not text.strip():
            continue
        id_ = candidate.get("candidate_id")
        chosen = place == 0 if primary is None else id_ == primary
        at = moment(candidate.get("create_time")) or moment(turn.get("create_time"))
        name = _name(author.get("name"))
        is_user = bool(author.get("is_human"))
        found.append(_Said(f"{key.get('turn_id')}/{id_ or place}", name, is_user, text, at, chosen))
    return found


def _name(name: Any) -> str | None:
    return name if isinstance(name, str) and name.strip() else None
