"""Routes of contexts, process profiles and working memory."""

from http import HTTPStatus
from random import SystemRandom
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Query

from api.accounts.keys import RequestKey
from api.http.auth import IngestAndReadBeing, IngestBeing, Ingester, ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.idempotency import calls_models
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from api.http.resources import On
from api.intake.batches import IdempotencyKey, ids_from
from memory.accounts.access import Caller, Forbidden
from memory.context import profiles, shown_contexts, working_memory
from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.context.filling import current_snapshot
from memory.intake.turns import take_turn
from schemas.context.context import (
    Context,
    ContextRequest,
    NewEntry,
    NewProfile,
    ProcessName,
    Profile,
    ProfilePage,
    RegionName,
    Snapshot,
    Turn,
    TurnAnswer,
    WorkingMemoryPage,
)
from schemas.context.shown import AssembledPage, ShownContext
from schemas.limits import PAGE_NODES, PRODUCER_ID_CHARACTERS, REGION_ENTRIES
from schemas.wire.fields import Conversation
from store.accounts import request_answers
from store.context import context as material
from store.context import profiles as kept_profiles
from store.errors import NotFound

router = APIRouter(prefix="/v1/beings/{being}", tags=["Context"], route_class=JsonRoute)

CHANCE = SystemRandom()

Entries = Annotated[list[NewEntry], Body(max_length=REGION_ENTRIES)]
OfConversation = Annotated[
    Conversation | None,
    Query(description="The conversation, as in its messages; omitted: the conversation of what names none."),
]


@router.post("/context", response_model_exclude_none=True)
@calls_models
def assemble_context(on: On, being: ReadBeing, body: ContextRequest) -> Context:
    """Assemble a context: a prompt from the Being's memory, ready to be sent to a model.

    Scope `read`.

    The lines, the pauses and the regions of your own are those of the `conversation`; what was said in another one is
    memory. Regions come in the order of the process's profile. The bytes of stable regions stay the same from turn to
    turn, and for Anthropic they carry cache markers. Regions beyond the token budget are left out whole, never cut.
    """
    request = AssemblyRequest(body, body.message, conversation=body.conversation, session_id=body.session)
    return assemble(on.store, on.embedders, on.settings, being, request, CHANCE)


@router.get("/contexts")
def list_contexts(
    on: On,
    being: ReadBeing,
    shows: Annotated[UUID | None, Query(description="Only those that showed this memory or fact.")] = None,
    conversation: Annotated[
        str | None,
        Query(
            max_length=PRODUCER_ID_CHARACTERS,
            description="Only those of this conversation; empty: of the conversation of what names none.",
        ),
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> AssembledPage:
    """List the contexts that were assembled, newest first, for as long as PATROL_KEEP_RECEIPTS says.

    Scope `read`.
    """
    return shown_contexts.context_page(
        on.store, being.being_id, shows=shows, conversation=conversation, cursor=cursor, limit=limit
    )


@router.get("/contexts/{context_id}")
def show_context(on: On, being: ReadBeing, context_id: UUID) -> ShownContext:
    """Show which memories, facts and passages a context showed, and why: the scores by which they were chosen.

    Scope `read`.
    """
    return shown_contexts.shown_context(on.store, being, context_id)


@router.post("/turns", response_model_exclude_none=True)
@body_limit("document")
def take_turn_in(
    on: On,
    being: IngestAndReadBeing,
    turn: Turn,
    request_key: RequestKey,
    idempotency_key: IdempotencyKey = None,
) -> TurnAnswer:
    """Store new messages and assemble the context for the answer, in one call.

    Scopes `ingest` and `read`.

    Usually these are the Being's answer of the turn before and the user's new message. Accepted means committed.
    Messages with known ids change nothing, and the context is assembled again. It is of the last message's
    `conversation`: its lines, its pauses and the regions that callers wrote for it.
    """
    derive_id = ids_from(idempotency_key)
    return take_turn(on.store, on.embedders, on.settings, being, turn, CHANCE, derive_id, paid_by=request_key)


@router.get("/snapshot", responses=problems(404))
def show_session_snapshot(on: On, being: ReadBeing) -> Snapshot:
    """Show Block 1-B as it is now, and the ids it is made from.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        current_snapshot(tx, being)
        snapshot = material.snapshot(tx, being.being_id)
    if snapshot is None or not snapshot.content:
        raise NotFound("The snapshot is empty: no unread note, no knowledge, no recent diary and no vault record.")
    return snapshot


@router.get("/profiles")
def list_profiles(on: On, being: ReadBeing) -> ProfilePage:
    """List the process profiles: this Being's own, and the defaults of the other processes.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return ProfilePage(profiles=profiles.listed(tx, being.being_id))


@router.put("/profiles/{process}", responses=problems(409))
@body_limit("document")
def write_profile(on: On, being: ManagedBeing, process: ProcessName, new: NewProfile) -> Profile:
    """Set the regions of a mental process, their order, and its instructions.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        return kept_profiles.write(tx, being.being_id, process, new)


@router.delete("/profiles/{process}", status_code=HTTPStatus.NO_CONTENT)
def reset_profile(on: On, being: ManagedBeing, process: ProcessName) -> None:
    """Remove this Being's own profile of a mental process, so that the default applies.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        profiles.reset(tx, being.being_id, process)
        request_answers.forget(tx, being.user_id)


@router.get("/working-memory")
def show_working_memory(on: On, being: ReadBeing, conversation: OfConversation = None) -> WorkingMemoryPage:
    """Show a conversation's working memory by region: what was said, and the entries that callers wrote.

    Scope `read`.
    """
    return WorkingMemoryPage(entries=working_memory.listed(on.store, being.being_id, conversation))


@router.put("/working-memory/{region}", responses=problems(409))
@body_limit("document")
def replace_region(
    on: On,
    being: IngestBeing,
    caller: Ingester,
    region: RegionName,
    entries: Entries,
    conversation: OfConversation = None,
) -> WorkingMemoryPage:
    """Replace the entries of a region of your own in a conversation; an empty list removes it.

    Scope `ingest`; entries of the role `system`, which is the default, need `manage` as well.
    """
    _may_write(caller, entries)
    return WorkingMemoryPage(
        entries=working_memory.put(on.store, being.being_id, conversation, region, entries, add=False)
    )


@router.post("/working-memory/{region}", responses=problems(409))
@body_limit("document")
def add_to_region(
    on: On,
    being: IngestBeing,
    caller: Ingester,
    region: RegionName,
    entries: Entries,
    conversation: OfConversation = None,
) -> WorkingMemoryPage:
    """Append entries to a region of your own in a conversation. A region with more than 40 is cut to the newest 20.

    Scope `ingest`; entries of the role `system`, which is the default, need `manage` as well.
    """
    _may_write(caller, entries)
    return WorkingMemoryPage(
        entries=working_memory.put(on.store, being.being_id, conversation, region, entries, add=True)
    )


def _may_write(caller: Caller, entries: list[NewEntry]) -> None:
    """Check that entries of the role `system`, which models obey, come with the scope that profiles need too.

    Raises:
        Forbidden: An entry has that role, and the token lacks `manage`.
    """
    if "manage" not in caller.scopes and any(entry.role == "system" for entry in entries):
        raise Forbidden(
            "Entries of the role `system` need the scope `manage`, which this token lacks: use the role `user` or"
            " `assistant`."
        )
