"""Health is progress: due work is taken, beat ticks, workers finish things. A reachable socket proves none of it."""

from dataclasses import dataclass
from datetime import timedelta

from schemas.settings import Settings
from store import work
from store.database import Store

SWEEPS_MISSED = 10
LEAST_SILENCE = timedelta(seconds=30)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `words` say what was found, and if it is bad what to do."""

    name: str
    good: bool
    words: str


def findings(store: Store, settings: Settings) -> list[Finding]:
    """Look into the ledger for progress."""
    silence = max(SWEEPS_MISSED * timedelta(seconds=settings.sweep_every), LEAST_SILENCE)
    with store.transaction() as tx:
        oldest = work.oldest_due(tx)
        sweep = work.since_pulse(tx, "sweep")
        finished = work.since_finished(tx)
        dead = sum(states.get("dead", 0) for states in work.counts(tx).values())
    late = oldest is not None and oldest > settings.due_limit
    return [
        Finding(
            "due work",
            not late,
            f"the oldest due work has waited {_seconds(oldest)}"
            + (
                f", longer than PATROL_DUE_LIMIT: no worker takes it; last finished {_seconds(finished)} ago"
                if late
                else ""
            ),
        )
        if oldest is not None
        else Finding("due work", good=True, words="nothing waits"),
        Finding(
            "beat",
            sweep is not None and sweep <= silence,
            "the sweep has never run: start `patrol beat` and a worker for the queue `upkeep`"
            if sweep is None
            else f"the sweep last ran {_seconds(sweep)} ago"
            + ("" if sweep <= silence else ": see whether `patrol beat` and a worker for `upkeep` run"),
        ),
        Finding(
            "dead work",
            good=True,
            words=f"{dead} dead: see `patrol work list --state dead`" if dead else "none",
        ),
    ]


def _seconds(span: timedelta | None) -> str:
    return "an unknown time" if span is None else f"{span.total_seconds():.0f} s"
