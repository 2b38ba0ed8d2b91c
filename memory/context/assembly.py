"""The memory integrator: fills the regions of a prompt for one turn, and puts them in order and in form.

Regions that change least come first (DESIGN section 9), so that the provider's prompt cache serves them. Regions that
vary come after the conversation, which only grows at its end.
"""

import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from memory.context import blocks as context_blocks
from memory.context import formats, profiles
from memory.context.blocks import Block
from memory.context.budget import dropped_regions
from memory.context.elapsed_time import last_said_before, present_time
from memory.context.regions import DEFAULT, Entry, WorkingMemory
from memory.context.retrieval import EarlyVector, Retrieval, embed_message, passage_finder, retrieve
from memory.nodes import activation
from memory.talk import context_provenance
from memory.vault.blocks import build_memory_block, build_snapshot_block
from providers.embedders import Embedders
from providers.tokens import estimated_tokens
from schemas.accounts.accounts import Being
from schemas.context.context import AssemblyOptions, Context, Profile, RegionReport, WorkingMemoryEntry
from schemas.limits import (
    DIARY_DAYS,
    RECENT_NODES,
    SNAPSHOT_NOTE_TOKENS,
    SNAPSHOT_NOTES,
    SNAPSHOT_TODOS,
)
from schemas.settings import Settings
from schemas.talk.messages import Role
from store.context import context as material
from store.context import persona, souls, working_memory
from store.context.context import KeptNote, OpenSession
from store.database import Store
from store.facts import todos, vectors
from store.search import documents
from store.search.scope import plan_once
from store.transaction import Transaction, commit_soon

CONVERSATION = "conversation"
RETRIEVED = "rag-context"
KEPT = ("skills", "user-model")


Filled = Mapping[str, Block | None]
"""The block of each region, None where it has no content."""

# Among so many messages that came last, the one to be answered is looked for by its words if its id was not given.
JUST_STORED = 8


@dataclass(frozen=True)
class AssemblyRequest:
    """What one context is requested for.

    Attributes:
        options: Process, budget and form.
        message: The message that the answer is for; None if there is none.
        message_id: Its id, if it is stored.
        role: The role of its speaker.
        speaker: The speaker's name, if known.
        session_id: The session; None selects the message's session, else the open one.
        reassembled: True if the prompt is assembled anew for each turn, and does not stay in the model's session.
        shown: Messages that the caller's own prompt shows; what rests on these alone is not repeated.
        inserted: True if the context goes into a prompt of the caller's as system content: `text` is what it says,
            without the conversation and the message.
        embedded: Waits for a vector that is computed meanwhile; used if it is the message's.
        recorded: Called with the text when what it shows is recorded; its nodes are activated after that.
    """

    options: AssemblyOptions
    message: str | None = None
    message_id: UUID | None = None
    session_id: UUID | None = None
    role: Role = "user"
    speaker: str | None = None
    reassembled: bool = False
    shown: frozenset[UUID] = frozenset()
    inserted: bool = False
    embedded: Callable[[], EarlyVector | None] | None = None
    recorded: Callable[[str], None] | None = None


@dataclass(frozen=True)
class PreparedAssembly:
    """A request together with the rows that must be read before its message is embedded.

    Attributes:
        request: The request.
        profile: The process profile, which names the regions.
        session: The session, if there is one.
        facts_model: The model whose vectors serve the user's facts; None until facts have vectors.
        talk_model: The model whose vectors serve what was said to the Being; None until there are any.
    """

    request: AssemblyRequest
    profile: Profile
    session: OpenSession | None
    facts_model: str | None
    talk_model: str | None

    def includes(self, region: str) -> bool:
        """Returns true if the context has this region."""
        return self.profile.includes(region) and not (self.request.inserted and region == CONVERSATION)

    @property
    def kept(self) -> Collection[str]:
        """The regions that are shown though this session has seen them before (DESIGN section 9, `keep`)."""
        if self.profile.keep is not None:
            return self.profile.keep
        return KEPT if self.request.reassembled else ()

    @property
    def order(self) -> tuple[str, ...]:
        """The order of regions; default profiles put kept ones before the snapshot, where a cache serves them."""
        regions = self.profile.regions
        if not self.profile.is_default:
            return tuple(regions)
        kept = [name for name in regions if name in self.kept]
        rest = [name for name in regions if name not in kept]
        place = next((place for place, name in enumerate(rest) if name in {"snapshot", CONVERSATION}), len(rest))
        return (*rest[:place], *kept, *rest[place:])


def assemble(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    request: AssemblyRequest,
    chance: random.Random,
) -> Context:
    """Assemble a context and record its provenance; with `activate: false` nothing is written.

    Args:
        store: The ledger.
        embedders: Embed the message, so that nodes and facts are retrieved by it.
        settings: The weights of fact ranking.
        being: The Being that will answer.
        request: What the context is for.
        chance: Shuffles the fragments of recalled nodes.

    Raises:
        NotFound: There is no such process or session.
    """
    with store.transaction() as tx:
        prepared = prepare(tx, being, profiles.find(tx, being.being_id, request.options.process), request)
        plan_once(tx)
        filled = _filled(tx, being, prepared)
    return assemble_prepared(store, embedders, settings, being, prepared, chance, filled)


def prepare(tx: Transaction, being: Being, profile: Profile, request: AssemblyRequest) -> PreparedAssembly:
    """Read the session and the models of facts and talk, before the message is embedded without a connection.

    Raises:
        NotFound: There is no such session.
    """
    session = material.session(tx, being.being_id, request.session_id, request.message_id)
    indexed = documents.owner(tx, being.being_id)
    talk_model = indexed.embedding_model if indexed else None
    return PreparedAssembly(request, profile, session, vectors.serving_model(tx, being.user_id), talk_model)


def assemble_prepared(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    prepared: PreparedAssembly,
    chance: random.Random,
    filled: Filled | None = None,
) -> Context:
    """Assemble a context as `assemble` does, from a request that `prepare` has completed.

    Args:
        store: The ledger.
        embedders: As `assemble`.
        settings: As `assemble`.
        being: The Being that will answer.
        prepared: The request.
        chance: As `assemble`.
        filled: The regions that need no vector, if they are filled already.
    """
    request, profile = prepared.request, prepared.profile
    retrieves = profile.includes(RETRIEVED)
    message = embed_message(
        embedders,
        being,
        request.message if retrieves else None,
        prepared.facts_model,
        prepared.talk_model,
        request.embedded,
    )
    # The longest read of all goes on beside the others.
    passages = store.beside(passage_finder(being, message)) if message else None
    with store.transaction() as tx:
        if request.inserted:
            # The answer to it is stored by a later commit, which makes this one durable too.
            commit_soon(tx)
        plan_once(tx)
        shown = _shown(tx, being, prepared)
        filled = filled if filled is not None else _filled(tx, being, prepared)
        found = Retrieval()
        if retrieves:
            found = retrieve(tx, settings, being, message, chance, shown, request.shown, passages)
        context = _context(tx, being, prepared, _blocks(prepared, filled, found), found)
    if request.recorded is not None:
        request.recorded(context.text or "")
    if request.options.activate and found.node_ids:
        # In a transaction of its own: activating locks the Being, which comes before what a context has written.
        with store.transaction() as tx:
            activation.activate(tx, being.being_id, found.node_ids)
    return context.model_copy(
        update={
            "degraded": found.degraded,
            "explanation": found.explanation() if request.options.explain else None,
        }
    )


def _shown(tx: Transaction, being: Being, prepared: PreparedAssembly) -> set[UUID]:
    """The messages that the prompt shows as they are: the conversation's, the caller's, and the one to be answered."""
    request = prepared.request
    shown = {request.message_id, *request.shown} - {None}
    if request.message and request.message_id is None:
        # A frontend hands its message in and asks for a context beside that: the message is no memory for itself.
        newest = material.newest_messages(tx, being.being_id, JUST_STORED)
        shown |= {message_id for message_id, content in newest if content.strip() == request.message.strip()}
    if prepared.includes(CONVERSATION):
        shown |= {entry.message_id for entry in working_memory.entries(tx, being.being_id)}
    return {message_id for message_id in shown if message_id is not None}


def current_snapshot(tx: Transaction, being: Being, *, store: bool = True) -> Block | None:
    """Block 1-B as it is now; with `store` kept together with the ids it was made from, if it has changed."""
    notes, left_out = _fitting(material.kept_notes(tx, being.being_id, SNAPSHOT_NOTES))
    diary = material.recent_diary(tx, being.being_id, DIARY_DAYS)
    vault = build_snapshot_block(tx, being)
    open_todos = todos.page(tx, being.being_id, limit=SNAPSHOT_TODOS)
    block = context_blocks.snapshot(notes, open_todos, diary, vault)
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


def _filled(tx: Transaction, being: Being, prepared: PreparedAssembly) -> Filled:
    """Every region of the profile, in their order, without what is retrieved."""
    being_id, request, profile, session = being.being_id, prepared.request, prepared.profile, prepared.session
    lists = persona.listed(tx, being_id)
    by_region: dict[str, list[WorkingMemoryEntry]] = {}
    for entry in working_memory.entries(tx, being_id):
        by_region.setdefault(entry.region, []).append(entry)
    before, stored = _split_conversation(by_region.pop(CONVERSATION, []), request)
    now = context_blocks.stored_message(stored) if stored else _unstored_message(request)
    now = None if request.inserted else now
    default = by_region.pop(DEFAULT, [])
    first = session is None or not session.answered
    session_id = session.session_id if session else None
    fillers: dict[str, Callable[[], Block | None]] = {
        "core": lambda: context_blocks.core(being, souls.get(tx, being_id), lists),
        "instructions": lambda: context_blocks.instructions(profile),
        "snapshot": lambda: current_snapshot(tx, being, store=request.options.activate),
        "conversation": lambda: context_blocks.conversation(before),
        "skills": lambda: context_blocks.skills(lists) if first or "skills" in prepared.kept else None,
        "user-model": lambda: _user_model(tx, being, prepared),
        "summary": lambda: context_blocks.summary(material.summaries(tx, being_id, being.user_id, session_id)),
        "context": lambda: context_blocks.state(persona.state(tx, being_id)),
        "vault": lambda: context_blocks.vault(_relevant_records(tx, being, profile, request.message)),
        "recent-nodes": lambda: context_blocks.recent(material.recent_nodes(tx, being_id, RECENT_NODES)),
        RETRIEVED: lambda: None,
        "default": lambda: context_blocks.default(default, _present_time(tx, being, before, stored), now),
        **{region: partial(context_blocks.of_callers, region, entries) for region, entries in by_region.items()},
    }
    return {region: fill() for region, fill in fillers.items() if prepared.includes(region)}


def _blocks(prepared: PreparedAssembly, filled: Filled, found: Retrieval) -> list[Block]:
    """Every region of the profile that has content."""
    if RETRIEVED in filled:
        filled = {**filled, RETRIEVED: context_blocks.recalled(found.foundation_pieces(), found.pieces())}
    stable = prepared.kept if prepared.profile.is_default else ()
    blocks = [block for block in filled.values() if block]
    return [replace(block, stable=True) if block.region in stable else block for block in blocks]


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


def _relevant_records(tx: Transaction, being: Being, profile: Profile, message: str | None) -> str:
    """The block of vault records relevant to the message, without those that the region `snapshot` shows."""
    if not message:
        return ""
    return build_memory_block(tx, being, query=message, beside_snapshot=profile.includes("snapshot"))


def _user_model(tx: Transaction, being: Being, prepared: PreparedAssembly) -> Block | None:
    """The user model, unless this session has been shown the same text before and the region is not kept."""
    model = persona.user_model(tx, being.user_id)
    shown = prepared.session.shown_user_model_hash if prepared.session else None
    if model is None or ("user-model" not in prepared.kept and shown == _hash(model.content)):
        return None
    return context_blocks.user_model(model.content)


def _context(
    tx: Transaction, being: Being, prepared: PreparedAssembly, blocks: Sequence[Block], found: Retrieval
) -> Context:
    """Keep the blocks to the budget, put them in order and in form, and record their provenance."""
    request, profile, session = prepared.request, prepared.profile, prepared.session
    tokens = {block.region: sum(estimated_tokens(entry.content) for entry in block.entries) for block in blocks}
    dropped = dropped_regions(tokens, request.options.budget_tokens)
    if any(block.reduced and block.region in dropped for block in blocks):
        blocks = [block.reduced if block.reduced and block.region in dropped else block for block in blocks]
        return _context(tx, being, prepared, blocks, found)
    whole = WorkingMemory(order=prepared.order)
    for block in blocks:
        whole = whole.with_region(block.region, *block.entries)
    entries = whole.without_regions(*dropped).assemble()
    shown = [block for block in blocks if block.region not in dropped]
    context_id = None
    if request.options.activate:
        pieces = [piece for block in shown for piece in block.pieces]
        items = {block.region: block.ids for block in shown if block.ids}
        reasons = found.explanation() if any(block.region == RETRIEVED for block in shown) else {}
        context_id = context_provenance.record_context(
            tx, being.being_id, profile.process, pieces, items=items, reasons=reasons
        )
        if session:
            _mark_user_model_shown(tx, being, session, shown)
    total = sum(tokens[block.region] for block in shown)
    return Context(
        context_id=context_id,
        process=profile.process,
        session_id=session.session_id if session else None,
        **_formatted(request, entries, frozenset(block.region for block in blocks if block.stable)),
        tokens=total,
        over_budget=total > request.options.budget_tokens,
        degraded=False,
        regions=[_report(block, tokens, dropped) for name in whole.regions for block in blocks if block.region == name],
        dropped=dropped,
    )


def _mark_user_model_shown(tx: Transaction, being: Being, session: OpenSession, shown: Iterable[Block]) -> None:
    for hashed in (_hash(block.pieces[0]) for block in shown if block.region == "user-model"):
        if hashed != session.shown_user_model_hash:
            material.mark_user_model_shown(tx, being.being_id, session.session_id, hashed)


def _formatted(request: AssemblyRequest, entries: Sequence[Entry], stable: frozenset[str]) -> dict[str, Any]:
    if request.inserted:
        return {"text": formats.system(entries)}
    match request.options.format:
        case "text":
            return {"text": formats.text(entries)}
        case "openai":
            return {"messages": formats.openai(entries)}
        case "anthropic":
            system, messages = formats.anthropic(entries, stable)
            return {"system": system, "messages": messages}


def _report(block: Block, tokens: dict[str, int], dropped: Iterable[str]) -> RegionReport:
    return RegionReport(
        region=block.region,
        origin=block.origin,
        entries=len(block.entries),
        tokens=tokens[block.region],
        stable=block.stable,
        dropped="The token budget was used up by regions of higher priority." if block.region in dropped else None,
    )


def _fitting(notes: Sequence[KeptNote]) -> tuple[list[KeptNote], list[KeptNote]]:
    """The newest notes within the token limit, and those left out, both oldest first."""
    room = SNAPSHOT_NOTE_TOKENS
    shown: list[KeptNote] = []
    left_out: list[KeptNote] = []
    for note in reversed(notes):
        needed = estimated_tokens(note.content)
        (shown if needed <= room else left_out).append(note)
        room -= needed if needed <= room else 0
    return shown[::-1], left_out[::-1]


def _hash(text: str) -> bytes:
    return sha256(text.encode()).digest()
