"""Reads memories of mem0 and OpenMemory, as `get_all()` and their exports return them: an array, or one in a wrapper.

A memory of a user becomes a fact about the user; one of an agent alone, or a text that is too long for a fact, a
knowledge note. Memories that were deleted, archived or paused, or have expired, are left out.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from memory.intake.importers import fields
from memory.intake.importers.entries import (
    Entry,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    Knowledge,
    Owners,
    Statement,
    UnreadableEntry,
    entry_id,
    with_snake_case,
)
from memory.intake.importers.reading.json_elements import Element, elements
from memory.intake.importers.times import moment
from schemas.limits import STATEMENT_CHARACTERS

FILES = r".+\.jsonl?"
PATHS = [(), ("results",), ("memories",)]
# Fields of chats' messages, which have texts of the same names; memories may have these too.
OF_CHATS = frozenset(("role", "sender", "author", "src", "peer_id", "peer_name", "is_user", "is_human", "turn_key"))
# In which a page of memories, or a record of a vector store has them; an export has them in `memories`, too.
RECORDS = ["data", "payload", "value"]
WRAPPERS = [*RECORDS, "memories", "content"]
# Fields with the owner of a page's memories.
OWNERS = (*fields.CHAT_OWNERS, "user", "owner")
AGENT = ("agent_id", "agentId")
GONE = ("deleted", "archived", "paused")
ABOUT = (*OWNERS, *fields.TELL_OWNER, *AGENT)
# The names of a memory's text, by version and program.
KEYS = ["memory", "text", "content", "data", "fact"]
# When it is no longer true.
ENDS = ("expiration_date", "expired_at", "invalid_at")


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield the memories of a file; with a user's id in `names` those of that user, else those of the first one."""
    owners = Owners(names, "memories")
    for element in elements(file.content, PATHS, [*KEYS, *RECORDS], ABOUT):
        if not isinstance(element, Element):
            yield element
            continue
        for memory in _unwrapped(element):
            place, exported = f"memory {element.number}", memory.value
            if not isinstance(exported, Mapping):
                yield UnreadableEntry(place, "it is no object", exported)
                continue
            owner = fields.owner(memory, OWNERS)
            of_agent = owner is None and fields.nearest(memory, AGENT) is not None
            exported = with_snake_case(exported)
            yield owners.of_another(place, owner, exported) or _memory(place, exported, of_agent=of_agent)


def _unwrapped(element: Element) -> Iterator[Element]:
    """Yield the memories of an element: itself, those of a page, or that of a record."""
    value = element.value
    # A list as content is that of a chat's message.
    forms = dict.fromkeys(WRAPPERS, list | dict) | {"content": dict}
    name = next((name for name, form in forms.items() if isinstance(value.get(name), form)), None)
    if name is None:
        yield element
        return
    within, about = value[name], {key: one for key, one in value.items() if key != name}
    if isinstance(within, dict):
        yield from _unwrapped(replace(element, value=fields.under(about, within)))
        return
    if any(isinstance(about.get(key), str) for key in KEYS):
        yield replace(element, value=about)
    for one in within:
        memory = element.inner(name, element.number, one, about)
        yield from _unwrapped(memory) if isinstance(one, dict) else [memory]


def _memory(place: str, exported: Mapping[str, Any], *, of_agent: bool) -> Entry:
    text = next((exported[key] for key in KEYS if isinstance(exported.get(key), str) and exported[key].strip()), None)
    if text is None:
        return UnreadableEntry(place, "it has no `memory`", exported)
    if not {"memory", "data"} & exported.keys() and OF_CHATS & exported.keys():
        return UnreadableEntry(place, "it is a message of a chat, and no memory", exported)
    if (reason := _not_remembered(exported)) is not None:
        return ExcludedEntry(reason)
    of_agent = of_agent or exported.get("memory_type") == "procedural_memory"
    if of_agent or len(text) > STATEMENT_CHARACTERS:
        id_ = exported.get("id")
        id_ = id_ if isinstance(id_, str | int) else hashlib.sha256(text.encode(errors="replace")).hexdigest()
        return Knowledge(place, entry_id("mem0", id_), "Of the agent" if of_agent else "Of the user", text)
    at = moment(exported.get("created_at"))
    return Statement(place, text, at if at is None or at <= datetime.now(UTC) else None)


def _not_remembered(exported: Mapping[str, Any]) -> str | None:
    """Return why a memory is left out; None if it is remembered."""
    metadata = exported.get("metadata")
    state = exported.get("state") or (metadata.get("state") if isinstance(metadata, Mapping) else None)
    gone = isinstance(state, str) and state.strip().lower() not in {"", "active"}
    gone = gone or str(exported.get("status")).lower() in GONE
    places = (exported, metadata) if isinstance(metadata, Mapping) else (exported,)
    names = [f"{before}{mark}" for mark in GONE for before in ("", "is_")]
    marked = any(fields.is_set(one.get(name)) for one in places for name in names) or exported.get("deleted_at")
    marked = marked or False in (exported.get("is_active"), exported.get("active")) or exported.get("event") == "DELETE"
    if gone or marked or (exported.get("archived_at") and not state):
        return "memories that were deleted, archived or paused"
    ends = (moment(exported.get(name)) for name in ENDS)
    return "memories that have expired" if any(end is not None and end <= datetime.now(UTC) for end in ends) else None
