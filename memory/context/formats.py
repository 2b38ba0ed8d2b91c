"""Writes an assembled context as one string, as messages for Anthropic, or as messages for OpenAI.

Providers cache the longest prefix that is byte for byte the same. Stable regions come first, and for Anthropic
`cache_control` marks their ends: after the system blocks, after the snapshot, and after the conversation.
"""

from collections.abc import Collection, Sequence
from itertools import groupby
from typing import Any

from memory.context.regions import Entry

MARKER = {"type": "ephemeral"}


def text(entries: Sequence[Entry]) -> str:
    """All entries as one string, in which a tag marks the Being's own messages."""
    return "\n\n".join(
        f"<assistant>\n{entry.content}\n</assistant>" if entry.role == "assistant" else entry.content
        for entry in entries
    )


def system(entries: Sequence[Entry]) -> str:
    """All entries but the Being's own as one string, to be added to a prompt of the caller's."""
    return "\n\n".join(entry.content for entry in entries if entry.role != "assistant")


def inserted(entries: Sequence[Entry], stable: Collection[str]) -> tuple[str, str]:
    """The system prompt in two parts: the stable regions at its beginning, and all behind them."""
    end = stable_prefix(entries, stable)
    return system(entries[:end]), system(entries[end:])


def anthropic(entries: Sequence[Entry], stable: Collection[str]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """`system` and `messages` for Anthropic's Messages API.

    The API takes system blocks only before the first message: later system entries become parts of user messages.

    Args:
        entries: The context.
        stable: Regions with the same bytes from turn to turn.
    """
    marked = _marked(entries, stable)
    first = next((place for place, entry in enumerate(entries) if entry.role != "system"), len(entries))
    blocks = [
        {"type": "text", "text": entry.content, **({"cache_control": MARKER} if place in marked else {})}
        for place, entry in enumerate(entries)
    ]
    by_role = [
        ("assistant" if entry.role == "assistant" else "user", block)
        for entry, block in zip(entries, blocks, strict=True)
    ]
    messages = [
        {"role": role, "content": [block for _, block in group]}
        for role, group in groupby(by_role[first:], key=lambda pair: pair[0])
    ]
    return blocks[:first], messages


def openai(entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Messages for OpenAI's chat completions, which caches prefixes without markers."""
    return [
        {"role": role, "content": "\n\n".join(entry.content for entry in group)}
        for role, group in groupby(entries, key=lambda entry: entry.role)
    ]


def stable_prefix(entries: Sequence[Entry], stable: Collection[str]) -> int:
    """The number of leading entries that belong to stable regions."""
    return next((place for place, entry in enumerate(entries) if entry.region not in stable), len(entries))


def _marked(entries: Sequence[Entry], stable: Collection[str]) -> set[int]:
    """The last entry of the stable system blocks, of the stable snapshot, and of all that is stable."""
    prefix = entries[: stable_prefix(entries, stable)]
    ends = {("system" if entry.role == "system" else entry.region): place for place, entry in enumerate(prefix)}
    return {ends[name] for name in ("system", "snapshot", "conversation") if name in ends}
