"""Patrols: demanded, and watched."""

from collections import Counter
from http import HTTPStatus
from typing import Any
from uuid import UUID

from memory.patrol import demand
from memory.text.pages import cut_page, parse_cursor
from operations.declaration import operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.runs import DemandedPatrol, Run, RunPage, RunReport, StepReport, StepUnderWay
from store.patrol import runs
from store.transaction import Transaction
from workers.runtime.resources import Resources

LISTED = 20


@operation("POST /v1/beings/{being}/patrols", scope="manage", status=HTTPStatus.ACCEPTED, conflicts=True)
def demand_patrol(on: Resources, being: Being) -> DemandedPatrol:
    """Demand a patrol.

    A demanded patrol counts as a day that passes. It takes the notes that wait when it begins. During another patrol it
    is queued; demands meanwhile are one patrol.
    """
    return DemandedPatrol(run_id=demand.demand(on.store, on.settings, being.being_id))


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
    return RunPage(patrols=[_report(tx, run) for run in shown], cursor=end)


@operation("GET /v1/beings/{being}/patrols/{run_id}", scope="read")
def show_patrol(tx: Transaction, being: Being, run_id: UUID) -> RunReport:
    """Show a patrol's progress: its nine steps, and the present one."""
    return _report(tx, runs.get(tx, being.being_id, run_id))


def _report(tx: Transaction, run: Run) -> RunReport:
    """Report a patrol's progress: its steps, and the present one."""
    steps = [_step(name, run.steps.get(name)) for name in PATROL_STEPS]
    counts: Counter[str] = Counter()
    for step in steps:
        counts.update(step.counts)
    # The failed work of a run stays in the ledger as dead work, and is shown as the run's error.
    at = runs.under_way(tx, run.being_id, run.run_id) if run.state == "running" else None
    return RunReport(
        steps=steps,
        under_way=StepUnderWay(step=at.pop("kind").removeprefix("patrol."), **at) if at else None,
        counts=dict(counts),
        **run.model_dump(exclude={"being_id", "steps"}),
    )


def _step(name: str, did: dict[str, Any] | None) -> StepReport:
    if did is None:
        return StepReport(step=name, outcome="waiting")
    return StepReport(
        step=name,
        outcome=did["outcome"],
        reason=did.get("reason"),
        counts={key: number for key, number in did.items() if isinstance(number, int)},
        finished_at=did["finished_at"],
    )
