"""Contexts and turns."""

from collections.abc import Mapping
from random import SystemRandom
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.context.filling import current_snapshot
from memory.intake.turns import take_turn
from memory.nodes.scenes import scene_to_text
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import FindsMuted, PayingKey, Tool, operation
from operations.parameters import Cursor, ItemKey, Limit, ids_from
from schemas.accounts.accounts import Being
from schemas.context.context import (
    Context,
    ContextRequest,
    Snapshot,
    Turn,
    TurnAnswer,
)
from schemas.context.shown import (
    AssembledContext,
    AssembledPage,
    ContextRow,
    ShownContext,
    ShownFact,
    ShownMemory,
    ShownPassage,
)
from schemas.errors import NotFound, existing
from schemas.limits import PAGE_NODES, PRODUCER_ID_CHARACTERS
from store.context import context as material
from store.context import provenance
from store.facts import facts
from store.nodes import nodes
from store.transaction import Transaction
from workers.runtime.resources import Resources

CHANCE = SystemRandom()
SCORES = ("similarity", "recency", "frequency", "score")


@operation(
    "POST /v1/beings/{being}/context",
    scope="read",
    omits="null",
    repeated="done again",
    tool=Tool(
        "context",
        "Get the companion's whole context as one prompt: who it is, what happened lately, and related memories.\n\n"
        "Use it once, when you begin to speak as the companion; after that `recall` is enough.",
        fixed={"format": "text"},
        takes=("message", "process", "conversation", "only", "without", "order", "with"),
        hints={
            "message": "What the user says now; memories are recalled by it.",
            "process": "Which mental process thinks; it shapes the prompt.",
            "conversation": "The id of the chat, if its messages are stored under one.",
        },
    ),
)
def assemble_context(on: Resources, being: Being, body: ContextRequest) -> Context:
    """Assemble a context: a prompt from the Being's memory, ready to be sent to a model.

    The lines, the pauses and the regions of your own are those of the `conversation`; messages of another one are
    memory. Regions come in the order of the process's profile. The bytes of stable regions stay the same from turn to
    turn, and for Anthropic they carry cache markers. Regions beyond the token budget are left out whole, never cut.
    `only`, `without`, `order` and `with` choose, order and add regions for this prompt alone.
    """
    request = AssemblyRequest(body, body.message, conversation=body.conversation, session_id=body.session)
    return assemble(on.store, on.embedders, on.settings, being, request, CHANCE)


@operation("GET /v1/beings/{being}/contexts", scope="read")
def list_contexts(
    tx: Transaction,
    being: Being,
    *,
    shows: Annotated[UUID | None, Field(description="Only those that showed this memory or fact.")] = None,
    conversation: Annotated[
        str | None,
        Field(
            max_length=PRODUCER_ID_CHARACTERS,
            description="Only those of this conversation; empty: those of the conversation without an id.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> AssembledPage:
    """List the contexts that were assembled, newest first, for as long as PATROL_KEEP_RECEIPTS says."""
    before = parse_cursor(cursor, UUID)
    found = provenance.page(tx, being.being_id, shows=shows, conversation=conversation, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda context: context.context_id)
    return AssembledPage(contexts=[AssembledContext(**_in_short(one)) for one in shown], cursor=end)


@operation("GET /v1/beings/{being}/contexts/{context_id}", scope="read")
def show_context(tx: Transaction, being: Being, muted: FindsMuted, context_id: UUID) -> ShownContext:
    """Show which memories, facts and passages a context showed, and why: the scores by which they were chosen.

    The scope `manage` also shows items that were muted since.
    """
    context = existing(
        provenance.get(tx, being.being_id, context_id),
        f"This Being has no context {context_id}, or it is no longer kept.",
    )
    return ShownContext(
        **_in_short(context),
        memories=_memories(tx, being.being_id, context, muted=muted),
        facts=_facts(tx, being, context, muted=muted),
        passages=_passages(tx, being.being_id, context.shown_reasons, muted=muted),
    )


@operation("POST /v1/beings/{being}/turns", scope=("ingest", "read"), omits="null", body="document")
def turn(
    on: Resources,
    being: Being,
    turn: Turn,
    request_key: PayingKey | None,
    *,
    idempotency_key: ItemKey = None,
) -> TurnAnswer:
    """Store new messages and assemble the context for the answer, in one call.

    Usually these are the Being's answer of the turn before and the user's new message. Accepted means committed.
    Messages with known ids change nothing, and the context is assembled again. It is of the last message's
    `conversation`: its lines, its pauses and the regions that callers wrote for it.
    """
    derive_id = ids_from(idempotency_key)
    return take_turn(on.store, on.embedders, on.settings, being, turn, CHANCE, derive_id, paid_by=request_key)


@operation("GET /v1/beings/{being}/snapshot", scope="read")
def show_session_snapshot(tx: Transaction, being: Being) -> Snapshot:
    """Show the present Block 1-B, and the ids it is made from."""
    current_snapshot(tx, being)
    snapshot = material.snapshot(tx, being.being_id)
    if snapshot is None or not snapshot.content:
        raise NotFound("The snapshot is empty: no unread note, no knowledge, no recent diary and no vault record.")
    return snapshot


def _in_short(context: ContextRow) -> dict[str, Any]:
    short = context.model_dump(include={"context_id", "process", "conversation", "created_at"})
    return {**short, "items": len(context.shown_ids)}


def _memories(tx: Transaction, being_id: UUID, context: ContextRow, *, muted: bool) -> list[ShownMemory]:
    similarities = {one["node_id"]: one["similarity"] for one in context.shown_reasons.get("memories", ())}
    regions: Mapping[str, list[str]] = context.shown_reasons.get("regions", {})
    found = (nodes.get(tx, being_id, id_, muted=muted) for id_ in context.shown_ids)
    return [
        ShownMemory(
            node_id=node.node_id,
            text=scene_to_text(node.scene, node.feeling),
            regions=[region for region, ids in regions.items() if str(node.node_id) in ids],
            similarity=similarities.get(str(node.node_id)),
        )
        for node in found
        if node is not None
    ]


def _facts(tx: Transaction, being: Being, context: ContextRow, *, muted: bool) -> list[ShownFact]:
    scores = {one["fact_id"]: one for one in context.shown_reasons.get("facts", ())}
    found = facts.among(tx, being.user_id, being.being_id, context.shown_ids, muted=muted)
    return [
        ShownFact(
            fact_id=fact.fact_id,
            content=fact.content,
            scores={name: scores[str(fact.fact_id)][name] for name in SCORES} if str(fact.fact_id) in scores else None,
        )
        for fact in found
    ]


def _passages(tx: Transaction, being_id: UUID, reasons: Mapping[str, Any], *, muted: bool) -> list[ShownPassage]:
    passages = [([UUID(id_) for id_ in one["message_ids"]], one["score"]) for one in reasons.get("passages", ())]
    spoken = provenance.message_lines(tx, being_id, [id_ for ids, _ in passages for id_ in ids], muted=muted)
    return [
        ShownPassage(
            message_ids=standing,
            session_id=spoken[standing[0]][0],
            text="\n".join(spoken[id_][1] for id_ in standing),
            score=score,
        )
        for ids, score in passages
        if (standing := [id_ for id_ in ids if id_ in spoken])
    ]
