"""Shows the demo's progress: a live picture on a terminal, one line for each day elsewhere."""

from collections.abc import Iterable

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from cli.console.output import STATUS_STYLES, words
from cli.demo.month import Moment
from schemas.ledger.kinds import PATROL_STEPS

BARS = "▁▂▃▄▅▆▇█"
PICTURES_A_SECOND = 15
STEP_STYLES = {"done": "green", "waiting": "bright_black"}
STEPS_WIDTH = sum(len(step) + 1 for step in PATROL_STEPS) - 1


def show(moments: Iterable[Moment], days: int, on: Console) -> None:
    """Show the month while it is played."""
    if on.is_terminal:
        with Live(console=on, refresh_per_second=PICTURES_A_SECOND) as live:
            for picture in pictures(moments, days):
                live.update(picture)
    else:
        for moment in moments:
            if moment.run.state == "done":
                on.print(_line(moment))


def pictures(moments: Iterable[Moment], days: int) -> Iterable[Group]:
    """Yield a picture for each moment."""
    courses: dict[str, list[int]] = {status: [] for status in STATUS_STYLES}
    for moment in moments:
        if moment.run.state == "done":
            for status, course in courses.items():
                course.append(moment.count(status))
        yield _picture(moment, days, courses)


def _picture(moment: Moment, days: int, courses: dict[str, list[int]]) -> Group:
    steps = Text()
    for step in moment.run.steps:
        steps.append(f"{step.step} ", style=STEP_STYLES.get(step.outcome, "dim"))
    bar = Table.grid()
    bar.add_row(ProgressBar(total=days, completed=moment.number - (moment.run.state != "done"), width=STEPS_WIDTH))
    top = max(1, *(max(course, default=0) for course in courses.values()))
    counts = Table.grid(padding=(0, 2))
    for status, course in courses.items():
        counts.add_row(
            Text(f"{moment.count(status):>4} {status}", style=STATUS_STYLES[status]),
            Text(_sparkline(course, top).ljust(days), style=STATUS_STYLES[status]),
            Text(f"{moment.topics} topics" if status == "active" else ""),
        )
    return Group(
        Text(),
        Text.assemble((f"{moment.day.date:%A %-d %B}", "bold"), f"   {moment.day.amount}"),
        Text(words(moment.day.highlight), style="italic dim", no_wrap=True, overflow="ellipsis"),
        Text(),
        bar,
        steps,
        Text(),
        counts,
    )


def _line(moment: Moment) -> str:
    counts = "  ".join(f"{status} {moment.count(status):>3}" for status in STATUS_STYLES)
    return f"{moment.day.date}  {moment.day.amount:>8}  {counts}  topics {moment.topics:>2}"


def _sparkline(course: list[int], top: int) -> str:
    return "".join(BARS[count * (len(BARS) - 1) // top] if count else " " for count in course)
