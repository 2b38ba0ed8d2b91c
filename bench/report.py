"""Formats a run's figures as a table and as JSON."""

from pydantic import BaseModel, ConfigDict
from rich import box
from rich.table import Table

from bench.figures import Figure
from bench.machine import Machine

WIDE = 100.0


class Measured(BaseModel):
    """One benchmark's figures, and the seconds that measuring them took."""

    model_config = ConfigDict(frozen=True)

    name: str
    figures: list[Figure]
    seconds: float

    def table(self) -> Table:
        """Print each figure with its limit and ratio."""
        table = Table(
            box=box.SIMPLE_HEAD, title=f"{self.name} ({self.seconds:.0f} s)", title_justify="left", expand=True
        )
        table.add_column("what", ratio=5)
        table.add_column("measured", justify="right", no_wrap=True)
        table.add_column("limit", justify="right", no_wrap=True)
        table.add_column("ratio", justify="right", style="bold", no_wrap=True)
        table.add_column("the limit is", ratio=4)
        table.add_column("remark", ratio=4)
        for figure in self.figures:
            table.add_row(
                figure.what,
                _in_words(figure.measured, figure.unit),
                "" if figure.limit is None else _in_words(figure.limit, figure.unit),
                "" if figure.ratio is None else f"{figure.ratio:.3g}×",
                figure.against,
                figure.remark,
            )
        return table


class Report(BaseModel):
    """All figures of one run, and the machine."""

    model_config = ConfigDict(frozen=True)

    machine: Machine
    benchmarks: list[Measured]


def _in_words(number: float, unit: str) -> str:
    """Format a number with three significant digits and its unit."""
    digits = f"{number:,.0f}" if abs(number) >= WIDE else f"{number:.3g}"
    return digits if unit.startswith("tasks") else f"{digits} {unit}".strip()
