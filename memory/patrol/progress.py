"""Reports the progress of patrols."""

from collections import Counter
from typing import Any
from uuid import UUID

from memory.text.pages import cut_page, parse_cursor
from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.runs import Run, RunPage, RunReport, StepReport, StepUnderWay
from store.database import Store
from store.patrol import runs
from store.transaction import Transaction


def run_report(store: Store, being_id: UUID, run_id: UUID) -> RunReport:
    """Report one patrol of this Being.

    Raises:
        NotFound: The Being has no such patrol.
    """
    with store.transaction() as tx:
        return _report(tx, runs.get(tx, being_id, run_id))


def run_page(store: Store, being_id: UUID, *, cursor: str | None, limit: int) -> RunPage:
    """List the patrols of this Being, newest first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        shown, end = cut_page(runs.newest(tx, being_id, limit + 1, before=before), limit, lambda run: run.run_id)
        return RunPage(patrols=[_report(tx, run) for run in shown], cursor=end)


def _report(tx: Transaction, run: Run) -> RunReport:
    steps = [_step(name, run.steps.get(name)) for name in PATROL_STEPS]
    counts: Counter[str] = Counter()
    for step in steps:
        counts.update(step.counts)
    # What a failed run was at stays in the ledger as dead work, and is told as its error.
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
