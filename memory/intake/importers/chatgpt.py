"""Reads `conversations.json` of a ChatGPT export: an array of conversations, each a tree of messages.

`mapping` has the nodes by their ids, and `current_node` is the leaf of the branch that the person sees. Messages on
other branches, left by editing or by asking again, are retracted. System prompts, tools' messages, hidden messages,
and a model's thoughts were not said, and are left out; so are conversations that the person wants not remembered.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from memory.intake.importers import fields
from memory.intake.importers.entries import Entry, ExcludedEntry, ExportFile, ExportPersons, Owners, UnreadableEntry
from memory.intake.importers.reading.json_elements import Element, elements
from memory.intake.importers.threads import ChatNode, ThreadDetails, conversation, oldest_first
from memory.intake.importers.times import moment
from schemas.text import source_marks

FILES = r"conversations[-_ ()\d]*\.json"
PATHS = [()]
KEYS = ["mapping"]
# A message, or a part of one, without a type has its words in the same places.
SPOKEN = {"text", "multimodal_text", "audio_transcription", None}
# The calls of a tool that has its texts shown to the person as an answer.
CANVAS = ("canmore.create_textdoc", "canmore.update_textdoc")
NO_TALK = "messages of the system, of tools, hidden, or without words"
THOUGHT = "analysis"


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield the conversations of a file."""
    owners = Owners(names, "conversations")
    for element in elements(file.content, PATHS, KEYS, fields.CHAT_OWNERS):
        if not isinstance(element, Element):
            yield element
            continue
        owner = fields.nearest(element, fields.CHAT_OWNERS)
        another = owners.of_another(f"conversation {element.number}", owner, element.value)
        yield another or _conversation(element, file, names)


def _conversation(element: Element, file: ExportFile, names: ExportPersons) -> Entry:
    place, exported = f"conversation {element.number}", element.value
    nodes = exported.get("mapping")
    if not isinstance(nodes, dict):
        return UnreadableEntry(place, "it has no `mapping`", exported)
    if (reason := fields.not_remembered(exported)) is not None:
        return ExcludedEntry(reason)
    id_ = fields.first(exported, ("conversation_id", "id"))
    bad: list[UnreadableEntry] = []
    left_out: Counter[str] = Counter()
    turns: list[ChatNode] = []
    parents = _parents(nodes)
    for node_id, node in nodes.items():
        message = node.get("message") if isinstance(node, dict) else None
        one = _said(node_id, message or {}, parents.get(node_id))
        turns.append(one)
        if message is None:
            continue
        if not isinstance(message, dict) or _author(message) is None:
            bad.append(UnreadableEntry(f"{place}, message {node_id[:36]}", "it has no author", node))
        elif one.text is None:
            left_out[NO_TALK] += 1
    begins = moment(exported.get("create_time")) or file.modified
    chat = ThreadDetails(
        "chatgpt",
        id_ or next(iter(nodes), place),
        begins,
        fields.first(exported, ("current_node",)),
        in_line=False,
    )
    return conversation(chat, turns if parents else oldest_first(turns), names, bad, left_out)


def _parents(nodes: Mapping[str, Any]) -> dict[str, str]:
    """The parents of nodes, as they name them, or as those name their children."""
    found = {}
    for id_, node in nodes.items():
        for child in node.get("children") or () if isinstance(node, dict) else ():
            if isinstance(child, str | int):
                found[str(child)] = id_
    named = {id_: fields.first(node, ("parent",)) for id_, node in nodes.items() if isinstance(node, dict)}
    return found | {id_: parent for id_, parent in named.items() if parent is not None}


def _said(node_id: str, message: Any, parent: str | None) -> ChatNode:
    message = message if isinstance(message, dict) else {}
    return ChatNode(
        id=str(message.get("id") or node_id),
        is_user=_author(message) == "user",
        text=_text(message),
        at=moment(message.get("create_time")),
        key=node_id,
        parent=parent,
    )


def _author(message: Mapping[str, Any]) -> str | None:
    author = message.get("author")
    role = author.get("role") if isinstance(author, dict) else author or message.get("role")
    return role.casefold() if isinstance(role, str) else None


def _text(message: Mapping[str, Any]) -> str | None:
    """Return the words of a person or the model; None if the message has none for the other."""
    content, metadata = message.get("content"), message.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    recipient = message.get("recipient") or "all"
    report = _report(metadata)
    if report is not None and (text := _text(report)) is not None:
        return text
    is_unsaid = message.get("channel") == THOUGHT or fields.is_unsaid(message)
    if is_unsaid or _author(message) not in {"user", "assistant"}:
        return None
    if recipient in CANVAS:
        return _document(content)
    if recipient != "all":
        return None
    if isinstance(content, str | list):
        content = {"parts": content}
    if not isinstance(content, dict) or content.get("content_type") not in SPOKEN:
        return None
    parts = content.get("parts")
    texts = [_part(part) for part in (parts if isinstance(parts, list) else [parts or content.get("text")])]
    text = "\n".join(text for text in texts if text.strip())
    if _author(message) == "assistant":
        text = source_marks.of_chatgpt(text, metadata.get("content_references"))
    return text if text.strip() else None


def _document(content: Any) -> str | None:
    """Return the text that the model writes on a canvas, or replaces its content with; None for code."""
    content = content if isinstance(content, dict) else {}
    parts = content.get("parts")
    called = _object(content.get("text") or "".join(map(_part, parts if isinstance(parts, list) else [parts])))
    changes = called.get("updates")
    whole = [one for one in changes if isinstance(one, dict)] if isinstance(changes, list) else []
    texts = [one.get("replacement") for one in whole if one.get("pattern") == ".*"]
    texts += [called.get("content")] if called.get("type") == "document" else []
    text = next((text for text in texts if isinstance(text, str)), "")
    return text if text.strip() else None


def _report(metadata: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the message with the report of a research, which the program keeps in the state of its widget."""
    report = _object(_object(metadata.get("chatgpt_sdk")).get("widget_state")).get("report_message")
    return report if isinstance(report, dict) else None


def _object(value: Any) -> dict[str, Any]:
    """An object, also one that is written as a text; an empty one if it is none."""
    try:
        read_in = json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return {}
    return read_in if isinstance(read_in, dict) else {}


def _part(part: Any) -> str:
    """Return a part's words: text, or the transcript of speech; nothing for an image."""
    if isinstance(part, dict):
        part = part.get("text") if part.get("content_type") in SPOKEN else None
    return part if isinstance(part, str) else ""
