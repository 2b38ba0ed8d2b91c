"""Contexts and turns."""

from random import SystemRandom
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.context import shown_contexts
from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.context.filling import session_snapshot
from memory.intake.turns import take_turn
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
from schemas.context.shown import AssembledPage, ShownContext
from schemas.limits import PAGE_NODES, PRODUCER_ID_CHARACTERS
from workers.runtime.resources import Resources

CHANCE = SystemRandom()


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

    The lines, the pauses and the regions of your own are those of the `conversation`; what was said in another one is
    memory. Regions come in the order of the process's profile. The bytes of stable regions stay the same from turn to
    turn, and for Anthropic they carry cache markers. Regions beyond the token budget are left out whole, never cut.
    `only`, `without`, `order` and `with` choose, order and add regions for this prompt alone.
    """
    request = AssemblyRequest(body, body.message, conversation=body.conversation, session_id=body.session)
    return assemble(on.store, on.embedders, on.settings, being, request, CHANCE)


@operation("GET /v1/beings/{being}/contexts", scope="read")
def list_contexts(
    on: Resources,
    being: Being,
    *,
    shows: Annotated[UUID | None, Field(description="Only those that showed this memory or fact.")] = None,
    conversation: Annotated[
        str | None,
        Field(
            max_length=PRODUCER_ID_CHARACTERS,
            description="Only those of this conversation; empty: of the conversation of what names none.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> AssembledPage:
    """List the contexts that were assembled, newest first, for as long as PATROL_KEEP_RECEIPTS says."""
    return shown_contexts.context_page(
        on.store, being.being_id, shows=shows, conversation=conversation, cursor=cursor, limit=limit
    )


@operation("GET /v1/beings/{being}/contexts/{context_id}", scope="read")
def show_context(on: Resources, being: Being, muted: FindsMuted, context_id: UUID) -> ShownContext:
    """Show which memories, facts and passages a context showed, and why: the scores by which they were chosen.

    The scope `manage` also shows what is muted since.
    """
    return shown_contexts.shown_context(on.store, being, context_id, muted=muted)


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
def show_session_snapshot(on: Resources, being: Being) -> Snapshot:
    """Show Block 1-B as it is now, and the ids it is made from."""
    return session_snapshot(on.store, being)
