"""Reports the progress of patrols."""

from collections import Counter
from typing import Any

from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.runs import Run, RunReport, StepReport, StepUnderWay
from store.patrol import runs
from store.transaction import Transaction


def report(tx: Transaction, run: Run) -> RunReport:
    """Report how far a patrol has come: its steps, and the one that it is at."""
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
