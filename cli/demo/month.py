"""The month in `samples/`, and how a day of it is lived: handed in, patrolled, counted."""

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from datetime import time as time_of_day
from itertools import groupby
from typing import Any
from uuid import UUID

from cli.failures import Failure
from cli.ledger import ring
from cli.run import watched
from memory.intake import accept_notes
from memory.patrol_demand import demand
from schemas.answers import RunReport
from schemas.rows import Being, Cluster
from schemas.settings import CHECKOUT
from store import clock, clusters, users
from store.database import Store
from workers.resources import Resources
from workers.supervisor import Supervisor

SAMPLES = CHECKOUT / "samples"
EVENING = time_of_day(21, tzinfo=UTC)
PAUSE = 0.02


@dataclass(frozen=True)
class Day:
    """One day's notes, as they go in."""

    date: date
    notes: list[dict[str, Any]]

    @property
    def highlight(self) -> str:
        """What weighs most of the day."""
        scenes = [note["content"] for note in self.notes if isinstance(note["content"], dict)]
        return str(max(scenes, key=lambda scene: scene.get("importance", 0))["action"]) if scenes else ""


@dataclass(frozen=True)
class Moment:
    """How things stand while a day's patrol is under way."""

    day: Day
    number: int
    run: RunReport
    clusters: list[Cluster]

    def count(self, status: str) -> int:
        """How many memories are `active` or `dying` or `dead`."""
        active, dying = sum(one.active_nodes for one in self.clusters), sum(one.dying_nodes for one in self.clusters)
        dead = sum(one.nodes for one in self.clusters) - active - dying
        return {"active": active, "dying": dying, "dead": dead}[status]

    @property
    def topics(self) -> int:
        """How many topics were born below the roots, and live."""
        return sum(not one.is_parent for one in self.clusters)


def read_days() -> list[Day]:
    """All days of the sample, in order."""
    lines = (SAMPLES / "month.jsonl").read_text(encoding="utf-8").splitlines()
    notes = [json.loads(line) for line in lines]
    return [
        Day(date.fromisoformat(day), list(of_day))
        for day, of_day in groupby(notes, lambda note: note["metadata"]["day"])
    ]


def read_questions(count: int) -> list[str]:
    """The first questions of the sample."""
    lines = (SAMPLES / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [str(json.loads(line)["query"]) for line in lines[:count]]


def make_mizzen(store: Store) -> Being:
    """Pip, who owns the Being of the sample, and the Being."""
    with store.transaction() as tx:
        pip = users.add_user(tx, "pip", "Europe/London")
        return users.add_being(tx, pip.user_id, "mizzen", "Mizzen")


def lived(on: Resources, being: Being, days: list[Day], supervisor: Supervisor) -> Iterator[Moment]:
    """Live day after day: the clock is moved, the notes are handed in, and a demanded patrol goes over them.

    Yields:
        How things stand, whenever that changes; each day's last one has a run that is done.

    Raises:
        Failure: A patrol failed, or a note was not taken.
    """

    def meanwhile() -> None:
        supervisor.check()
        time.sleep(PAUSE)

    for number, day in enumerate(days, start=1):
        with on.store.transaction() as tx:
            clock.set_to(tx, datetime.combine(day.date, EVENING))
        _hand_in(on, being, day)
        run_id, rings = demand(on.store, on.settings, being.being_id)
        ring(rings)
        for run in watched(on.store, being.being_id, run_id, meanwhile):
            yield Moment(day, number, run, _clusters(on.store, being.being_id))
        if run.state == "failed":
            raise Failure(f"The patrol of {day.date} failed: {run.error}")


def _hand_in(on: Resources, being: Being, day: Day) -> None:
    accepted = accept_notes(on.store, on.settings, being.being_id, day.notes)
    for trouble in (*accepted.receipt.rejected, *accepted.receipt.conflicts):
        raise Failure(f"{SAMPLES / 'month.jsonl'}: note {trouble.position + 1} of {day.date}: {trouble.reason}")
    ring(accepted.rings)


def _clusters(store: Store, being_id: UUID) -> list[Cluster]:
    with store.transaction() as tx:
        return clusters.live(tx, being_id)
