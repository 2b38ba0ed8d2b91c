"""Reads memories of mem0, as `get_all()` and its exports return them: an array, or one under `results` or `memories`.

A memory of a user becomes a fact about the user; one of an agent alone, or a text that is too long for a fact, a
knowledge note.
"""

from collections.abc import Iterator

from memory.intake.importers.entries import Bad, Entry, ExportFile, Knowledge, Names, Statement, entry_id
from memory.intake.importers.json_elements import Element, elements
from memory.intake.importers.times import moment
from schemas.limits import STATEMENT_CHARACTERS

FILES = r".+\.json"
PATHS = [(), ("results",), ("memories",)]


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield the memories of a file; with a user's id in `names`, only those of that user."""
    for element in elements(file.content, PATHS):
        if isinstance(element, Element):
            if names.user is None or element.value.get("user_id") in {None, names.user}:
                yield _memory(element)
        else:
            yield element


def _memory(element: Element) -> Entry:
    place, told = f"memory {element.number}", element.value
    text = told.get("memory") or told.get("text")
    if not isinstance(text, str) or not text.strip():
        return Bad(place, "it has no `memory`", told)
    of_agent = told.get("agent_id") and not told.get("user_id")
    if of_agent or len(text) > STATEMENT_CHARACTERS:
        id_ = told.get("id")
        if not isinstance(id_, str):
            return Bad(place, "it has no `id`", told)
        return Knowledge(place, entry_id("mem0", id_), "Of the agent" if of_agent else "Of the user", text)
    return Statement(place, text, moment(told.get("created_at")))
