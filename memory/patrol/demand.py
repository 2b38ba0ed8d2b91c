"""Starts patrols.

They start on demand, when enough notes are pending or one has waited long enough, when a tick is due, or when a
provider is back that was away during the last one.
"""

from datetime import timedelta
from uuid import UUID

from providers.thinkers import platform_llm_disabled
from schemas.ledger.kinds import PATROL_DUE
from schemas.ledger.work import Claim, TaskMessage
from schemas.patrol.runs import Run
from schemas.settings import Settings
from store.database import Store
from store.intake import notes
from store.ledger import work
from store.patrol import runs
from store.transaction import Transaction, wait_at_most

PATIENCE = timedelta(milliseconds=100)


def demand(store: Store, settings: Settings, being_id: UUID) -> UUID:
    """Demand a patrol; returns the id of its run, which may wait for the current run to end.

    Args:
        settings: How many notes a run takes.

    Raises:
        NotFound: There is no such Being.
    """
    return store.run(runs.want, being_id, demanded=True, notes=settings.run_notes)


def begin_or_request(tx: Transaction, settings: Settings, being_id: UUID) -> None:
    """Begin a patrol for new notes if enough are pending, else request one; the last thing that a transaction does."""
    if not runs.begin_if_free(tx, being_id, least=settings.pending_notes, notes=settings.run_notes):
        request_patrol(tx, settings, being_id)


def request_patrol(tx: Transaction, settings: Settings, being_id: UUID) -> None:
    """Request a patrol for new notes: at once if enough are pending, else when the oldest has waited long enough.

    While a run is in progress no message is sent: its end checks for pending notes. Both lock the same work row, so
    either the end sees these notes, or this call sees that the run has ended.
    """
    due = work.ask(tx, being_id, PATROL_DUE, after=settings.pending_wait)
    if due or runs.any_running(tx, being_id):
        return
    if notes.pending(tx, being_id, settings.pending_notes) >= settings.pending_notes:
        work.ask(tx, being_id, PATROL_DUE)


def begin_due(store: Store, settings: Settings, claim: Claim) -> None:
    """Begin an automatic patrol, if notes are pending or a tick is due."""
    with store.finishing(claim) as tx:
        _begin(tx, settings, claim.owner_id)


def begin_swept(store: Store, settings: Settings, due: TaskMessage) -> None:
    """Begin an automatic patrol within the sweep, which is cheaper than a task of its own.

    Raises:
        Unavailable: Another transaction holds the Being's lock.
    """
    with store.transaction() as tx:
        wait_at_most(tx, PATIENCE)
        claim = work.claim(tx, due.owner_id, due.kind, due.key, lease=settings.lease, attempts=settings.attempts)
        if claim is None:
            return
        work.hold(tx, claim)
        _begin(tx, settings, claim.owner_id)
        work.finish(tx, claim)


def _begin(tx: Transaction, settings: Settings, being_id: UUID) -> None:
    # The end of a run checks for pending notes; waiting for its lock here would block a worker.
    if runs.any_running(tx, being_id):
        return
    if notes.pending(tx, being_id, 1) or runs.tick_due(tx, being_id, settings.tick):
        runs.want(tx, being_id, demanded=False, notes=settings.run_notes)


def reserve(tx: Transaction, being_id: UUID) -> None:
    """Lock the work row that requests patrols. Lock order: work rows before their Being."""
    work.reserve(tx, being_id, PATROL_DUE)


def end(tx: Transaction, settings: Settings, run: Run) -> None:
    """End a run: the queued one begins, or another if enough notes came or it left notes or nodes over.

    Call `reserve` before the Being is locked.

    Args:
        settings: How many notes a run takes, and how many begin one.
        run: The run with the reports of its steps. `further` of consolidation says that nodes are left over.
    """
    being_id = run.being_id
    if runs.end(tx, being_id, run.run_id, notes=settings.run_notes):
        return
    waiting = notes.pending(tx, being_id, settings.pending_notes)
    if (
        "further" in run.steps["consolidate"]
        or waiting >= settings.pending_notes
        or (waiting and notes.left_over(tx, being_id, run.run_id))
    ):
        runs.want(tx, being_id, demanded=False, notes=settings.run_notes)
    elif waiting:
        work.ask(tx, being_id, PATROL_DUE, after=settings.pending_wait)


def fail(tx: Transaction, settings: Settings, being_id: UUID, run_id: UUID, error: str) -> None:
    """End a failed run. Its notes request another after `pending_wait`, so that a poisoned note does not loop fast."""
    reserve(tx, being_id)
    runs.end(tx, being_id, run_id, notes=settings.run_notes, error=error)
    if notes.pending(tx, being_id, 1):
        work.ask(tx, being_id, PATROL_DUE, after=settings.pending_wait)


def ask_for_ticks(store: Store, settings: Settings) -> None:
    """Ask for the patrols of up to 500 Beings with the last counted patrol at least a tick ago, even without input."""
    with store.transaction() as tx:
        for being_id in runs.beings_due(tx, settings.tick, 500):
            work.ask(tx, being_id, PATROL_DUE)


def begin_owed(store: Store, settings: Settings) -> None:
    """Begin up to 20 patrols for steps that earlier ones skipped, where a model can be used now."""
    platform = not platform_llm_disabled(settings)
    owing = store.run(runs.beings_owing, platform=platform, limit=20)
    for being_id in owing:
        store.run(runs.want, being_id, demanded=False, notes=settings.run_notes)
