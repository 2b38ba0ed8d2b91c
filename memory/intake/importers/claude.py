"""Reads `conversations.json` of a Claude export: an array of conversations with their messages in order.

Where messages name their parents, those beside the branch of the current leaf (or of the newest message) are taken
back. What a model thought, its tools' calls and their results were not said, and are left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from memory.intake.importers.entries import Bad, Conversation, Entry, ExportFile, Names, entry_id
from memory.intake.importers.json_elements import Element, elements
from memory.intake.importers.times import filled, moment

FILES = r"conversations\.json"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield the conversations of a file."""
    for element in elements(file.content, [()]):
        yield _conversation(element, names) if isinstance(element, Element) else element


def _conversation(element: Element, names: Names) -> Entry:
    place, told = f"conversation {element.number}", element.value
    said, id_ = told.get("chat_messages"), told.get("uuid")
    if not isinstance(said, list) or not isinstance(id_, str):
        return Bad(place, "it has no `chat_messages`, or no `uuid`", told)
    bad: list[Bad] = []
    spoken: list[dict[str, Any]] = []
    for number, message in enumerate(said, 1):
        if (
            not isinstance(message, dict)
            or message.get("sender") not in {"human", "assistant"}
            or not isinstance(message.get("uuid"), str)
        ):
            bad.append(Bad(f"{place}, message {number}", "it has no `uuid`, or no known `sender`", message))
        else:
            spoken.append(message)
    off = _off_branch(spoken, told.get("current_leaf_message_uuid"))
    times = filled([moment(message.get("created_at")) for message in spoken], moment(told.get("created_at")))
    messages: list[dict[str, Any]] = []
    for message, at in zip(spoken, times, strict=True):
        text = _text(message)
        if at is None:
            bad.append(Bad(f"{place}, message {message['uuid'][:36]}", "it has no time", message))
        elif text:
            messages.append(
                {
                    "id": entry_id("claude", message["uuid"]),
                    "role": names.role(None, is_user=message["sender"] == "human"),
                    "conversation": entry_id("claude", id_),
                    "content": text,
                    "created_at": at.isoformat(),
                }
            )
    taken = {message["id"] for message in messages}
    off_branch = [each for uuid in off if (each := entry_id("claude", uuid)) in taken]
    return Conversation(messages, off_branch, bad)


def _off_branch(messages: Sequence[Mapping[str, Any]], leaf: Any) -> list[str]:
    """The ids of messages beside the current branch; none where messages do not name their parents."""
    parents = {message["uuid"]: message.get("parent_message_uuid") for message in messages}
    if not any(parent in parents for parent in parents.values()):
        return []
    newest = max(messages, key=lambda message: moment(message.get("created_at")) or EPOCH)["uuid"]
    at = leaf if leaf in parents else newest
    branch: set[str] = set()
    while at in parents and at not in branch:
        branch.add(at)
        at = parents[at]
    return [uuid for uuid in parents if uuid not in branch]


def _text(message: Mapping[str, Any]) -> str:
    """What was said: the blocks of text, else `text`."""
    blocks = message.get("content")
    texts = [
        block["text"]
        for block in (blocks if isinstance(blocks, list) else [])
        if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str)
    ]
    if not texts and isinstance(message.get("text"), str):
        texts = [message["text"]]
    return "\n".join(text for text in texts if text.strip())
