"""Measures each part of the system as the chart runs it, in a process of its own: memory and processor time.

It works off messages and notes with the keyless embedder, beside a model provider that answers at once.
"""

import re
import threading
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import yaml

from bench import processes
from bench.figures import Figure
from bench.ground import Ground
from bench.ledger.producers import at_once, hand_in, hand_in_one_by_one, new_client
from bench.ledger.throughput import message
from bench.ledger.workforce import UNREMEMBERED, UNSETTLED, quietly, wait_until_none, workforce
from bench.memories import scene_note
from cli.demo import canned
from cli.operations import stack
from cli.operations.environments import environment
from schemas.settings import CHECKOUT, Settings
from workers.embedded.supervisor import Process
from workers.runtime.addresses import addresses

MESSAGES, NOTES, SINGLE = 2_000, 500, 200
VALUES = CHECKOUT / "deploy" / "chart" / "values.yaml"
MEGABYTES = {"Mi": 1, "Gi": 1024}
# By a part of the command line of the first process of a part.
SIGNS = {r"--hostname ([\w-]+)@": None, r"api\.server": "api", r" flower ": "flower", r" stream$": "stream"}


def parts(ground: Ground) -> Iterator[Figure]:
    """Measure the most memory of each part while it works and the share of a processor that it used."""
    values: dict[str, dict[str, Any]] = yaml.safe_load(VALUES.read_text("utf-8"))["parts"]
    workers = [
        stack.worker(part["concurrency"], quietly, name, [name])
        for name, part in values.items()
        if "concurrency" in part
    ]
    others = [stack.beat(ground.home, quietly), stack.stream(addresses(Settings()).redis_url, quietly), _flower()]
    with workforce(ground, thinks=True, parts=[*workers, *others], embedder={"PATROL_EMBEDDER": "minilm"}) as (url, _):
        with _watched() as watched:
            seconds = _work(ground, url)
        for name, part in values.items():
            limit = re.fullmatch(r"(\d+)(Mi|Gi)", part["resources"]["limits"]["memory"])
            yield Figure(
                what=f"memory of {name}",
                measured=watched.memory[name],
                unit="MB",
                limit=float(limit[1]) * MEGABYTES[limit[2]] if limit else None,
                against="the chart's limit",
                remark=f"{watched.used[name] / seconds:.2f} of a processor",
            )


def _work(ground: Ground, url: str) -> float:
    """Hand in a history, messages one by one and notes, until nothing is left to do; returns the seconds."""
    begun = datetime.now(UTC)
    history = [message(position, begun - timedelta(days=300)) for position in range(MESSAGES)]
    single = [message(position, begun, apart=0) for position in range(SINGLE)]
    talker, liver = new_client(ground, url), new_client(ground, url)
    at_once(
        [
            partial(hand_in, talker, "messages", history),
            partial(hand_in_one_by_one, liver, "messages", single),
            partial(hand_in, new_client(ground, url), "notes", [scene_note(position) for position in range(NOTES)]),
        ]
    )
    for unfinished in (UNREMEMBERED, UNSETTLED):
        wait_until_none(ground, unfinished)
    for query in range(SINGLE):
        talker.post("/recall", json={"query": f"What happened {query} days ago?"}).raise_for_status()
    return (datetime.now(UTC) - begun).total_seconds()


class _Watched:
    """Each part's use: the most memory in MB, and seconds of processor time."""

    def __init__(self) -> None:
        self.memory: Counter[str] = Counter()
        self.used: defaultdict[str, float] = defaultdict(float)

    def look(self) -> None:
        """Look at all parts once."""
        for pid in processes.children():
            if name := _name(processes.command(pid)):
                family = processes.family(pid)
                self.memory[name] = max(self.memory[name], round(processes.alone(family)))
                self.used[name] = max(self.used[name], round(sum(map(processes.processor_seconds, family)), 2))


@contextmanager
def _watched() -> Iterator[_Watched]:
    watched, over = _Watched(), threading.Event()

    def watch() -> None:
        while not over.wait(0.5):
            watched.look()

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield watched
    finally:
        over.set()
        thread.join()


def _name(command: str) -> str | None:
    for sign, name in SIGNS.items():
        if found := re.search(sign, command.strip()):
            return name or found[1]
    return None


def _flower() -> Process:
    argv = stack.flower_command(canned.HOST, canned.free_port())
    return Process("flower", argv, {**environment("flower"), "FLOWER_BASIC_AUTH": "ada:bench"})
