"""Contexts: prompts made of what a Being has in mind, the profiles that shape them, the working memory behind them."""

from http import HTTPStatus
from random import SystemRandom
from typing import Annotated

from fastapi import APIRouter, Body

from api.auth import FedAndReadBeing, FedBeing, ManagedBeing, ReadBeing
from api.bodies import JsonRoute
from api.intake import IdempotencyKey, ids_from
from api.keys import BroughtKey
from api.openapi import problems
from api.resources import On, ring
from memory import mind, profiles
from memory.context import Wanted, assemble, current_snapshot
from memory.turns import take_turn
from schemas.context import (
    Context,
    ContextQuestion,
    MindEntry,
    NewEntry,
    NewProfile,
    ProcessName,
    Profile,
    RegionName,
    Snapshot,
    Turn,
    TurnAnswer,
)
from schemas.limits import REGION_ENTRIES
from store import context as material
from store import profiles as kept_profiles
from store.errors import NotFound

router = APIRouter(prefix="/v1/beings/{being}", tags=["Context"], route_class=JsonRoute)

CHANCE = SystemRandom()

Entries = Annotated[list[NewEntry], Body(max_length=REGION_ENTRIES)]


@router.post("/context", response_model_exclude_none=True)
def assemble_context(on: On, being: ReadBeing, question: ContextQuestion) -> Context:
    """Assemble a context: what the Being has in mind, ready to be sent to a model.

    Scope `read`.

    Regions come in the order of the process's profile; stable ones are the same to the byte from turn to turn, and for
    Anthropic marked for its cache. What the budget has no room for is left out region by region, never cut.
    """
    wanted = Wanted(question, question.message, session_id=question.session)
    return assemble(on.store, on.embedders, on.settings, being, wanted, CHANCE)


@router.post("/turns", response_model_exclude_none=True)
def take_turn_in(
    on: On,
    being: FedAndReadBeing,
    turn: Turn,
    brought: BroughtKey,
    idempotency_key: IdempotencyKey = None,
) -> TurnAnswer:
    """Hand in what was said, and get the context for the answer, in one call.

    Scopes `ingest` and `read`.

    Usually the Being's own answer of the turn before, and what the user says now. Accepted means committed; the same
    ids again change nothing, and get a context again.
    """
    derive_id = ids_from(idempotency_key)
    taken = take_turn(on.store, on.embedders, on.settings, being, turn, CHANCE, derive_id, paid_by=brought)
    ring(taken.rings)
    return taken.answer


@router.get("/snapshot", responses=problems(404))
def show_session_snapshot(on: On, being: ReadBeing) -> Snapshot:
    """Show Block 1-B as it is now, and what it is made from.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        current_snapshot(tx, being)
        snapshot = material.snapshot(tx, being.being_id)
    if snapshot is None or not snapshot.content:
        raise NotFound("This Being has no unread note, no knowledge, no recent diary and nothing in its vault.")
    return snapshot


@router.get("/profiles")
def list_profiles(on: On, being: ReadBeing) -> list[Profile]:
    """List the profiles of mental processes: the defaults, and what was set for this Being.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return profiles.listed(tx, being.being_id)


@router.put("/profiles/{process}", responses=problems(409))
def write_profile(on: On, being: ManagedBeing, process: ProcessName, new: NewProfile) -> Profile:
    """Set which regions a mental process sees, in what order, and what it is told to do.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        return kept_profiles.write(tx, being.being_id, process, new)


@router.delete("/profiles/{process}", status_code=HTTPStatus.NO_CONTENT)
def reset_profile(on: On, being: ManagedBeing, process: ProcessName) -> None:
    """Let go of the profile that was set for a mental process; a default serves again.

    Scope `manage`.
    """
    with on.store.transaction() as tx:
        profiles.reset(tx, being.being_id, process)


@router.get("/working-memory")
def show_working_memory(on: On, being: ReadBeing) -> list[MindEntry]:
    """Show what is in the Being's mind, region by region: the conversation, and what callers put there.

    Scope `read`.
    """
    return mind.listed(on.store, being.being_id)


@router.put("/working-memory/{region}", responses=problems(409))
def replace_region(on: On, being: FedBeing, region: RegionName, entries: Entries) -> list[MindEntry]:
    """Let a region of yours hold these entries and nothing else; an empty list empties it.

    Scope `ingest`.
    """
    return mind.put(on.store, being.being_id, region, entries, add=False)


@router.post("/working-memory/{region}", responses=problems(409))
def add_to_region(on: On, being: FedBeing, region: RegionName, entries: Entries) -> list[MindEntry]:
    """Put entries at the end of a region of yours. When it gets longer than 40, the newest 20 stay.

    Scope `ingest`.
    """
    return mind.put(on.store, being.being_id, region, entries, add=True)
