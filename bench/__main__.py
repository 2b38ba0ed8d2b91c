"""`make bench`: runs benchmarks, prints a table of ratios to this machine's limits, and optionally writes JSON."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bench.figures import Figure
from bench.ground import Ground, ground
from bench.ledger.reads import reads
from bench.ledger.recall_after_import import recall_after_import
from bench.ledger.throughput import throughput
from bench.machine import Machine
from bench.proxy.proxy import proxy
from bench.questions import asking
from bench.report import Measured, Report
from bench.startup import startup
from bench.turns import turns
from schemas.settings import Settings
from workers.runtime.logs import configure_logs

BENCHMARKS: dict[str, Callable[[Ground], Iterator[Figure]]] = {
    "throughput": throughput,
    "recall_after_import": recall_after_import,
    "reads": reads,
    "turns": turns,
    "asking": asking,
    "proxy": proxy,
    "startup": startup,
}


def main() -> None:
    """Run the named benchmarks, or all of them."""
    arguments = _arguments()
    console = Console(width=None if Console().is_terminal else 140)
    configure_logs(Settings(log_level="ERROR"))
    measured: list[Measured] = []
    with ground() as on:
        machine = on.store.run(Machine.this)
        console.print(machine.in_words(), style="dim")
        for name in arguments.only:
            begun = perf_counter()
            figures = list(BENCHMARKS[name](on))
            measured.append(Measured(name=name, figures=figures, seconds=perf_counter() - begun))
            console.print(measured[-1].table())
    if arguments.json:
        report = Report(machine=machine, benchmarks=measured)
        arguments.json.write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS), metavar="NAME")
    return parser.parse_args()


if __name__ == "__main__":
    main()
