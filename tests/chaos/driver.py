"""One run of chaos: send input, inject faults, wait until the system is quiet, check."""

import json
import logging
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import psycopg

from memory.nodes import recall
from schemas.errors import Unavailable
from schemas.settings import Settings
from store import clock
from store.accounts import beings
from store.database import Store
from store.llm import breakers
from store.migrate import migrate
from tests.chaos.audit import inconsistencies, is_consistent
from tests.chaos.doors import NoAnswer
from tests.chaos.faults import FAULTS, Fault
from tests.chaos.figures import Event, as_json, finish_times, longest_silence, recoveries, survived, table
from tests.chaos.producers import TOPICS, Manifest, Producer
from tests.chaos.searches import unfound
from tests.chaos.system import System, running_system
from tests.chaos.verdict import count, found_wrong, residue
from tests.chaos.words import WordEmbedders
from workers.embedded.processes import Child
from workers.runtime.logs import configure_logs

PRODUCERS = 3
TALLY_EVERY = 10.0
START_PATIENCE = 180.0
SETTLE_PATIENCE = 300.0


class NotSettled(Exception):
    """The system did not come to rest in time."""


@dataclass
class Chaos:
    """A run: its directory, what starts its processes, and its events so far."""

    directory: Path
    seed: int
    launch: Callable[..., Child] = Child
    manifest: Manifest = field(default_factory=Manifest)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Open the timeline, and log this process's part of the system beside it."""
        self._chance = random.Random(self.seed)
        self._paid: Counter[tuple[str, str]] = Counter()
        self._timeline = (self.directory / "timeline.txt").open("w", encoding="utf-8", buffering=1)
        configure_logs(Settings())
        for handler in logging.getLogger().handlers:
            handler.setStream((self.directory / "driver.log").open("w", encoding="utf-8"))

    def run(self, seconds: float) -> list[str]:
        """Inject faults for a time; returns a line for each violation in the end."""
        with running_system(self.directory / "home", self.launch) as system:
            self._until(
                system, START_PATIENCE, "start", lambda: bool(self._demanded(system) and finish_times(system.store))
            )
            begun = datetime.now(UTC)
            over = threading.Event()
            people = [
                *(self._producer(f"producer{number}", system, over) for number in range(PRODUCERS)),
                threading.Thread(target=self._live, args=[system, over], daemon=True),
            ]
            for person in people:
                person.start()
            self._harm(system, seconds)
            over.set()
            for person in people:
                person.join()
            ended = datetime.now(UTC)
            try:
                self._settle(system)
                return self._judge(system, begun, ended)
            except NotSettled as fault:
                return [str(fault), *inconsistencies(system.store)]

    def say(self, what: str) -> None:
        """Write a line into the timeline."""
        self._timeline.write(f"{datetime.now(UTC).isoformat(timespec='milliseconds')} {what}\n")

    def _producer(self, name: str, system: System, over: threading.Event) -> Producer:
        return Producer(name, self.seed, system.beings, system.doors, self.manifest, system.steady, over)

    def _live(self, system: System, over: threading.Event) -> None:
        """Demand patrols, recall, and advance the clock meanwhile."""
        chance = random.Random(f"{self.seed} life")
        embedders = WordEmbedders(Settings().openai_embedding_dimensions or 0)
        while not over.wait(chance.uniform(0, 1)):
            being_id = chance.choice(system.beings)
            try:
                chance.choice(system.doors).demand(being_id)
                asked = recall.RecallQuery(" ".join(chance.choice([*TOPICS.values()])), 3, 0.35, activate=False)
                with system.store.transaction() as tx:
                    being = beings.get_being(tx, being_id)
                recall.recall(system.store, embedders, being, asked, chance)  # type: ignore[arg-type]
                if chance.random() < 1 / 4:
                    with system.store.transaction() as tx:
                        clock.shift(tx, timedelta(hours=chance.uniform(0, 12)))
            except (NoAnswer, Unavailable):
                self.manifest.tally["wishes without an answer"] += 1

    def _harm(self, system: System, seconds: float) -> None:
        end = time.monotonic() + seconds
        due, told = time.monotonic() + 1, time.monotonic()
        # Each kind once, then by weight.
        first = self._chance.sample(FAULTS, len(FAULTS))
        while time.monotonic() < end:
            system.look_after(self._chance)
            if time.monotonic() >= due:
                weights = [fault.weight for fault in FAULTS]
                self._do(system, first.pop() if first else self._chance.choices(FAULTS, weights)[0])
                due = time.monotonic() + self._chance.uniform(0.3, 1.5)
            if time.monotonic() - told >= TALLY_EVERY:
                told = time.monotonic()
                self._tell(f"{end - told:4.0f} s to go")
            time.sleep(0.05)

    def _do(self, system: System, fault: Fault) -> None:
        begun = datetime.now(UTC)
        detail = fault.do(system, self._chance)
        self.say(f"{fault.name}: {detail} (begun {begun.time().isoformat(timespec='milliseconds')})")
        self.events.append(Event(begun, fault.name, detail, hit=not detail.endswith(("was dead", "none", "answer"))))

    def _settle(self, system: System) -> None:
        """After the faults, send unanswered items again, demand one more patrol each, and wait until all is quiet."""
        self.say("no more harm")
        self._paid += _paid_for(system)
        system.provider.reset()
        # The model answers again: its breakers' probes are due now, and not in some minutes.
        with system.store.transaction() as tx:
            clock.shift(tx, breakers.LONGEST_WAIT)
        for door, items, change in list(self.manifest.unanswered_changes.values()):
            again = partial(self.manifest.change, door, items, change)
            self._until(system, SETTLE_PATIENCE, change.id_, again)
        (door, *_) = system.doors
        for item in self.manifest.unanswered():
            self._until(
                system, SETTLE_PATIENCE, item.name, lambda item=item: self.manifest.hand_in(door, item.being_id, [item])
            )
        self._until(system, SETTLE_PATIENCE, "demanding", lambda: self._demanded(system))
        self._until(
            system,
            SETTLE_PATIENCE,
            "coming to rest",
            lambda: self._is_quiet(system.store) and is_consistent(system.store),
        )
        self.say("at rest")

    def _demanded(self, system: System) -> bool:
        try:
            for being_id in system.beings:
                system.doors[0].demand(being_id)
        except NoAnswer:
            return False
        return True

    def _is_quiet(self, store: Store) -> bool:
        with store.transaction() as tx:
            # Beat makes work of idle sessions, and of what a model that was away has left.
            (row,) = tx.execute(
                """
                select not exists (select from memory.work where state in ('ready', 'running'))
                    and not exists (
                        select
                        from memory.sessions
                        where waits_for_key
                            or ended_at is null and last_activity_at < memory.now() - memory.session_idle()
                    )
                    and not exists (select from memory.session_states where waits_for_key) as quiet
                """
            )
        return bool(row["quiet"])

    def _until(self, system: System, patience: float, what: str, condition: Callable[[], bool]) -> None:
        end = time.monotonic() + patience
        while not condition():
            system.look_after(self._chance)
            if time.monotonic() > end:
                raise NotSettled(f"{what} took more than {patience:.0f} s")
            time.sleep(0.2)

    def _judge(self, system: System, begun: datetime, ended: datetime) -> list[str]:
        numbers, wrong = count(system.store, self.manifest)
        with _beside(system.servers.database_url) as url, Store(url) as fresh:
            wrong += found_wrong(system.store, fresh, system.replayable, Settings())
        wrong += residue(system.store, self.manifest)
        wrong += unfound(system.store, self.seed)
        finished = finish_times(system.store)
        tally = {
            "faults": sum(event.hit for event in self.events),
            **survived(self.events),
            "units of work finished": len(finished),
            "dead letters": self._dead_letters(system),
            **self._thoughts(system),
            "scenes drawn": self._scenes_drawn(system),
            **dict(sorted(self.manifest.tally.items())),
        }
        laid_out = (recoveries(self.events, finished), longest_silence(finished, begun, ended), numbers, tally)
        sys.stdout.write(f"\n{table(*laid_out)}\n")
        figures = {"seed": self.seed, "seconds": (ended - begun).total_seconds(), **as_json(*laid_out), "wrong": wrong}
        (self.directory / "figures.json").write_text(json.dumps(figures, indent=2), encoding="utf-8")
        return wrong

    @staticmethod
    def _dead_letters(system: System) -> int:
        with system.store.transaction() as tx:
            return int(tx.value("select count(*) from memory.work where state = 'dead'"))

    @staticmethod
    def _scenes_drawn(system: System) -> int:
        with system.store.transaction() as tx:
            return int(tx.value("select count(*) from memory.notes where origin = 'talk'"))

    def _thoughts(self, system: System) -> dict[str, int]:
        """Report the patrols' model calls, their results, and the calls that were paid for more than once."""
        self._paid += _paid_for(system)
        with system.store.transaction() as tx:
            (merged,) = tx.execute(
                "select count(*) filter (where event = 'absorbed') as absorbed,"
                " count(*) filter (where event = 'moved' and detail ? 'response_id') as moved from memory.node_history"
            )
        return {
            "questions paid for": sum(self._paid.values()),
            "questions paid for again": sum(times - 1 for times in self._paid.values()),
            "memories absorbed": merged["absorbed"],
            "memories moved by a model": merged["moved"],
        }

    def _tell(self, when: str) -> None:
        tally = self.manifest.tally
        sys.stdout.write(
            f"{when}: {len(self.events)} faults, {tally['items sent']} items sent, "
            f"{tally['items accepted']} accepted, {tally['repetitions noticed']} repetitions noticed\n"
        )
        sys.stdout.flush()


def _paid_for(system: System) -> Counter[tuple[str, str]]:
    """Return how often each request was paid for since the provider was last reset."""
    asked = [request for request in system.provider.requests if request.endpoint == "messages" and request.paid]
    return Counter((request.purpose, request.prompt) for request in asked)


@contextmanager
def _beside(database_url: str):
    """Create a migrated, empty database on the same server."""
    url = database_url.replace("/postgres?", "/replayed?")
    with psycopg.connect(database_url, autocommit=True) as server:
        server.execute("create database replayed template template0")
    migrate(url)
    yield url
