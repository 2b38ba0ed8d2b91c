"""Health is progress: due work is taken, what is taken gets done, beat ticks. A reachable socket proves none of it."""

from dataclasses import dataclass
from datetime import timedelta

from schemas.settings import Settings
from store import work
from store.database import Store
from store.transaction import Transaction

SWEEPS_MISSED = 10
LEAST_SILENCE = timedelta(seconds=30)
# A step may take long while a model is slow; that nothing at all is finished for so many limits is another matter.
LIMITS_HELD = 10


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `words` say what was found, and if it is bad what to do."""

    name: str
    good: bool
    words: str


def findings(store: Store, settings: Settings) -> list[Finding]:
    """Look into the ledger for progress."""
    with store.transaction() as tx:
        return [_due(tx, settings), _held(tx, settings), _beat(tx, settings), _dead(tx)]


def _due(tx: Transaction, settings: Settings) -> Finding:
    oldest = work.oldest_due(tx)
    if oldest is None:
        return Finding("due work", good=True, words="nothing waits")
    words = f"the oldest due work has waited {_seconds(oldest)}"
    if oldest <= settings.due_limit:
        return Finding("due work", good=True, words=words)
    return Finding(
        "due work",
        good=False,
        words=f"{words}, and no worker takes it: see whether one runs for its queue, and listens",
    )


def _held(tx: Transaction, settings: Settings) -> Finding:
    held, finished = work.longest_held(tx), work.since_finished(tx)
    if held is None:
        return Finding("work in hand", good=True, words="none")
    limit = LIMITS_HELD * settings.due_limit
    words = f"held for {_seconds(held)} at the longest"
    if held <= limit or (finished is not None and finished <= limit):
        return Finding("work in hand", good=True, words=words)
    return Finding(
        "work in hand", good=False, words=f"{words}, and nothing was finished meanwhile: see the workers' logs"
    )


def _beat(tx: Transaction, settings: Settings) -> Finding:
    silence = max(SWEEPS_MISSED * timedelta(seconds=settings.sweep_every), LEAST_SILENCE)
    swept = work.since_pulse(tx, "sweep")
    look = "see whether `patrol beat` and a worker for the queue `upkeep` run"
    if swept is None:
        return Finding("beat", good=False, words=f"the sweep has never run: {look}")
    words = f"the sweep ran {_seconds(swept)} ago"
    return Finding("beat", good=swept <= silence, words=words if swept <= silence else f"{words}: {look}")


def _dead(tx: Transaction) -> Finding:
    dead = work.dead(tx)
    return Finding("dead work", good=True, words=f"{dead} dead: see `patrol work list`" if dead else "none")


def _seconds(span: timedelta) -> str:
    return f"{span.total_seconds():.0f} s"
