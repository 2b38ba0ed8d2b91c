"""Plays the month in this process: the use cases behind the tasks, on a real Postgres, with the clock moved by days."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from memory.facts import curator, vectors
from memory.intake.messages import accept_messages
from memory.patrol import demand, steps
from memory.talk import joint_summary, judging, rolling, session_summary, spine
from memory.upkeep import periodic
from providers.embedders import Embedders
from providers.errors import BadAnswer, InputRefused, Transient
from providers.thinkers import Thinkers
from schemas.accounts.accounts import Being
from schemas.errors import BudgetSpent
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store import clock
from store.accounts import beings, users
from store.database import Store
from store.ledger import work

MONTH = Path(__file__).parent / "month.jsonl"
# No second worker waits for what this one holds.
LEASE = timedelta(days=1)
IDLE = timedelta(minutes=45)
TRIES = 5
PAUSE_SECONDS = 10.0


@dataclass
class Player:
    """A Being to which the month happens.

    Attributes:
        failed: How many units of work failed for good, by kind.
    """

    store: Store
    settings: Settings
    embedders: Embedders
    thinkers: Thinkers
    being: Being
    failed: Counter[str] = field(default_factory=Counter)

    @classmethod
    def new(
        cls, store: Store, settings: Settings, embedders: Embedders, thinkers: Thinkers, user_name: str = "Tove"
    ) -> "Player":
        """Make a user with a Being."""
        with store.transaction() as tx:
            user = users.add_user(tx, user_name, "UTC")
            being = beings.add_being(tx, user.user_id, "lark", "Lark")
        return cls(store, settings, embedders, thinkers, being)

    def play(self) -> Iterator[str]:
        """Hand in each conversation at its time, do the work that it causes, and demand a patrol; yields the day."""
        for day, messages in days():
            self.store.run(clock.set_to, datetime.fromisoformat(messages[-1]["created_at"]) + IDLE)
            accept_messages(self.store, self.settings, self.being.being_id, messages)
            periodic.end_idle_sessions(self.store, self.settings)
            self._work_off()
            demand.demand(self.store, self.settings, self.being.being_id)
            self._work_off()
            yield day

    def _work_off(self) -> None:
        doing = _doing(self)
        while claims := self._due(list(doing)):
            for claim in claims:
                self._do(claim, doing[claim.kind])

    def _do(self, claim: Claim, do: Callable[[Claim], object]) -> None:
        for tries in range(1, TRIES + 1):
            try:
                do(claim)
            except Transient as busy:
                if tries < TRIES:
                    time.sleep(PAUSE_SECONDS if busy.retry_after is None else busy.retry_after)
            except (BadAnswer, InputRefused, BudgetSpent):
                break
            else:
                return
        self.failed[claim.kind] += 1

    def _due(self, of: Sequence[str]) -> list[Claim]:
        with self.store.transaction() as tx:
            rows = tx.execute(
                """
                select owner_id, kind, key
                from memory.work
                where owner_id = any(%s) and kind = any(%s) and state = 'ready' and next_at <= clock_timestamp()
                order by created_at
                """,
                [[self.being.being_id, self.being.user_id], of],
            ).fetchall()
            claims = [
                work.claim(tx, row["owner_id"], row["kind"], row["key"], lease=LEASE, attempts=TRIES) for row in rows
            ]
        return [claim for claim in claims if claim]


def days() -> list[tuple[str, list[dict[str, Any]]]]:
    """The month's messages by day, in order."""
    lines = [from_json(line) for line in MONTH.read_text("utf-8").splitlines()]
    return [
        (day, list(lines_of_day)) for day, lines_of_day in groupby(lines, lambda message: message["created_at"][:10])
    ]


def _doing(on: Player) -> dict[str, Callable[[Claim], object]]:
    """The function for each kind of work that thinks, or that a thinking one waits for."""
    store, embedders, thinkers, settings = on.store, on.embedders, on.thinkers, on.settings
    return {
        kinds.JUDGE.name: lambda claim: judging.judge(store, thinkers, settings, claim),
        kinds.ROLLING_SUMMARY.name: lambda claim: rolling.summarise(store, thinkers, settings, claim),
        kinds.SESSION_SUMMARY.name: lambda claim: session_summary.summarise(store, thinkers, settings, claim),
        kinds.SHORT_SESSIONS.name: lambda claim: joint_summary.summarise(store, thinkers, settings, claim),
        kinds.SPINE.name: lambda claim: spine.write(store, thinkers, settings, claim),
        kinds.EMBED_FACTS.name: lambda claim: vectors.embed(store, embedders, settings, claim),
        kinds.CURATE.name: lambda claim: curator.curate(store, thinkers, settings, claim),
        "patrol.embed": lambda claim: steps.embed(store, embedders, thinkers, settings, claim),
        "patrol.assign": lambda claim: steps.assign(store, embedders, thinkers, settings, claim),
        "patrol.session_counts": lambda claim: steps.session_counts(store, settings, claim),
        "patrol.dying": lambda claim: steps.dying(store, claim),
        "patrol.consolidate": lambda claim: steps.consolidate(store, embedders, thinkers, settings, claim),
        "patrol.revive": lambda claim: steps.revive(store, claim),
        "patrol.split": lambda claim: steps.split(store, embedders, thinkers, settings, claim),
        "patrol.merge": lambda claim: steps.merge(store, claim),
        "patrol.diary": lambda claim: steps.diary(store, thinkers, settings, claim),
    }
