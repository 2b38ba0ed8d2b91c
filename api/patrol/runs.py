"""Patrols: demanded, and watched."""

from http import HTTPStatus
from uuid import UUID

from fastapi import APIRouter
from pydantic import BaseModel

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.patrol import demand, progress
from schemas.patrol.runs import RunPage, RunReport

router = APIRouter(prefix="/v1/beings/{being}/patrols", tags=["Patrols"], route_class=JsonRoute)

LISTED = 20


class Demanded(BaseModel):
    """The patrol that will do it."""

    run_id: UUID


@router.post("", status_code=HTTPStatus.ACCEPTED, responses=problems(409))
def demand_patrol(on: On, being: ManagedBeing) -> Demanded:
    """Demand a patrol.

    Scope `manage`, for a demanded patrol counts as a day that passes.

    It takes the notes that wait when it begins. During another patrol it is queued; demands meanwhile are one patrol.
    """
    return Demanded(run_id=demand.demand(on.store, on.settings, being.being_id))


@router.get("")
def list_patrols(
    on: On,
    being: ReadBeing,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> RunPage:
    """List patrols, newest first.

    Scope `read`.
    """
    return progress.run_page(on.store, being.being_id, cursor=cursor, limit=limit)


@router.get("/{run_id}")
def show_patrol(on: On, being: ReadBeing, run_id: UUID) -> RunReport:
    """Show how far a patrol has come: its nine steps, and the one it is at.

    Scope `read`.
    """
    return progress.run_report(on.store, being.being_id, run_id)
