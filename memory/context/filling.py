"""Fills the regions of a prompt, except the one for memory that the message retrieves."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from hashlib import sha256

from memory.context import blocks as context_blocks
from memory.context.assembly_request import CONVERSATION, AssemblyRequest, PreparedAssembly
from memory.context.blocks import Block
from memory.context.elapsed_time import last_said_before, present_time
from memory.context.regions import DEFAULT, Entry
from memory.nodes.scenes import text_hash
from memory.vault.prompt_blocks import build_memory_block, build_snapshot_block
from providers.tokens import estimated_tokens
from schemas.accounts.accounts import Being
from schemas.context.context import NewEntry, WorkingMemoryEntry
from schemas.limits import (
    DIARY_DAYS,
    RECENT_NODES,
    SNAPSHOT_NOTE_TOKENS,
    SNAPSHOT_NOTES,
    SNAPSHOT_TODO_AGE,
    SNAPSHOT_TODOS,
)
from store.context import context as material
from store.context import persona, souls, working_memory
from store.context.context import ContextNote
from store.facts import spoken_requests, todos
from store.transaction import Transaction

RETRIEVED = "rag-context"
# The most done requests of the user that one context reports.
REQUESTS_TOLD = 10

Filled = Mapping[str, Block | None]
"""The block of each region, None where it has no content."""


def current_snapshot(tx: Transaction, being: Being, *, store: bool = True) -> Block | None:
    """Build the current Block 1-B; with `store`, a changed one is stored with the ids that it was made from."""
    notes, left_out = _fitting(material.kept_notes(tx, being.being_id, SNAPSHOT_NOTES))
    diary = material.recent_diary(tx, being.being_id, DIARY_DAYS)
    vault = build_snapshot_block(tx, being)
    open_todos = todos.newest_open(tx, being.being_id, SNAPSHOT_TODOS, SNAPSHOT_TODO_AGE)
    now, _ = material.local_time(tx, being.user_id)
    block = context_blocks.snapshot(notes, open_todos, diary, vault, now)
    made_from = {
        "notes": [str(note.note_id) for note in notes],
        "notes_left_out": [str(note.note_id) for note in left_out],
        "todos": [str(todo.todo_id) for todo in open_todos],
        "diary": [f"{entry.day}" for entry in diary],
        "vault": sha256(vault.encode()).hexdigest() if vault else None,
    }
    if store:
        material.keep_snapshot(tx, being.being_id, block.entries[0].content if block else "", made_from)
    return block


def fill_regions(tx: Transaction, being: Being, prepared: PreparedAssembly) -> Filled:
    """Fill every region of the profile, in their order, except the one for retrieved memory."""
    being_id, request, profile, session = being.being_id, prepared.request, prepared.profile, prepared.session
    lists = persona.listed(tx, being_id)
    by_region: dict[str, list[WorkingMemoryEntry]] = {}
    for entry in working_memory.entries(tx, being_id, prepared.conversation):
        by_region.setdefault(entry.region, []).append(entry)
    before, stored = _split_conversation(by_region.pop(CONVERSATION, []), request)
    now = context_blocks.stored_message(stored) if stored else _unstored_message(request)
    now = None if request.inserted else now
    written: dict[str, Sequence[WorkingMemoryEntry | NewEntry]] = {**by_region, **request.options.with_regions}
    callers = {region: entries for region, entries in written.items() if entries}
    default = callers.pop(DEFAULT, [])
    first = session is None or not session.answered
    session_id = session.session_id if session else None
    fillers: dict[str, Callable[[], Block | None]] = {
        "core": lambda: context_blocks.core(being, souls.get(tx, being_id), lists),
        "instructions": lambda: context_blocks.instructions(profile),
        "snapshot": lambda: current_snapshot(tx, being, store=prepared.writes),
        "conversation": lambda: context_blocks.conversation(before),
        "skills": lambda: context_blocks.skills(lists) if first or "skills" in prepared.kept else None,
        "user-model": lambda: _user_model(tx, being, prepared),
        "summary": lambda: context_blocks.summary(
            material.summaries(tx, being_id, being.user_id, session_id),
            spoken_requests.unreported(tx, being_id, prepared.conversation, REQUESTS_TOLD),
        ),
        "context": lambda: context_blocks.state(souls.state(tx, being_id)),
        "vault": lambda: context_blocks.vault(_relevant_records(tx, being, prepared)),
        "recent-nodes": lambda: context_blocks.recent(material.recent_nodes(tx, being_id, RECENT_NODES)),
        RETRIEVED: lambda: None,
        "default": lambda: context_blocks.default(default, _present_time(tx, being, before, stored), now),
        **{region: partial(context_blocks.of_callers, region, entries) for region, entries in callers.items()},
    }
    return {region: fill() for region, fill in fillers.items() if prepared.includes(region)}


def _split_conversation(
    entries: list[WorkingMemoryEntry], request: AssemblyRequest
) -> tuple[list[WorkingMemoryEntry], WorkingMemoryEntry | None]:
    """The conversation without the message to be answered, and that message if it is stored."""
    last = entries[-1] if entries else None
    if request.message_id is None and last and last.role == "user" and last.content == request.message:
        return entries[:-1], last
    now = next((entry for entry in entries if entry.message_id and entry.message_id == request.message_id), None)
    return [entry for entry in entries if entry is not now], now


def _present_time(
    tx: Transaction, being: Being, before: Sequence[WorkingMemoryEntry], stored: WorkingMemoryEntry | None
) -> Entry:
    """The user's day and time, and how long ago the message before the one to be answered was."""
    now, zone = material.local_time(tx, being.user_id)
    return present_time(now, zone, last_said_before(before, stored))


def _unstored_message(request: AssemblyRequest) -> Entry | None:
    """The message to be answered, if the conversation region does not hold it: not stored, or already trimmed."""
    return None if request.message is None else context_blocks.message(request.role, request.message, request.speaker)


def _relevant_records(tx: Transaction, being: Being, prepared: PreparedAssembly) -> str:
    """The block of vault records relevant to the message, without those that the region `snapshot` shows."""
    if not prepared.request.message:
        return ""
    beside_snapshot = prepared.includes("snapshot")
    return build_memory_block(tx, being, query=prepared.request.message, beside_snapshot=beside_snapshot)


def _user_model(tx: Transaction, being: Being, prepared: PreparedAssembly) -> Block | None:
    """The user model, unless this session has been shown the same text before and the region is not kept."""
    model = persona.user_model(tx, being.user_id, being.being_id)
    shown = prepared.session.shown_user_model_hash if prepared.session else None
    if model is None or ("user-model" not in prepared.kept and shown == text_hash(model.content)):
        return None
    return context_blocks.user_model(model.content)


def _fitting(notes: Sequence[ContextNote]) -> tuple[list[ContextNote], list[ContextNote]]:
    """The newest notes within the token limit, and those left out, both oldest first."""
    room = SNAPSHOT_NOTE_TOKENS
    shown: list[ContextNote] = []
    left_out: list[ContextNote] = []
    for note in reversed(notes):
        needed = estimated_tokens(note.content)
        (shown if needed <= room else left_out).append(note)
        room -= needed if needed <= room else 0
    return shown[::-1], left_out[::-1]
