"""`patrol run`: a patrol on demand, watched."""

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from rich.live import Live
from rich.table import Table
from rich.text import Text
from typer import Exit, Option

from cli.ledger import find_being, opened, ring
from cli.options import BeingOption, JsonOption, OwnerOption
from cli.output import console, remark, say, say_json, table
from memory.patrol_demand import demand
from schemas.rows import Run
from schemas.work import PATROL_STEPS
from store import runs
from store.database import Store

PAUSE = 0.1
NOBODY_WORKS = 10.0


def run(
    being: BeingOption = None,
    owner: OwnerOption = None,
    wait: Annotated[bool, Option(help="Wait until it is over.")] = True,
    *,
    as_json: JsonOption = False,
) -> None:
    """Demand a patrol, and watch its nine steps. Ends with 1 if the patrol fails."""
    with opened() as on:
        whose = find_being(on.store, being, owner)
        run_id, rings = demand(on.store, on.settings, whose.being_id)
        ring(rings)
        if not wait:
            say_json({"run_id": run_id}) if as_json else say(f"Patrol {run_id} is demanded.")
            return
        seen = watched(on.store, whose.being_id, run_id)
        if as_json:
            *_, last = seen
            say_json(last)
        elif console().is_terminal:
            last = _show_live(seen)
        else:
            last = _show_lines(seen)
    if last.state == "failed":
        if not as_json:
            remark(f"The patrol failed. {last.error}")
        raise Exit(1)


def watched(
    store: Store, being_id: UUID, run_id: UUID, meanwhile: Callable[[], None] = partial(time.sleep, PAUSE)
) -> Iterator[Run]:
    """The run as it changes, until it is over; says on stderr when nobody seems to work on it."""
    seen: Run | None = None
    changed = time.monotonic()
    while seen is None or seen.state in {"queued", "running"}:
        with store.transaction() as tx:
            now = runs.get(tx, being_id, run_id)
            step = runs.under_way(tx, being_id, run_id)
        if now != seen:
            seen, changed = now, time.monotonic()
            yield now
        elif time.monotonic() - changed > NOBODY_WORKS:
            changed = float("inf")
            remark(_standstill(step))
        else:
            meanwhile()


def did(report: dict[str, Any]) -> str:
    """What a finished step says of itself: its counts, or why it did nothing."""
    if report["outcome"] != "done":
        return ": ".join(filter(None, (report["outcome"], report.get("reason"))))
    counts = (
        (name.replace("_", " "), count) for name, count in report.items() if name not in {"outcome", "finished_at"}
    )
    return ", ".join(f"{count} {name}" for name, count in counts) or "done"


def _standstill(step: dict[str, Any] | None) -> str:
    if step is None:
        return "It waits for the patrol before it."
    if step["error"]:
        return f"{step['kind']} is tried again at {step['next_at']:%H:%M:%S}: {step['error']}"
    return f"{step['kind']} waits for a worker. Does one run? `patrol up` starts everything; Ctrl-C leaves it to wait."


def _show_live(seen: Iterator[Run]) -> Run:
    with Live(console=console(), refresh_per_second=12) as live:
        for now in seen:
            live.update(_steps(now))
    return now


def _show_lines(seen: Iterator[Run]) -> Run:
    told = 0
    for now in seen:
        for name in PATROL_STEPS[told : len(now.steps)]:
            say(f"{name:<15}{did(now.steps[name])}")
        told = len(now.steps)
    return now


def _steps(now: Run) -> Table:
    shown = table("", "step", "*what it did")
    for place, name in enumerate(PATROL_STEPS):
        if name in now.steps:
            skipped = now.steps[name]["outcome"] != "done"
            shown.add_row(
                Text("–" if skipped else "✓", style="dim" if skipped else "green"), name, did(now.steps[name])
            )
        elif now.state == "failed" and place == len(now.steps):
            shown.add_row(Text("✗", style="red"), name, "failed")
        elif now.state == "running" and place == len(now.steps):
            shown.add_row(Text("▸", style="cyan"), Text(name, style="bold"), "…")
        else:
            shown.add_row("", Text(name, style="dim"), "")
    return shown
