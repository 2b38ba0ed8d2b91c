"""Work that could not be done: looked at, given another life, or let go."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.auth import WorkManager, WorkReader
from api.bodies import JsonRoute
from api.openapi import problems
from api.pages import Cursor, Limit
from api.resources import On, ring
from memory import access, dead_letters
from schemas.answers import WorkPage
from schemas.limits import PAGE_NODES
from schemas.rows import WorkState
from schemas.work import Work

router = APIRouter(prefix="/v1/work", tags=["Work"], route_class=JsonRoute)


@router.get("")
def list_work(
    on: On,
    caller: WorkReader,
    state: Annotated[WorkState, Query(description="Only what is in this state.")] = "dead",
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> WorkPage:
    """List work of the Beings that the token opens, oldest first; by default what is dead.

    Scope `read`. An operator's token opens everybody's.
    """
    owners = access.owners(on.store, caller)
    return dead_letters.work_page(on.store, owners, state=state, cursor=cursor, limit=limit)


@router.get("/{work_id}")
def show_work(on: On, caller: WorkReader, work_id: UUID) -> Work:
    """Show a unit of work, with what went wrong last.

    Scope `read`.
    """
    return dead_letters.show(on.store, access.owners(on.store, caller), work_id)


@router.post("/{work_id}/replay", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
def replay_work(on: On, caller: WorkManager, work_id: UUID) -> None:
    """Give dead work another life. A dead step of a patrol is replayed as a new patrol.

    Scope `manage`.
    """
    ring(dead_letters.replay(on.store, on.settings, access.owners(on.store, caller), work_id))


@router.delete("/{work_id}", status_code=HTTPStatus.NO_CONTENT, responses=problems(409))
def drop_work(on: On, caller: WorkManager, work_id: UUID) -> None:
    """Let dead work go.

    Scope `manage`.
    """
    dead_letters.drop(on.store, access.owners(on.store, caller), work_id)
