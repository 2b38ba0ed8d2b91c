"""The memory integrator: what a Being has in mind at a turn, region by region, ready to be sent to a model.

What changes least stands first (DESIGN section 9), so that a model's cache serves it; what varies stands beside the
message that it is for, behind the conversation, which only grows at its end.
"""

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any
from uuid import UUID

from memory import activation, context_blocks, context_shapes, profiles, receipts
from memory.context_blocks import Block
from memory.context_budget import over
from memory.context_recall import Minded, come_to_mind, understood
from memory.regions import DEFAULT, Entry, WorkingMemory
from memory.vault_blocks import build_snapshot_block
from providers.embedders import Embedders
from providers.tokens import estimated_tokens
from schemas.context import Context, HowToAssemble, MindEntry, Profile, RegionReport
from schemas.limits import (
    DIARY_DAYS,
    RECENT_NODES,
    SNAPSHOT_NOTE_TOKENS,
    SNAPSHOT_NOTES,
)
from schemas.rows import Being, Role
from schemas.settings import Settings
from store import context as material
from store import fact_vectors, persona, souls, working_memory
from store.context import KeptNote, OpenSession
from store.database import Store
from store.transaction import Transaction

CONVERSATION = "conversation"


@dataclass(frozen=True)
class Wanted:
    """What a context is for.

    Attributes:
        how: Process, budget and form.
        message: What is said now; None where nothing is.
        message_id: Its id, where it was taken in.
        role: Who says it.
        speaker: Their name, where it is known.
        session_id: The conversation; None for that of the message, else for the open one.
    """

    how: HowToAssemble
    message: str | None = None
    message_id: UUID | None = None
    session_id: UUID | None = None
    role: Role = "user"
    speaker: str | None = None


@dataclass(frozen=True)
class Occasion:
    """What a context is for, and what that is looked up by.

    Attributes:
        wanted: What it is for.
        profile: Which regions it has.
        session: The conversation, if there is one.
        facts_model: The model whose vectors serve the user's facts; None until there are any.
    """

    wanted: Wanted
    profile: Profile
    session: OpenSession | None
    facts_model: str | None


def assemble(
    store: Store, embedders: Embedders, settings: Settings, being: Being, wanted: Wanted, chance: random.Random
) -> Context:
    """Assemble a context, and leave a receipt of what it shows.

    Args:
        store: The ledger.
        embedders: Who embeds what is said, to recall by it.
        settings: How facts are ranked.
        being: Whose context it is.
        wanted: What it is for.
        chance: Shuffles what comes to mind.

    Raises:
        NotFound: There is no such process or session.
    """
    with store.transaction() as tx:
        occasion = occasion_of(tx, being, profiles.find(tx, being.being_id, wanted.how.process), wanted)
    return assemble_for(store, embedders, settings, being, occasion, chance)


def occasion_of(tx: Transaction, being: Being, profile: Profile, wanted: Wanted) -> Occasion:
    """Look up what has to be known before anything is embedded.

    Raises:
        NotFound: There is no such session.
    """
    session = material.session(tx, being.being_id, wanted.session_id, wanted.message_id)
    return Occasion(wanted, profile, session, fact_vectors.serving(tx, being.user_id))


def assemble_for(
    store: Store, embedders: Embedders, settings: Settings, being: Being, occasion: Occasion, chance: random.Random
) -> Context:
    """Assemble a context as `assemble` does, for what has been looked up."""
    wanted, profile = occasion.wanted, occasion.profile
    sought = wanted.message if profile.others or "rag-context" in profile.regions else None
    said = understood(embedders, being, sought, occasion.facts_model)
    with store.transaction() as tx:
        minded = come_to_mind(tx, settings, being, said, chance)
        context = _context(tx, being, occasion, _blocks(tx, being, occasion, minded))
        if wanted.how.activate:
            activation.activate(tx, being.being_id, minded.node_ids)
    return context.model_copy(
        update={
            "degraded": minded.degraded,
            "explanation": minded.explanation() if wanted.how.explain else None,
        }
    )


def current_snapshot(tx: Transaction, being: Being) -> Block | None:
    """Block 1-B as it is now; it is kept, with what it was made from, where that has changed."""
    notes, left_out = _fitting(material.kept_notes(tx, being.being_id, SNAPSHOT_NOTES))
    diary = material.recent_diary(tx, being.being_id, DIARY_DAYS)
    vault = build_snapshot_block(tx, being)
    block = context_blocks.snapshot(notes, diary, vault)
    made_from = {
        "notes": [str(note.note_id) for note in notes],
        "notes_left_out": [str(note.note_id) for note in left_out],
        "diary": [f"{entry.day}" for entry in diary],
        "vault": sha256(vault.encode()).hexdigest() if vault else None,
    }
    material.keep_snapshot(tx, being.being_id, block.entries[0].content if block else "", made_from)
    return block


def _blocks(tx: Transaction, being: Being, occasion: Occasion, minded: Minded) -> list[Block]:
    """Every region that the process sees and that holds something."""
    being_id, wanted, profile, session = being.being_id, occasion.wanted, occasion.profile, occasion.session
    lists = persona.listed(tx, being_id)
    mind: dict[str, list[MindEntry]] = {}
    for entry in working_memory.entries(tx, being_id):
        mind.setdefault(entry.region, []).append(entry)
    before, answered = _parted(mind.pop(CONVERSATION, []), wanted)
    now = context_blocks.heard(answered) if answered else _unheard(wanted)
    default = mind.pop(DEFAULT, [])
    first = session is None or not session.answered
    session_id = session.session_id if session else None
    fillers: dict[str, Callable[[], Block | None]] = {
        "core": lambda: context_blocks.core(being, souls.get(tx, being_id), lists),
        "instructions": lambda: context_blocks.instructions(profile.instructions),
        "snapshot": lambda: current_snapshot(tx, being),
        "conversation": lambda: context_blocks.conversation(before),
        "skills": lambda: context_blocks.skills(lists) if first else None,
        "user-model": lambda: _user_model(tx, being, session),
        "summary": lambda: context_blocks.summary(material.summaries(tx, being_id, being.user_id, session_id)),
        "context": lambda: context_blocks.state(persona.state(tx, being_id)),
        "recent-nodes": lambda: context_blocks.recent(material.recent_nodes(tx, being_id, RECENT_NODES)),
        "rag-context": lambda: context_blocks.recalled(minded.parts()),
        "default": lambda: context_blocks.default(default, now),
        **{region: partial(context_blocks.of_callers, region, entries) for region, entries in mind.items()},
    }
    seen = [fill for region, fill in fillers.items() if profile.others or region in profile.regions]
    return [block for fill in seen if (block := fill())]


def _parted(said: list[MindEntry], wanted: Wanted) -> tuple[list[MindEntry], MindEntry | None]:
    """The conversation before the message that is answered, and that message, where it was taken in."""
    if wanted.message_id is None and said and said[-1].role == "user" and said[-1].content == wanted.message:
        return said[:-1], said[-1]
    now = next((entry for entry in said if entry.message_id and entry.message_id == wanted.message_id), None)
    return [entry for entry in said if entry is not now], now


def _unheard(wanted: Wanted) -> Entry | None:
    """The message that is answered, where the conversation doesn't hold it: not taken in, or too old to be in mind."""
    return None if wanted.message is None else context_blocks.spoken(wanted.role, wanted.message, wanted.speaker)


def _user_model(tx: Transaction, being: Being, session: OpenSession | None) -> Block | None:
    """The user model, unless this session was shown the same one before."""
    model = persona.user_model(tx, being.user_id)
    if model is None or (session and session.user_model_shown == _hash(model.content)):
        return None
    return context_blocks.user_model(model.content)


def _context(tx: Transaction, being: Being, occasion: Occasion, blocks: Sequence[Block]) -> Context:
    """Keep the blocks to the budget, put them in order and in form, and leave a receipt."""
    wanted, profile, session = occasion.wanted, occasion.profile, occasion.session
    tokens = {block.region: sum(estimated_tokens(entry.content) for entry in block.entries) for block in blocks}
    dropped = over(tokens, wanted.how.budget_tokens)
    whole = WorkingMemory(order=tuple(profile.regions))
    for block in blocks:
        whole = whole.with_region(block.region, *block.entries)
    entries = whole.without_regions(*dropped).assemble()
    shown = [block for block in blocks if block.region not in dropped]
    if session and any(block.region == "user-model" for block in shown):
        (piece,) = next(block.pieces for block in shown if block.region == "user-model")
        material.show_user_model(tx, being.being_id, session.session_id, _hash(piece))
    total = sum(tokens[block.region] for block in shown)
    return Context(
        context_id=receipts.keep(
            tx, being.being_id, profile.process, [piece for block in shown for piece in block.pieces]
        ),
        process=profile.process,
        session_id=session.session_id if session else None,
        **_shaped(wanted, entries, frozenset(block.region for block in blocks if block.stable)),
        tokens=total,
        over_budget=total > wanted.how.budget_tokens,
        degraded=False,
        regions=[_report(block, tokens, dropped) for name in whole.regions for block in blocks if block.region == name],
        dropped=dropped,
    )


def _shaped(wanted: Wanted, entries: Sequence[Entry], stable: frozenset[str]) -> dict[str, Any]:
    match wanted.how.format:
        case "text":
            return {"text": context_shapes.text(entries)}
        case "openai":
            return {"messages": context_shapes.openai(entries)}
        case "anthropic":
            system, messages = context_shapes.anthropic(entries, stable)
            return {"system": system, "messages": messages}


def _report(block: Block, tokens: dict[str, int], dropped: Iterable[str]) -> RegionReport:
    return RegionReport(
        region=block.region,
        origin=block.origin,
        entries=len(block.entries),
        tokens=tokens[block.region],
        stable=block.stable,
        dropped="the budget had no room for it beside what is missed more" if block.region in dropped else None,
    )


def _fitting(notes: Sequence[KeptNote]) -> tuple[list[KeptNote], list[KeptNote]]:
    """The newest notes that there is room for, and those that are left out, both oldest first."""
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
