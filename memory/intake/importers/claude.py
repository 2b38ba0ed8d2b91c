"""Reads a Claude export: conversations with their messages in order, Claude's memories, and projects.

Where messages name their parents, those beside the branch of the current leaf (or of the newest message) are
retracted. A model's thoughts, its tools' calls and their results were not said, and are left out. Claude's memories of
the person, and the documents of projects, are kept as knowledge; instructions are for a model.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from memory.intake.importers import fields, speech
from memory.intake.importers.entries import (
    Entry,
    ExcludedEntry,
    ExportFile,
    ExportPersons,
    Knowledge,
    Owners,
    UnreadableEntry,
    entry_id,
)
from memory.intake.importers.reading.json_elements import Element, elements
from memory.intake.importers.threads import ChatNode, ThreadDetails, conversation, oldest_first
from memory.intake.importers.times import moment
from schemas.text import source_marks

# Newer exports have files that are named by the ids of their contents.
FILES = r"(conversations|memories|projects|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})[-_ ()\d]*\.json"
PATHS = [()]
MEMORIES = ("conversations_memory", "project_memories", "memory_files")
PROJECT = ("docs", "prompt_template")
# Chats, and those about designs.
MESSAGES = ("chat_messages", "messages")
KEYS = [*MESSAGES, *MEMORIES, *PROJECT]
OWNERS = (*fields.CHAT_OWNERS, "account_uuid")
ABOUT = (*OWNERS, *fields.TELL_OWNER)
# The blocks of a message in which something is said.
SPOKEN = {"text", "voice_note"}
THINKING = "thinking"
# The tool with which the model writes documents, and the types of those that a person reads as an answer.
ARTIFACTS = "artifacts"
DOCUMENTS = {"text/markdown", "text/plain"}
# How the program names a long text that the person has pasted, and that it keeps as an attachment.
_PASTED = re.compile(r"(?:pasted?(?:[ _-](?:text|content))?(?:-\d{1,4})?\.txt)?", re.IGNORECASE)
# Texts of projects that neither of the two says.
UNSAID = {"prompt_template": "instructions of projects", "description": "descriptions of projects"}
NO_WORDS = "messages without words"


def read(file: ExportFile, names: ExportPersons) -> Iterator[Entry]:
    """Yield the conversations of a file."""
    owners = Owners(names, "conversations")
    for element in elements(file.content, PATHS, KEYS, ABOUT):
        if not isinstance(element, Element):
            yield element
            continue
        is_chat = next((key in MESSAGES for key in KEYS if key in element.value), True)
        place = f"{'conversation' if is_chat else 'entry'} {element.number}"
        another = owners.of_another(place, _owner(element), element.value)
        if another is not None:
            yield another
        elif is_chat:
            yield _conversation(element, file, names)
        else:
            yield from _knowledge(place, element.value)


def _owner(element: Element) -> str | None:
    """Return the owner of a conversation, of Claude's memories, or of a project."""
    creator = element.value.get("creator")
    made_by = fields.first(creator, fields.OWNER_IDS) if isinstance(creator, dict) else None
    return fields.owner(element, OWNERS) or made_by


def _knowledge(place: str, exported: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield Claude's memories of the person and of projects, and the documents of a project."""
    of_projects = exported.get("project_memories")
    projects = list(of_projects.values()) if isinstance(of_projects, dict) else []
    remembered = [("What Claude remembers", exported.get("conversations_memory"))]
    remembered += [("What Claude remembers of a project", text) for text in projects]
    yield from _kept(place, remembered, in_snapshot=True)
    # The files of its memories, and those of a project.
    for name, in_snapshot in ((MEMORIES[-1], True), (PROJECT[0], False)):
        files = [one for one in value if isinstance(one, dict)] if isinstance(value := exported.get(name), list) else []
        titles = [(exported.get("name"), one.get("path") or one.get("filename")) for one in files]
        named = [" / ".join(str(part) for part in title if part) or "A document" for title in titles]
        texts = zip(named, (one.get("content") for one in files), strict=True)
        yield from _kept(place, texts, in_snapshot=in_snapshot)
    yield from (ExcludedEntry(reason) for name, reason in UNSAID.items() if exported.get(name))


def _kept(place: str, remembered: Iterable[tuple[str, Any]], *, in_snapshot: bool) -> Iterator[Knowledge]:
    for title, text in remembered:
        if isinstance(text, str) and text.strip():
            # Known by its words: one that was changed is another one.
            digest = hashlib.sha256(f"{title}\0{text}".encode(errors="replace")).hexdigest()
            yield Knowledge(place, entry_id("claude", digest), title, text, in_snapshot)


def _conversation(element: Element, file: ExportFile, names: ExportPersons) -> Entry:
    place, exported = f"conversation {element.number}", element.value
    messages = next((exported[name] for name in MESSAGES if name in exported), None)
    id_ = fields.first(exported, ("uuid", "id"))
    if not isinstance(messages, list) or id_ is None:
        return UnreadableEntry(place, "it has no `chat_messages`, or no `uuid`", exported)
    if (reason := fields.not_remembered(exported)) is not None:
        return ExcludedEntry(reason)
    bad: list[UnreadableEntry] = []
    left_out: Counter[str] = Counter()
    turns: list[ChatNode] = []
    for number, message in enumerate(messages, 1):
        side = speech.side(message) if isinstance(message, dict) else None
        if not isinstance(message, dict) or side is None:
            bad.append(UnreadableEntry(f"{place}, message {number}", "it has no known `sender`", message))
            continue
        uuid = fields.first(message, ("uuid", "id"))
        text = None if side == "neither" else _text(message, is_user=side == "user")
        left_out[NO_WORDS] += text is None
        turns.append(
            ChatNode(
                id=uuid or f"{id_}/{number}",
                is_user=side == "user",
                text=text,
                at=moment(message.get("created_at")),
                key=uuid,
                parent=fields.first(message, ("parent_message_uuid",)),
            )
        )
    leaf = fields.first(exported, ("current_leaf_message_uuid",))
    begins = moment(exported.get("created_at")) or file.modified
    chat = ThreadDetails("claude", id_, begins, leaf)
    return conversation(chat, oldest_first(turns), names, bad, +left_out)


def _text(message: Mapping[str, Any], *, is_user: bool) -> str | None:
    """Return the words of a message: the blocks of text, else `text`, and pasted texts; None if there are none.

    Beside a block of thinking `text` may hold the model's thoughts.
    """
    blocks = message.get("content")
    if isinstance(blocks, dict):
        # A message about a design.
        blocks = blocks.get("contentBlocks") or blocks.get("content")
    if isinstance(blocks, str):
        blocks = [{"type": "text", "text": blocks}]
    blocks = [block for block in (blocks if isinstance(blocks, list) else []) if isinstance(block, dict)]
    texts = [text for block in blocks if isinstance(text := _said(block), str)]
    is_thought = not is_user and any(str(block.get("type")).endswith(THINKING) for block in blocks)
    if not any(text.strip() for text in texts) and not is_thought and isinstance(message.get("text"), str):
        texts = [message["text"]]
    text = "\n".join(text for text in (*texts, *(_pasted(message) if is_user else ())) if text.strip())
    if not is_user:
        text = source_marks.of_claude(text).strip()
    return text if text.strip() else None


def _said(block: Mapping[str, Any]) -> Any:
    """The words of a block, of a document that is written as a whole its text; None if it has none."""
    if block.get("type") in SPOKEN:
        return block.get("text")
    written = block.get("input") if block.get("type") == "tool_use" and block.get("name") == ARTIFACTS else None
    return written.get("content") if isinstance(written, dict) and written.get("type") in DOCUMENTS else None


def _pasted(message: Mapping[str, Any]) -> Iterator[str]:
    """The texts that a person has pasted into a message; other attachments are files."""
    attachments = message.get("attachments")
    for one in attachments if isinstance(attachments, list) else ():
        name, text = (one.get("file_name"), one.get("extracted_content")) if isinstance(one, dict) else (None, None)
        if isinstance(text, str) and _PASTED.fullmatch(str(name or "")):
            yield text
