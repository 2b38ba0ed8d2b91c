"""`patrol run`: a patrol on demand, watched."""

import time
from collections.abc import Callable, Iterator
from typing import Annotated
from uuid import UUID

from rich.live import Live
from rich.table import Table
from rich.text import Text
from typer import Exit, Option

from cli.console.ledger import find_being, open_ledger
from cli.console.options import BeingOption, JsonOption, OwnerOption
from cli.console.output import console, remark, say, say_json, table, words
from operations.patrol.patrols import demand_patrol, show_patrol
from schemas.accounts.accounts import Being
from schemas.patrol.runs import RunReport, StepReport, StepUnderWay
from workers.runtime.resources import Resources

PAUSE = 0.1
PICTURES_A_SECOND = 12
NOBODY_WORKS = 10.0


def run(
    being: BeingOption = None,
    owner: OwnerOption = None,
    wait: Annotated[bool, Option(help="Wait until it is over.")] = True,
    *,
    as_json: JsonOption = False,
) -> None:
    """Demand a patrol, and watch its nine steps. Ends with 1 if the patrol fails."""
    with open_ledger() as on:
        target = find_being(on, being, owner)
        run_id = demand_patrol.perform(on, being=target).run_id
        if not wait:
            say_json({"run_id": run_id}) if as_json else say(f"Patrol {run_id} is demanded.")
            return
        seen = watched(on, target, run_id)
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
    on: Resources,
    being: Being,
    run_id: UUID,
    meanwhile: Callable[[], None] = lambda: time.sleep(PAUSE),
    *,
    hints: bool = True,
) -> Iterator[RunReport]:
    """Yield the run's report at each change until it ends; print `hints` on stderr when no worker seems to run it."""
    seen: RunReport | None = None
    changed = time.monotonic()
    while seen is None or seen.state in {"queued", "running"}:
        now = show_patrol.perform(on, being=being, run_id=run_id)
        if now != seen:
            seen, changed = now, time.monotonic()
            yield now
        elif hints and time.monotonic() - changed > NOBODY_WORKS:
            changed = float("inf")
            remark(_standstill(now.under_way))
        else:
            meanwhile()


def _standstill(at: StepUnderWay | None) -> str:
    if at is None:
        return "It waits for the patrol before it."
    if at.error:
        return f"{at.step} is tried again at {at.next_at:%H:%M:%S} UTC: {at.error}"
    return f"{at.step} waits for a worker. `patrol up` starts one; Ctrl-C leaves the patrol to wait."


def _show_live(seen: Iterator[RunReport]) -> RunReport:
    with Live(console=console(), refresh_per_second=PICTURES_A_SECOND) as live:
        for now in seen:
            live.update(_steps(now))
    return now


def _show_lines(seen: Iterator[RunReport]) -> RunReport:
    shown_steps = 0
    for now in seen:
        finished = [step for step in now.steps if step.finished_at]
        for step in finished[shown_steps:]:
            say(f"{step.step:<15}{outcome(step)}")
        shown_steps = len(finished)
    return now


def _steps(now: RunReport) -> Table:
    shown = table("", "step", "*what it did")
    at = next((step.step for step in now.steps if not step.finished_at), None) if now.state != "queued" else None
    for step in now.steps:
        if step.finished_at:
            mark = Text("✓", style="green") if step.outcome == "done" else Text("–", style="dim")
            shown.add_row(mark, step.step, outcome(step))
        elif step.step == at:
            failed = now.state == "failed"
            mark = Text("✗", style="red") if failed else Text("▸", style="cyan")
            shown.add_row(mark, Text(step.step, style="bold"), "failed" if failed else "…")
        else:
            shown.add_row("", Text(step.step, style="dim"), "")
    return shown


# For each count that a step reports: the words for one and for several. Counts of 0 are left out.
PHRASES = {
    "nodes": ("1 note became a memory", "{} notes became memories"),
    "repaired": ("1 note was repaired", "{} notes were repaired"),
    "parse_failed": ("1 note could not be parsed", "{} notes could not be parsed"),
    "embed_failed": ("1 note could not be embedded", "{} notes could not be embedded"),
    "matched": ("1 memory found its topic", "{} memories found their topics"),
    "rooted": ("1 memory was put under a root", "{} memories were put under a root"),
    "told": ("1 of them as a model said", "{} of them as a model said"),
    "dying": ("1 memory is dying", "{} memories are dying"),
    "merges": ("1 merge", "{} merges"),
    "absorbed": ("1 memory was absorbed", "{} memories were absorbed"),
    "let_go": ("1 memory became dead", "{} memories became dead"),
    "left": ("1 topic is left for the next patrol", "{} topics are left for the next patrol"),
    "revived": ("1 memory was revived", "{} memories were revived"),
    "topics": ("1 new topic", "{} new topics"),
    "moved": ("1 memory moved there", "{} memories moved there"),
    "merged": ("1 small topic joined another", "{} small topics joined others"),
    "lines": ("1 diary line", "{} diary lines"),
    "notes": ("1 note for the next conversation", "{} notes for the next conversation"),
}
NOTHING = {
    "embed": "no notes were waiting",
    "assign": "no memory needed a topic",
    "session_counts": "every memory aged by one patrol",
    "dying": "no memory faded so far",
    "consolidate": "nothing to merge",
    "revive": "no dead memory was recalled often enough",
    "split": "no topic is large enough",
    "merge": "no topic is too small",
    "diary": "nothing to tell",
}
NOT_DUE = {
    "session_counts": "not due: an automatic patrol ages memories once a day",
    "diary": "not due: the last entry is recent, or nothing happened",
}


def outcome(step: StepReport) -> str:
    """Return the results of a finished step, or the reason why it did nothing."""
    if step.outcome == "not due":
        return NOT_DUE.get(step.step, "not due")
    if step.outcome != "done":
        return words(": ".join(filter(None, (step.outcome, step.reason))))
    did = [_phrase(name, number) for name, number in step.counts.items() if number]
    text = ", ".join(did) or NOTHING.get(step.step, "nothing to do")
    return f"{text} ({words(step.reason)})" if step.reason else text


def _phrase(name: str, number: int) -> str:
    one, several = PHRASES.get(name, (f"1 {name.replace('_', ' ')}", f"{{}} {name.replace('_', ' ')}"))
    return one if number == 1 else several.format(number)
