"""Patrols: demanded, and watched."""

from http import HTTPStatus
from uuid import UUID

from memory.patrol import demand, progress
from operations.declaration import operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.patrol.runs import Demanded, RunPage, RunReport
from workers.runtime.resources import Resources

LISTED = 20


@operation("POST /v1/beings/{being}/patrols", scope="manage", status=HTTPStatus.ACCEPTED, conflicts=True)
def demand_patrol(on: Resources, being: Being) -> Demanded:
    """Demand a patrol.

    A demanded patrol counts as a day that passes. It takes the notes that wait when it begins. During another patrol it
    is queued; demands meanwhile are one patrol.
    """
    return Demanded(run_id=demand.demand(on.store, on.settings, being.being_id))


@operation("GET /v1/beings/{being}/patrols", scope="read")
def list_patrols(
    on: Resources,
    being: Being,
    *,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> RunPage:
    """List patrols, newest first."""
    return progress.run_page(on.store, being.being_id, cursor=cursor, limit=limit)


@operation("GET /v1/beings/{being}/patrols/{run_id}", scope="read")
def show_patrol(on: Resources, being: Being, run_id: UUID) -> RunReport:
    """Show how far a patrol has come: its nine steps, and the one it is at."""
    return progress.run_report(on.store, being.being_id, run_id)
