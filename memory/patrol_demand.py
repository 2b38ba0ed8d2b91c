"""When a patrol starts: on demand, when enough notes wait or one has waited long enough, or when a tick is due."""

from datetime import timedelta
from uuid import UUID

from schemas.settings import Settings
from schemas.work import Claim, Ring
from store import notes, runs, work
from store.database import Store
from store.transaction import Transaction, wait_at_most

PATROL_DUE = ("patrol.due", "", "patrol")
PATIENCE = timedelta(milliseconds=100)


def demand(store: Store, settings: Settings, being_id: UUID, *, paid_by: UUID | None = None) -> tuple[UUID, list[Ring]]:
    """Demand a patrol; returns the run that will do it, and what to ring for.

    Args:
        store: The ledger.
        settings: How many notes a run takes.
        being_id: Whose patrol it is.
        paid_by: The key that came with the request, which pays for the thinking of this patrol.

    Raises:
        NotFound: There is no such Being.
    """
    with store.transaction() as tx:
        work.pay_with(tx, paid_by)
        return runs.want(tx, being_id, demanded=True, notes=settings.run_notes)


def ask_for_patrol(tx: Transaction, settings: Settings, being_id: UUID) -> list[Ring]:
    """New notes wait: a patrol is due at once when they are enough, else when the oldest has waited long enough.

    While a patrol is under way nobody is rung for: it looks at what waits when it ends. Asking takes the row that its
    end takes, so either that end sees these notes, or we see that it is over.
    """
    rings = work.ask(tx, being_id, *PATROL_DUE, after=settings.pending_wait)
    if rings or runs.any_running(tx, being_id):
        return rings
    enough = notes.pending(tx, being_id, settings.pending_notes) >= settings.pending_notes
    return work.ask(tx, being_id, *PATROL_DUE) if enough else []


def begin_due(store: Store, settings: Settings, claim: Claim) -> list[Ring]:
    """Begin a patrol that nobody demanded, if notes wait or a tick is due; returns what to ring for."""
    with store.finishing(claim) as tx:
        return _begin(tx, settings, claim.owner_id)


def begin_swept(store: Store, settings: Settings, due: Ring) -> list[Ring]:
    """Begin a patrol that the sweep found to be due, which takes less than a task of its own; returns what to ring for.

    Raises:
        Unavailable: The Being is being written to.
    """
    with store.transaction() as tx:
        wait_at_most(tx, PATIENCE)
        claim = work.claim(tx, due.owner_id, due.kind, due.key, lease=settings.lease, attempts=settings.attempts)
        if claim is None:
            return []
        work.hold(tx, claim)
        rings = _begin(tx, settings, claim.owner_id)
        work.finish(tx, claim)
        return rings


def _begin(tx: Transaction, settings: Settings, being_id: UUID) -> list[Ring]:
    # A patrol under way looks at what waits when it ends; to wait here for its writing would keep a worker from others.
    if runs.any_running(tx, being_id):
        return []
    if not notes.pending(tx, being_id, 1) and not runs.tick_due(tx, being_id, settings.tick):
        return []
    return runs.want(tx, being_id, demanded=False, notes=settings.run_notes)[1]


def reserve(tx: Transaction, being_id: UUID) -> None:
    """Take the row that asks for patrols: work is locked before its Being, here as where that patrol begins."""
    work.reserve(tx, being_id, *PATROL_DUE[:2])


def end(tx: Transaction, settings: Settings, being_id: UUID, run_id: UUID) -> list[Ring]:
    """End a run. The one that waits begins; else notes that came meanwhile, or were too many for it, ask for one.

    Call `reserve` before the Being is locked.
    """
    rings = runs.end(tx, being_id, run_id, notes=settings.run_notes)
    waiting = notes.pending(tx, being_id, 1) > 0
    return rings or (ask_for_patrol(tx, settings, being_id) if waiting else [])


def fail(tx: Transaction, settings: Settings, being_id: UUID, run_id: UUID, error: str) -> list[Ring]:
    """End a run that can't go on. Its notes ask for another, after a while: poison must not go round fast."""
    reserve(tx, being_id)
    rings = runs.end(tx, being_id, run_id, notes=settings.run_notes, error=error)
    if notes.pending(tx, being_id, 1):
        work.ask(tx, being_id, *PATROL_DUE, after=settings.pending_wait)
    return rings


def ask_for_ticks(store: Store, settings: Settings, limit: int = 500) -> list[Ring]:
    """Ask for the patrols of Beings whose last counted one lies a tick back, though nothing came in."""
    with store.transaction() as tx:
        due = runs.beings_due(tx, settings.tick, limit)
        return [ring for being_id in due for ring in work.ask(tx, being_id, *PATROL_DUE)]
