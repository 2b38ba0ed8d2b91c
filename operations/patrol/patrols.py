"""Patrols: demanded, and watched."""

from http import HTTPStatus
from uuid import UUID

from memory.patrol import demand, progress
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.patrol.runs import Demanded, RunPage, RunReport
from store.patrol import runs
from store.transaction import Transaction
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
    tx: Transaction,
    being: Being,
    *,
    cursor: Cursor = None,
    limit: Limit = LISTED,
) -> RunPage:
    """List patrols, newest first."""
    found = runs.newest(tx, being.being_id, limit + 1, before=parse_cursor(cursor, UUID))
    shown, end = cut_page(found, limit, lambda run: run.run_id)
    return RunPage(patrols=[progress.report(tx, run) for run in shown], cursor=end)


@operation("GET /v1/beings/{being}/patrols/{run_id}", scope="read")
def show_patrol(tx: Transaction, being: Being, run_id: UUID) -> RunReport:
    """Show how far a patrol has come: its nine steps, and the one it is at."""
    return progress.report(tx, runs.get(tx, being.being_id, run_id))
