"""The memory integrator: fills the regions of a prompt for one turn, and puts them in order and in form.

Regions that change least come first (DESIGN section 9), so that the provider's prompt cache serves them. Regions that
vary come after the conversation, which only grows at its end.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from memory.context import blocks as context_blocks
from memory.context import formats, profiles
from memory.context.assembly_request import CONVERSATION, AssemblyRequest, PreparedAssembly, prepare
from memory.context.blocks import Block
from memory.context.filling import RETRIEVED, Filled, fill_regions
from memory.context.rag_context import Retrieval, embed_message, passage_finder
from memory.context.regions import Entry, WorkingMemory
from memory.context.selection import retrieve
from memory.nodes import activation
from memory.nodes.scenes import text_hash
from memory.talk import context_provenance
from providers.embedders import Embedders
from providers.tokens import estimated_tokens
from schemas.accounts.accounts import Being
from schemas.context.context import Context, RegionReport, WorkingMemoryEntry
from schemas.limits import CONTEXT_TOKENS
from schemas.settings import Settings
from store.context import context as material
from store.context import working_memory
from store.context.context import OpenSession
from store.database import Store
from store.facts import spoken_requests
from store.search.scope import plan_once
from store.transaction import Transaction, commit_soon

# The number of last messages among which the message to be answered is looked for by its words, if it has no id.
JUST_STORED = 8
# The tags and heading of `rag-context`, and a fact or two.
LEAST_ROOM = 50
# Highest priority first. Regions that callers wrote rank between the two groups below.
NEVER_DROPPED = ("instructions", "core", "default")
BEFORE_CALLERS = ("snapshot", "conversation", "vault", "rag-context", "summary", "context")
AFTER_CALLERS = ("user-model", "skills", "recent-nodes")


def assemble(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    request: AssemblyRequest,
    chance: random.Random,
) -> Context:
    """Assemble a context and record its provenance; with `activate: false`, or off the record, nothing is written.

    Args:
        embedders: Embed the message, so that nodes and facts are retrieved by it.
        settings: The weights of fact ranking.
        being: The Being that will answer.
        request: The request.
        chance: Shuffles the fragments of recalled nodes.

    Raises:
        NotFound: There is no such process or session.
    """
    with store.transaction() as tx:
        prepared = prepare(tx, being, profiles.find(tx, being.being_id, request.options.process), request)
    return assemble_prepared(store, embedders, settings, being, prepared, chance)


def assemble_prepared(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being: Being,
    prepared: PreparedAssembly,
    chance: random.Random,
) -> Context:
    """Assemble a context as `assemble` does, from a request that `prepare` has completed.

    Args:
        embedders: As `assemble`.
        settings: As `assemble`.
        being: The Being that will answer.
        prepared: The request.
        chance: As `assemble`.
    """
    request = prepared.request
    message = embed_message(
        embedders,
        being,
        _retrieved_by(prepared),
        prepared.facts_model,
        prepared.talk_model,
        request.embedded,
    )
    # The longest read of all goes on beside the others.
    passages = store.begin_read(passage_finder(being, message)) if message else None
    with store.transaction() as tx:
        if request.inserted:
            # The answer to it is stored by a later commit, which makes this one durable too.
            commit_soon(tx)
        plan_once(tx)
        shown = _shown(tx, being, prepared)
        filled = fill_regions(tx, being, prepared)
        found = Retrieval()
        if prepared.includes(RETRIEVED):
            room = _room(settings, prepared, filled)
            found = retrieve(tx, settings, being, message, chance, room, shown, request.shown, passages)
        context, inserted = _context(tx, being, prepared, _blocks(prepared, filled, found), found)
    if request.recorded is not None:
        request.recorded(*inserted)
    if prepared.writes and found.node_ids:
        # In a transaction of its own: activation locks the Being, which the order of locks puts before contexts' rows.
        store.run(activation.activate, being.being_id, found.node_ids)
    return context.model_copy(
        update={
            "degraded": found.degraded,
            "explanation": found.explanation_with_texts() if request.options.explain else None,
        }
    )


def _retrieved_by(prepared: PreparedAssembly) -> str | None:
    """The question by which memories are retrieved; None if the context shows none."""
    return prepared.request.message if prepared.includes(RETRIEVED) else None


def _shown(tx: Transaction, being: Being, prepared: PreparedAssembly) -> set[UUID]:
    """Return the messages that the prompt shows whole: the conversation's, the caller's, and the one to be answered."""
    request = prepared.request
    shown = {request.message_id, *request.shown}
    if prepared.includes(CONVERSATION):
        shown |= {entry.message_id for entry in _conversation_entries(tx, being, prepared)}
    elif request.message and request.message_id is None:
        # A frontend hands its message in and asks for a context beside that: the message is no memory for itself.
        newest = _conversation_entries(tx, being, prepared)[-JUST_STORED:]
        shown |= {entry.message_id for entry in newest if entry.content.strip() == request.message.strip()}
    return {message_id for message_id in shown if message_id is not None}


def _conversation_entries(tx: Transaction, being: Being, prepared: PreparedAssembly) -> list[WorkingMemoryEntry]:
    """The last messages of the conversation, oldest first."""
    entries = working_memory.entries(tx, being.being_id, prepared.conversation)
    return [entry for entry in entries if entry.region == CONVERSATION]


def _blocks(prepared: PreparedAssembly, filled: Filled, found: Retrieval) -> list[Block]:
    """Every region of the profile that has content."""
    if RETRIEVED in filled:
        filled = {**filled, RETRIEVED: context_blocks.recalled(found.pieces())}
    stable = prepared.kept if prepared.profile.is_default else ()
    blocks = [block for block in filled.values() if block]
    return [replace(block, stable=True) if block.region in stable else block for block in blocks]


def _room(settings: Settings, prepared: PreparedAssembly, filled: Filled) -> int:
    """Return the estimated tokens for retrieved memory: the target, within the rest of the budget.

    If the rest is too small for anything, it is the target: the region is dropped whole, and the answer says so.
    """
    budget = prepared.request.options.budget_tokens
    target = round(settings.rag_tokens * max(1, budget / CONTEXT_TOKENS))
    left = room_for(RETRIEVED, _lengths(block for block in filled.values() if block), budget)
    return min(target, left) if left >= LEAST_ROOM else target


def _lengths(blocks: Iterable[Block]) -> dict[str, int]:
    """How long each region is, in estimated tokens."""
    return {block.region: sum(estimated_tokens(entry.content) for entry in block.entries) for block in blocks}


def _context(
    tx: Transaction, being: Being, prepared: PreparedAssembly, blocks: Sequence[Block], found: Retrieval
) -> tuple[Context, tuple[str, str]]:
    """Keep the blocks to the budget, put them in order and in form, and record their provenance.

    Returns:
        The context, and its text in two parts for a prompt of the caller's: the stable one, and the one that varies.
    """
    request, profile, session = prepared.request, prepared.profile, prepared.session
    tokens = _lengths(blocks)
    dropped = dropped_regions(tokens, request.options.budget_tokens)
    whole = WorkingMemory(order=prepared.order)
    for block in blocks:
        whole = whole.with_region(block.region, *block.entries)
    entries = whole.without_regions(*dropped).assemble()
    shown = [block for block in blocks if block.region not in dropped]
    context_id = None
    if prepared.writes:
        pieces = [piece for block in shown for piece in block.pieces]
        items = {block.region: block.ids for block in shown if block.ids}
        reasons = found.explanation() if any(block.region == RETRIEVED for block in shown) else {}
        context_id = context_provenance.record_context(
            tx,
            being.being_id,
            profile.process,
            pieces,
            conversation=prepared.conversation,
            items=items,
            reasons=reasons,
        )
        if request_ids := [id_ for block in shown for id_ in block.requests]:
            spoken_requests.mark_reported(tx, being.being_id, request_ids)
        if session:
            _mark_user_model_shown(tx, being, session, shown)
    total = sum(tokens[block.region] for block in shown)
    stable = frozenset(block.region for block in blocks if block.stable)
    context = Context(
        context_id=context_id,
        off_the_record=prepared.off_the_record,
        process=profile.process,
        conversation=prepared.conversation,
        session_id=session.session_id if session else None,
        **_formatted(request, entries, stable),
        tokens=total,
        over_budget=total > request.options.budget_tokens,
        degraded=False,
        regions=[_report(block, tokens, dropped) for name in whole.regions for block in blocks if block.region == name],
        dropped=dropped,
    )
    return context, formats.inserted(entries, stable) if request.inserted else ("", "")


def _mark_user_model_shown(tx: Transaction, being: Being, session: OpenSession, shown: Iterable[Block]) -> None:
    for hashed in (text_hash(block.pieces[0]) for block in shown if block.region == "user-model"):
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


def dropped_regions(tokens: Mapping[str, int], budget: int) -> list[str]:
    """The regions to leave out, lowest priority first.

    A region is kept if it fits beside the kept regions of higher priority. One that does not fit is left out whole, so
    that a shorter one of lower priority may still fit.

    Args:
        tokens: The length of each region, in estimated tokens.
        budget: The most tokens together.
    """
    named = (*NEVER_DROPPED, *BEFORE_CALLERS, *AFTER_CALLERS)
    callers = [region for region in tokens if region not in named]
    left = budget - sum(tokens.get(region, 0) for region in NEVER_DROPPED)
    dropped: list[str] = []
    for region in (*BEFORE_CALLERS, *callers, *AFTER_CALLERS):
        needed = tokens.get(region, 0)
        if needed > max(left, 0):
            dropped.append(region)
        else:
            left -= needed
    return dropped[::-1]


def room_for(region: str, tokens: Mapping[str, int], budget: int) -> int:
    """The tokens that are left for a region of the first group beside the regions of higher priority.

    Args:
        tokens: The length of each other region, in estimated tokens.
        budget: The most tokens together.
    """
    before = BEFORE_CALLERS[: BEFORE_CALLERS.index(region)]
    dropped = dropped_regions({name: tokens.get(name, 0) for name in (*NEVER_DROPPED, *before)}, budget)
    return max(0, budget - sum(tokens.get(name, 0) for name in (*NEVER_DROPPED, *before) if name not in dropped))
