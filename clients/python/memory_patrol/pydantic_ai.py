"""Tools for Pydantic AI: `Agent(…, toolsets=[memory_toolset(memory, "mira")])`."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai import FunctionToolset

from memory_patrol._async.client import AsyncMemoryPatrol
from memory_patrol.errors import Invalid

if TYPE_CHECKING:
    from memory_patrol import types

INSTRUCTIONS = (
    "You have a long-term memory. Before you answer from what was said or happened earlier, look with `recall_memory` "
    "or `search_memory`; keep what is worth remembering with `remember_event`."
)


def memory_toolset(memory: AsyncMemoryPatrol, being: str, *, limit: int = 5) -> FunctionToolset[Any]:
    """Return tools with which an agent recalls, searches and remembers.

    Args:
        memory: The client, whose token has the scopes `read` and `ingest`.
        being: The Being's id or slug.
        limit: The most results of one call.
    """

    async def recall_memory(query: str) -> list[str]:
        """Recall events by meaning.

        Args:
            query: What the events are about.
        """
        recalled = await memory.recall_memories(being, {"query": query, "limit": limit, "format": "nodes"})
        nodes = cast("types.RecalledNodes", recalled)["nodes"]
        return [f"{node['scene']['action']} {node['feeling'] or ''}".strip() for node in nodes]

    async def search_memory(query: str) -> list[dict[str, str]]:
        """Search everything that was said or happened, by words and by meaning.

        Args:
            query: A question, a sentence or a few words.
        """
        found = await memory.search_everything(being, {"query": query, "limit": limit, "activate": True})
        return [
            {"kind": each["kind"], "text": each["text"], "at": each["at"], "speaker": each["speaker"] or ""}
            for each in found["results"]
        ]

    async def remember_event(action: str, actors: list[str], when: str = "") -> str:
        """Keep an event in long-term memory.

        Args:
            action: What happened, in a sentence or two.
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

    return FunctionToolset([recall_memory, search_memory, remember_event], instructions=INSTRUCTIONS)
