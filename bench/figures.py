"""The figures of a benchmark, each with the limit that it is compared with."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter
from typing import Literal

from pydantic import BaseModel, ConfigDict, computed_field

Unit = Literal["", "ms", "s", "/s", "MB", "tasks per 1,000"]


class Figure(BaseModel):
    """One line of the table."""

    model_config = ConfigDict(frozen=True)

    what: str
    measured: float
    unit: Unit
    limit: float | None = None
    against: str = ""
    remark: str = ""

    @computed_field  # type: ignore[prop-decorator]  # mypy does not know decorators above `property`
    @property
    def ratio(self) -> float | None:
        """The cost relative to the limit's: 1 is as good as the limit, for rates and for times."""
        if not self.limit or not self.measured:
            return None
        return self.limit / self.measured if self.unit == "/s" else self.measured / self.limit


@dataclass(frozen=True)
class Times:
    """The durations of repeated runs, in seconds."""

    seconds: Sequence[float]

    @property
    def p50(self) -> float:
        """The median, in milliseconds."""
        return 1000 * median(self.seconds)

    @property
    def p95(self) -> float:
        """The 95th percentile, in milliseconds."""
        return 1000 * quantiles(self.seconds, n=20, method="inclusive")[-1]


def timed(*acts: Callable[[], object], times: int, warm_up: int = 2) -> list[Times]:
    """Run functions in turn, repeatedly, and time each; the first `warm_up` rounds are not counted.

    In turn, because whatever else the machine does must hit a thing and its limit alike.
    """
    seconds: list[list[float]] = [[] for _ in acts]
    for _ in range(warm_up + times):
        for act, took in zip(acts, seconds, strict=True):
            begun = perf_counter()
            act()
            took.append(perf_counter() - begun)
    return [Times(took[warm_up:]) for took in seconds]
