"""Runs a patrol in this process: the use cases behind the tasks, one after the other, without Celery."""

from collections.abc import Collection
from datetime import timedelta
from uuid import UUID

from memory.patrol import demand
from memory.patrol import steps as patrol
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.errors import Withdrawn
from schemas.ledger.kinds import PATROL_STEPS
from schemas.patrol.runs import Run
from schemas.settings import Settings
from store.database import Store
from store.ledger import work
from store.patrol import runs

LEASE = timedelta(seconds=30)
ATTEMPTS = 5


def walk_patrol(
    store: Store, embedders: Embedders, settings: Settings, being_id: UUID, thinkers: Thinkers | None = None
) -> Run:
    """Demand a patrol and run all its steps; returns the finished run."""
    run_id = demand.demand(store, settings, being_id)
    return walk_run(store, embedders, settings, being_id, run_id, thinkers=thinkers)


def walk_run(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    being_id: UUID,
    run_id: UUID,
    steps: Collection[str] = PATROL_STEPS,
    thinkers: Thinkers | None = None,
) -> Run:
    """Run a run's remaining steps, or the named ones of them; `thinkers` default to those of the settings."""
    thinkers = thinkers or Thinkers(settings)
    doing = {
        "embed": lambda claim: patrol.embed(store, embedders, thinkers, settings, claim),
        "assign": lambda claim: patrol.assign(store, embedders, thinkers, settings, claim),
        "session_counts": lambda claim: patrol.session_counts(store, settings, claim),
        "dying": lambda claim: patrol.dying(store, claim),
        "consolidate": lambda claim: patrol.consolidate(store, embedders, thinkers, settings, claim),
        "revive": lambda claim: patrol.revive(store, claim),
        "split": lambda claim: patrol.split(store, embedders, thinkers, settings, claim),
        "merge": lambda claim: patrol.merge(store, claim),
        "diary": lambda claim: patrol.diary(store, thinkers, settings, claim),
    }
    for step in (step for step in PATROL_STEPS if step in steps):
        with store.transaction() as tx:
            claim = work.claim(tx, being_id, f"patrol.{step}", str(run_id), lease=LEASE, attempts=ATTEMPTS)
        while claim is not None:
            try:
                doing[step](claim)
                break
            except Withdrawn:
                with store.transaction() as tx:
                    work.hand_back(tx, claim)
                    claim = work.claim(tx, being_id, claim.kind, claim.key, lease=LEASE, attempts=ATTEMPTS)
    with store.transaction() as tx:
        return runs.get(tx, being_id, run_id)
