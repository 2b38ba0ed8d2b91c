"""`make bench`: runs benchmarks, prints a table of ratios to this machine's limits, and optionally writes JSON."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bench.doorbell import doorbell
from bench.dying import dying
from bench.embedding import embedding
from bench.everything import everything
from bench.facts import facts
from bench.fairness import fairness
from bench.figures import Figure
from bench.ground import Ground, Scale, ground
from bench.ingest import ingest
from bench.machine import Machine
from bench.patrol import patrol
from bench.recall import recall
from bench.report import Measured, Report
from bench.search import search
from bench.talk import talk
from bench.thinking import thinking
from bench.throughput import throughput
from bench.turns import turns
from schemas.settings import Settings
from workers.runtime.logs import configure_logs

BENCHMARKS: dict[str, Callable[[Ground], Iterator[Figure]]] = {
    "ingest": ingest,
    "recall": recall,
    "search_memory": search,
    "search": everything,
    "turns": turns,
    "facts": facts,
    "talk": talk,
    "patrol": patrol,
    "thinking": thinking,
    "flag_dying_nodes": dying,
    "embedding": embedding,
    "doorbell": doorbell,
    "fairness": fairness,
    "throughput": throughput,
}


def main() -> None:
    """Run the named benchmarks, or all of them."""
    asked = _asked()
    console = Console(width=None if Console().is_terminal else 140)
    configure_logs(Settings(log_level="ERROR"))
    measured: list[Measured] = []
    with ground(Scale(asked.minute, asked.imported, tuple(asked.messages))) as on:
        with on.store.transaction() as tx:
            machine = Machine.this(tx)
        console.print(machine.in_words(), style="dim")
        for name in asked.only:
            begun = perf_counter()
            figures = list(BENCHMARKS[name](on))
            measured.append(Measured(name=name, figures=figures, seconds=perf_counter() - begun))
            console.print(measured[-1].table())
    if asked.json:
        report = Report(machine=machine, benchmarks=measured)
        asked.json.write_text(report.model_dump_json(indent=2) + "\n", encoding="utf-8")


def _asked() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there as well")
    parser.add_argument("--only", nargs="+", choices=BENCHMARKS, default=list(BENCHMARKS), metavar="NAME")
    parser.add_argument("--minute", type=float, default=60.0, help="seconds in which the doorbell's items arrive")
    parser.add_argument(
        "--messages",
        nargs="+",
        type=int,
        default=[10_000, 100_000],
        help="in how many messages everything is searched; 1000000 takes some ten minutes and 5 GB",
    )
    parser.add_argument("--imported", type=int, default=20_000, help="notes that the other Being imports, at most")
    return parser.parse_args()


if __name__ == "__main__":
    main()
