"""Tools for Pydantic AI: `Agent(…, toolsets=[memory_toolset(memory, "mira")])`.

An event that the agent keeps becomes a memory in the next patrol. Until then both ways of looking find it by its words.
"""

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai import FunctionToolset

from memory_patrol._async.client import AsyncMemoryPatrol
from memory_patrol.errors import Invalid

if TYPE_CHECKING:
    from memory_patrol import types

LOOKING = (
    "You have a long-term memory. Before you answer from what was said or happened earlier, look with `recall_memory` "
    "or `search_memory`"
)
LOOKING_ALONE = f"{LOOKING}."
INSTRUCTIONS = f"{LOOKING}; keep what is worth remembering with `remember_event`."


# The most events waiting for a patrol that are looked at, the newest; and the letters of a word that are compared.
PENDING_LOOKED_AT = 100
LETTERS_COMPARED = 5


def memory_toolset(
    memory: AsyncMemoryPatrol, being: str, *, limit: int = 5, off_the_record: bool = False
) -> FunctionToolset[Any]:
    """Return tools with which an agent recalls, searches and remembers.

    Args:
        memory: The client, whose token has the scopes `read` and `ingest`.
        being: The Being's id or slug.
        limit: The most results of one call.
        off_the_record: Whether the agent's talk is: it recalls and searches, nothing is activated, and it remembers
            nothing.
    """

    async def pending(query: str) -> "list[types.Note]":
        """Return the events that wait for a patrol and share words with a query, those with the most first."""
        sought = _words(query)
        page = await memory.list_notes(being, state="pending", limit=PENDING_LOOKED_AT)
        shared = [(len(sought & _words(_event_text(note))), note) for note in page["notes"]]
        found = sorted((one for one in shared if one[0]), key=lambda one: one[0], reverse=True)
        return [note for _, note in found[:limit]]

    async def recall_memory(query: str) -> list[str]:
        """Recall events by meaning.

        Args:
            query: The subject of the events.
        """
        recalled = await memory.recall_memories(
            being, {"query": query, "limit": limit, "format": "nodes", "off_the_record": off_the_record}
        )
        nodes = cast("types.RecalledNodes", recalled)["nodes"]
        filed = [f"{node['scene']['action']} {node['feeling'] or ''}".strip() for node in nodes]
        return [_event_text(note) for note in await pending(query)] + filed

    async def search_memory(query: str) -> list[dict[str, str]]:
        """Search everything that was said or happened, by words and by meaning.

        Args:
            query: A question, a sentence or a few words.
        """
        found = await memory.search_everything(
            being, {"query": query, "limit": limit, "activate": True, "off_the_record": off_the_record}
        )
        waiting = [
            {"kind": "event", "text": _event_text(note), "at": note["received_at"], "speaker": ""}
            for note in await pending(query)
        ]
        return waiting + [
            {"kind": each["kind"], "text": each["text"], "at": each["at"], "speaker": each["speaker"] or ""}
            for each in found["results"]
        ]

    async def remember_event(action: str, actors: list[str], when: str = "") -> str:
        """Keep an event in long-term memory.

        Args:
            action: The event, in a sentence or two.
            actors: The people who were present.
            when: The date as YYYY-MM-DD; today if it is empty.
        """
        date = when or datetime.now(UTC).date().isoformat()
        try:
            receipt = await memory.hand_in_notes(
                being, {"type": "scene", "content": {"action": action, "actors": actors, "when": [date]}}
            )
        except Invalid as problem:
            return f"Not kept: {problem.detail}"
        return "Kept." if receipt["accepted"] else "Known already."

    looking = [recall_memory, search_memory]
    if off_the_record:
        return FunctionToolset(looking, instructions=LOOKING_ALONE)
    return FunctionToolset([*looking, remember_event], instructions=INSTRUCTIONS)


def _event_text(note: "types.Note") -> str:
    """Return the event of a scene note, with its actors and dates."""
    scene = cast("dict[str, Any]", note["content"])
    dates = [one if isinstance(one, str) else one["date"] for one in scene["when"]]
    return f"{scene['action']} ({', '.join([*scene['actors'], *dates])})"


def _words(text: str) -> set[str]:
    """Return the beginnings of a text's words, so that `oven` and `ovens` are one."""
    return {word[:LETTERS_COMPARED] for word in re.findall(r"\w{3,}", text.casefold())}
