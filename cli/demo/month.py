"""Plays the month in `samples/`: each day's notes and messages are accepted, patrolled and counted."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from datetime import time as time_of_day
from typing import Any

from cli.console.failures import Failure
from cli.patrol.run import watched
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.patrol.demand import demand
from memory.upkeep import periodic
from memory.vault import records
from schemas.accounts.accounts import Being
from schemas.nodes.nodes import Cluster
from schemas.patrol.runs import RunReport
from schemas.settings import CHECKOUT
from schemas.vault.vault_requests import NewRecord
from store import clock
from store.accounts import beings, users
from store.nodes import clusters
from store.talk import messages, session_summaries
from workers.embedded.processes import wait_until
from workers.embedded.supervisor import Supervisor
from workers.runtime.resources import Resources

SAMPLES = CHECKOUT / "samples"
EVENING = time_of_day(21, tzinfo=UTC)
NIGHT = timedelta(hours=6)
PAUSE = 0.02
# Seconds.
PATIENCE = 300.0
ALL = 1000


@dataclass(frozen=True)
class Day:
    """One day's notes or messages, in the form of the doors."""

    date: date
    notes: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, Any]] = field(default_factory=list)

    @property
    def amount(self) -> str:
        """How much there is of it."""
        counts = ((len(self.notes), "notes"), (len(self.messages), "messages"))
        return ", ".join(f"{number} {what}" for number, what in counts if number)

    @property
    def highlight(self) -> str:
        """The action of the day's most important scene, or the longest message of the user."""
        scenes = [note["content"] for note in self.notes if isinstance(note["content"], dict)]
        if scenes:
            return str(max(scenes, key=lambda scene: scene.get("importance", 0))["action"])
        return max((str(one["content"]) for one in self.messages if one["role"] == "user"), key=len)


@dataclass(frozen=True)
class Moment:
    """The state of memory while a day's patrol runs."""

    day: Day
    number: int
    run: RunReport
    clusters: list[Cluster]

    def count(self, status: str) -> int:
        """Return how many nodes have the status `active`, `dying` or `dead`."""
        active, dying = sum(one.active_nodes for one in self.clusters), sum(one.dying_nodes for one in self.clusters)
        dead = sum(one.nodes for one in self.clusters) - active - dying
        return {"active": active, "dying": dying, "dead": dead}[status]

    @property
    def topics(self) -> int:
        """How many topics there are below the roots."""
        return sum(not one.is_parent for one in self.clusters)


def read_days(*, talk: bool = False) -> list[Day]:
    """Return all days of the sample of notes and messages, or with `talk` of that of messages alone, in order."""
    days: dict[str, Day] = {}

    def on(day: str) -> Day:
        return days.setdefault(day, Day(date.fromisoformat(day)))

    for note in [] if talk else read_lines("month.jsonl"):
        on(note["metadata"]["day"]).notes.append(note)
    for message in read_lines("talk.jsonl" if talk else "conversation.jsonl"):
        on(message["created_at"][:10]).messages.append(message)
    return list(days.values())


def read_questions(count: int) -> list[str]:
    """Return the first `count` questions of the sample."""
    return [str(line["query"]) for line in read_lines("queries.jsonl")[:count]]


def read_lines(name: str) -> list[dict[str, Any]]:
    """Return the items of a file of the samples, one a line, in order."""
    return [json.loads(line) for line in (SAMPLES / name).read_text(encoding="utf-8").splitlines()]


def make_mizzen(on: Resources) -> Being:
    """Create the sample's user Pip and Being Mizzen, with the vault's records; returns the Being."""
    with on.store.transaction() as tx:
        pip = users.add_user(tx, "pip", "Europe/London")
        mizzen = beings.add_being(tx, pip.user_id, "mizzen", "Mizzen")
    for record in read_lines("vault.jsonl"):
        records.add_memory(on.store, on.settings, mizzen, NewRecord.model_validate({"source": "operator", **record}))
    return mizzen


def make_lumen(on: Resources) -> Being:
    """Create the user Noor and the Being Lumen of the sample of messages; returns the Being."""
    with on.store.transaction() as tx:
        noor = users.add_user(tx, "noor", "Europe/London")
        return beings.add_being(tx, noor.user_id, "lumen", "Lumen")


def pausing(supervisor: Supervisor) -> Callable[[], None]:
    """Return the function to call while waiting: it checks that all processes run, and pauses."""

    def pause() -> None:
        supervisor.check()
        time.sleep(PAUSE)

    return pause


def play_days(
    on: Resources, being: Being, days: list[Day], supervisor: Supervisor, *, thinks: bool
) -> Iterator[Moment]:
    """Play day after day: set the domain clock, accept notes and messages, and demand a patrol.

    Args:
        on: The ledger.
        being: The Being that lives them.
        days: The days, in order.
        supervisor: Of the processes that must run meanwhile.
        thinks: Whether a model summarises the conversations, which each patrol then waits for.

    Yields:
        The state of memory whenever the patrol's progress changes; for each day at last with a run that is done.

    Raises:
        Failure: A patrol failed, or a note was refused.
    """
    meanwhile = pausing(supervisor)
    for number, day in enumerate(days, start=1):
        with on.store.transaction() as tx:
            # The last conversation of a day has been over for half an hour by then.
            clock.set_to(tx, datetime.combine(day.date, EVENING) + (NIGHT if day.messages else timedelta(0)))
        _hand_in(on, being, day)
        if day.messages and thinks:
            periodic.end_idle_sessions(on.store, on.settings)
            wait_for_summaries(on, being, meanwhile)
        run_id = demand(on.store, on.settings, being.being_id)
        for run in watched(on, being, run_id, meanwhile, hints=False):
            yield Moment(day, number, run, on.store.run(clusters.live, being.being_id))
        if run.state == "failed":
            raise Failure(f"The patrol of {day.date} failed: {run.error}")


def _hand_in(on: Resources, being: Being, day: Day) -> None:
    for kind, accept, items in (("note", accept_notes, day.notes), ("message", accept_messages, day.messages)):
        if items:
            receipt = accept(on.store, on.settings, being.being_id, items)
            for trouble in (*receipt.rejected, *receipt.conflicts):
                raise Failure(f"{kind} {trouble.position + 1} of {day.date} in {SAMPLES}: {trouble.reason}")


def wait_for_summaries(on: Resources, being: Being, meanwhile: Callable[[], None]) -> None:
    """Wait until all conversations are summarised and their scenes drawn.

    Raises:
        Failure: They are not in time.
    """
    with on.store.transaction() as tx:
        waiting = {one.session_id for one in messages.sessions(tx, being.being_id, before=None, limit=ALL)}

    def summarised() -> bool:
        meanwhile()
        with on.store.transaction() as tx:
            while waiting and session_summaries.newest(tx, being.being_id, min(waiting)):
                waiting.remove(min(waiting))
        return not waiting

    if not wait_until(summarised, PATIENCE):
        raise Failure(f"{len(waiting)} conversations are not summarised: see the workers' logs.")
