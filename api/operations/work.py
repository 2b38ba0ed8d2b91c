"""Routes that list, replay and remove work of the ledger."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.http.auth import WorkManager, WorkReader
from api.http.bodies import JsonRoute
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.accounts import access
from memory.operations import dead_letters
from schemas.ledger.work import Work, WorkPage, WorkState
from schemas.limits import PAGE_NODES

router = APIRouter(prefix="/v1/work", tags=["Work"], route_class=JsonRoute)


@router.get("")
def list_work(
    on: On,
    caller: WorkReader,
    state: Annotated[WorkState, Query(description="Only work in this state.")] = "dead",
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> WorkPage:
    """List work of the Beings that the token gives access to, oldest first; by default dead work.

    Scope `read`. An operator's token lists all users' work.
    """
    owners = access.visible_owners(on.store, caller)
    return dead_letters.work_page(on.store, owners, state=state, cursor=cursor, limit=limit)


@router.get("/{work_id}")
def show_work(on: On, caller: WorkReader, work_id: UUID) -> Work:
    """Show a unit of work, with its last error.

    Scope `read`.
    """
    return dead_letters.show(on.store, access.visible_owners(on.store, caller), work_id)


@router.post("/{work_id}/replay", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
def replay_work(on: On, caller: WorkManager, work_id: UUID) -> None:
    """Make dead work ready again. A dead step of a patrol is replayed as a new patrol.

    Scope `manage`.
    """
    dead_letters.replay(on.store, on.settings, access.visible_owners(on.store, caller), work_id)


@router.delete("/{work_id}", status_code=HTTPStatus.NO_CONTENT, responses=problems(409))
def drop_work(on: On, caller: WorkManager, work_id: UUID) -> None:
    """Delete dead work, or waiting work of a kind that is unknown to this version.

    Scope `manage`.
    """
    dead_letters.drop(on.store, access.visible_owners(on.store, caller), work_id)
