"""Reads `conversations.json` of a ChatGPT export: an array of conversations, each a tree of messages.

`mapping` has the nodes by their ids, and `current_node` is the leaf of the branch that the person sees. Messages on
other branches, left by editing or by asking again, are taken back. System prompts, tools' messages, hidden messages,
and what a model thought were not said, and are left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from memory.intake.importers.entries import Bad, Conversation, Entry, ExportFile, Names, entry_id
from memory.intake.importers.json_elements import Element, elements
from memory.intake.importers.times import filled, moment

FILES = r"conversations(-\d+)?\.json"
SPOKEN = {"text", "multimodal_text"}


def read(file: ExportFile, names: Names) -> Iterator[Entry]:
    """Yield the conversations of a file."""
    for element in elements(file.content, [()]):
        yield _conversation(element, names) if isinstance(element, Element) else element


def _conversation(element: Element, names: Names) -> Entry:
    place, told = f"conversation {element.number}", element.value
    nodes, id_ = told.get("mapping"), told.get("conversation_id") or told.get("id")
    if not isinstance(nodes, dict) or not isinstance(id_, str):
        return Bad(place, "it has no `mapping`, or no id", told)
    chosen = _branch(nodes, told.get("current_node"))
    if chosen is None:
        return Bad(place, "its `current_node` does not exist, or its branches run in a circle", told)
    bad: list[Bad] = []
    spoken: list[tuple[str, dict[str, Any]]] = []
    for node_id, node in _in_order(nodes, chosen):
        message = node.get("message") if isinstance(node, dict) else None
        if message is None:
            continue
        if not isinstance(message, dict) or not isinstance(message.get("author"), dict):
            bad.append(Bad(f"{place}, message {node_id[:36]}", "it has no author", node))
        elif (text := _text(message)) is not None:
            spoken.append((node_id, message | {"text": text}))
    times = filled([moment(message.get("create_time")) for _, message in spoken], moment(told.get("create_time")))
    messages: list[dict[str, Any]] = []
    off_branch: list[str] = []
    for (node_id, message), at in zip(spoken, times, strict=True):
        if at is None:
            bad.append(Bad(f"{place}, message {node_id[:36]}", "neither it nor its conversation has a time", message))
            continue
        said = {
            "id": entry_id("chatgpt", message.get("id") or node_id),
            "role": names.role(None, is_user=message["author"].get("role") == "user"),
            "conversation": entry_id("chatgpt", id_),
            "content": message["text"],
            "created_at": at.isoformat(),
        }
        messages.append(said)
        if node_id not in chosen:
            off_branch.append(said["id"])
    return Conversation(messages, off_branch, bad)


def _branch(nodes: Mapping[str, Any], leaf: Any) -> dict[str, None] | None:
    """The ids of the nodes from the root to the leaf; None if the leaf is no node, or the way is a circle."""
    branch: dict[str, None] = {}
    at = leaf if leaf is not None else _last(nodes)
    while at is not None:
        if not isinstance(at, str) or at in branch or not isinstance(nodes.get(at), dict):
            return None
        branch[at] = None
        at = nodes[at].get("parent")
    return dict.fromkeys(reversed(branch))


def _last(nodes: Mapping[str, Any]) -> str | None:
    """The node without children whose message is the newest, where the export names no current one."""
    leaves = {id_: node for id_, node in nodes.items() if isinstance(node, dict) and not node.get("children")}

    def time_of(id_: str) -> float:
        message = leaves[id_].get("message")
        time = message.get("create_time") if isinstance(message, dict) else None
        return float(time) if isinstance(time, int | float) else 0.0

    return max(leaves, key=time_of, default=None)


def _in_order(nodes: Mapping[str, Any], chosen: Mapping[str, None]) -> Iterator[tuple[str, Any]]:
    """The chosen branch from its root on, then the other nodes."""
    yield from ((id_, nodes[id_]) for id_ in chosen)
    yield from ((id_, node) for id_, node in nodes.items() if id_ not in chosen)


def _text(message: Mapping[str, Any]) -> str | None:
    """What a person or the model said; None if it said nothing to the other."""
    content, metadata = message.get("content"), message.get("metadata")
    if message["author"].get("role") not in {"user", "assistant"} or message.get("recipient", "all") != "all":
        return None
    if isinstance(metadata, dict) and metadata.get("is_visually_hidden_from_conversation"):
        return None
    if not isinstance(content, dict) or content.get("content_type") not in SPOKEN:
        return None
    parts = content.get("parts")
    texts = [_part(part) for part in parts] if isinstance(parts, list) else []
    text = "\n".join(text for text in texts if text.strip())
    return text or None


def _part(part: Any) -> str:
    """A part's words: text, or the transcript of what was spoken; nothing for an image."""
    if isinstance(part, dict):
        part = part.get("text") if part.get("content_type") == "audio_transcription" else None
    return part if isinstance(part, str) else ""
