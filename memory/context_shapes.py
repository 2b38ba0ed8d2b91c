"""An assembled context as one string, as messages for Anthropic, or as messages for OpenAI.

A prefix cache serves what is the same from the first byte on. What stays the same stands first, and for Anthropic its
ends carry `cache_control`: after the system blocks, after the snapshot, and after the conversation so far.
"""

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

from memory.regions import Entry

MARKER = {"type": "ephemeral"}


def text(entries: Sequence[Entry]) -> str:
    """All regions as one string; what the Being itself says is told apart by a tag."""
    return "\n\n".join(
        f"<assistant>\n{entry.content}\n</assistant>" if entry.role == "assistant" else entry.content
        for entry in entries
    )


def anthropic(entries: Sequence[Entry], stable: Collection[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """System blocks, and messages, for Anthropic's Messages API.

    System entries behind the first message can't be system blocks: they stand in the user's messages.

    Args:
        entries: The context.
        stable: Regions that stay the same from turn to turn.
    """
    marked = _marked(entries, stable)
    first = next((place for place, entry in enumerate(entries) if entry.role != "system"), len(entries))
    blocks = [
        {"type": "text", "text": entry.content, **({"cache_control": MARKER} if place in marked else {})}
        for place, entry in enumerate(entries)
    ]
    spoken = [
        ("assistant" if entry.role == "assistant" else "user", block)
        for entry, block in zip(entries, blocks, strict=True)
    ]
    messages = [
        {"role": role, "content": [block for _, block in group]}
        for role, group in groupby(spoken[first:], key=lambda said: said[0])
    ]
    return blocks[:first], messages


def openai(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Messages for OpenAI's chat completions; the same prefix is cached there without being marked."""
    return [
        {"role": role, "content": "\n\n".join(entry.content for entry in group)}
        for role, group in groupby(entries, key=lambda entry: entry.role)
    ]


def stable_prefix(entries: Sequence[Entry], stable: Collection[str]) -> int:
    """How many entries from the first on belong to regions that stay the same."""
    return next((place for place, entry in enumerate(entries) if entry.region not in stable), len(entries))


def _marked(entries: Sequence[Entry], stable: Collection[str]) -> set[int]:
    """The last entry of the stable system blocks, of the stable snapshot, and of all that is stable."""
    prefix = entries[: stable_prefix(entries, stable)]
    ends = {("system" if entry.role == "system" else entry.region): place for place, entry in enumerate(prefix)}
    return {ends[name] for name in ("system", "snapshot", "conversation") if name in ends}
