"""The patrol's tasks, in the order of the chain: each is idempotent, and its only argument names the run.

embed → assign → session_counts → dying → consolidate → revive → split → merge → diary
"""

from functools import partial

from memory.patrol import demand, steps
from schemas.ledger.kinds import PATROL_DUE, STEPS
from schemas.ledger.work import Claim
from workers.runtime.resources import Resources
from workers.runtime.step import step

patrol_step = partial(step, bury=steps.bury)


@step(PATROL_DUE)
def due(on: Resources, claim: Claim) -> None:
    """Start a patrol that is due by number of notes, age of notes, or time."""
    demand.begin_due(on.store, on.settings, claim)


@patrol_step(STEPS["embed"])
def embed(on: Resources, claim: Claim) -> None:
    """❶ Turn the run's notes into fresh nodes."""
    steps.embed(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(STEPS["assign"])
def assign(on: Resources, claim: Claim) -> None:
    """❶ Give each new node its cluster."""
    steps.assign(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(STEPS["session_counts"])
def session_counts(on: Resources, claim: Claim) -> None:
    """❷ Raise the Being's patrol counter, by which memories age."""
    steps.session_counts(on.store, on.settings, claim)


@patrol_step(STEPS["dying"])
def dying(on: Resources, claim: Claim) -> None:
    """❸ Mark nodes as dying whose effective importance is 0.05 or less."""
    steps.dying(on.store, claim)


@patrol_step(STEPS["consolidate"])
def consolidate(on: Resources, claim: Claim) -> None:
    """❹ Merge nodes that a model says belong together."""
    steps.consolidate(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(STEPS["revive"])
def revive(on: Resources, claim: Claim) -> None:
    """❺ Revive dead nodes that were recalled."""
    steps.revive(on.store, claim)


@patrol_step(STEPS["split"])
def split(on: Resources, claim: Claim) -> None:
    """❻ Split large clusters into topics."""
    steps.split(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(STEPS["merge"])
def merge(on: Resources, claim: Claim) -> None:
    """❼ Merge small clusters into their nearest siblings or roots."""
    steps.merge(on.store, claim)


@patrol_step(STEPS["diary"])
def diary(on: Resources, claim: Claim) -> None:
    """Write the diary and the notes for the next conversation, and finish the run."""
    steps.diary(on.store, on.thinkers, on.settings, claim)
