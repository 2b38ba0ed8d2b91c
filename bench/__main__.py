"""`make bench`: runs benchmarks, prints a table of ratios to this machine's limits, and optionally writes JSON."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from rich.console import Console

from bench.facts import facts
from bench.figures import Figure
from bench.ground import Ground, Scale, ground
from bench.intake.doorbell import doorbell
from bench.intake.ingest import ingest
from bench.intake.turns import turns
from bench.ledger.clients import clients
from bench.ledger.fairness import fairness
from bench.ledger.many_beings import many_beings
from bench.ledger.recall_after_import import recall_after_import
from bench.ledger.throughput import throughput
from bench.machine import Machine
from bench.nodes.embedding import embedding
from bench.nodes.large_recall import large_recall
from bench.nodes.recall import recall
from bench.nodes.word_search import search
from bench.page import page
from bench.patrol.dying import dying
from bench.patrol.patrol import patrol
from bench.patrol.thinking import thinking
from bench.proxy.proxy import proxy
from bench.report import Measured, Report
from bench.search.everything import everything
from bench.startup import startup
from bench.talk import talk
from schemas.settings import Settings
from workers.runtime.logs import configure_logs

BENCHMARKS: dict[str, Callable[[Ground], Iterator[Figure]]] = {
    "ingest": ingest,
    "recall": recall,
    "large_recall": large_recall,
    "search_memory": search,
    "search": everything,
    "turns": turns,
    "proxy": proxy,
    "facts": facts,
    "talk": talk,
    "patrol": patrol,
    "thinking": thinking,
    "flag_dying_nodes": dying,
    "embedding": embedding,
    "doorbell": doorbell,
    "fairness": fairness,
    "throughput": throughput,
    "recall_after_import": recall_after_import,
    "clients": clients,
    "many_beings": many_beings,
    "startup": startup,
    "page": page,
}


def main() -> None:
    """Run the named benchmarks, or all of them."""
    asked = _asked()
    console = Console(width=None if Console().is_terminal else 140)
    configure_logs(Settings(log_level="ERROR"))
    measured: list[Measured] = []
    with ground(
        Scale(asked.minute, asked.imported, tuple(asked.messages), asked.others, asked.nodes, asked.beings)
    ) as on:
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
        help="in how many messages everything is searched; 1000000 takes 5 GB, and builds an index of a million",
    )
    parser.add_argument(
        "--others", type=int, default=100_000, help="messages of another Being, beside which that is done"
    )
    parser.add_argument(
        "--nodes", type=int, default=100_000, help="nodes of the Being that is recalled by its own index"
    )
    parser.add_argument("--beings", type=int, default=1_000, help="Beings that get a few notes each")
    parser.add_argument("--imported", type=int, default=20_000, help="notes that the other Being imports, at most")
    return parser.parse_args()


if __name__ == "__main__":
    main()
