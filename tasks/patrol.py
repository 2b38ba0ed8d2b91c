"""The patrol's tasks, in the order of the chain: each is idempotent, and its only argument names the run.

embed → assign → session_counts → dying → consolidate → revive → split → merge → diary
"""

from functools import partial

from memory import patrol, patrol_demand
from schemas.work import Claim, Ring
from workers.resources import Resources
from workers.step import step

patrol_step = partial(step, bury=patrol.bury)


@step(queue="patrol")
def due(on: Resources, claim: Claim) -> list[Ring]:
    """Begin a patrol that nobody demanded."""
    return patrol_demand.begin_due(on.store, on.settings, claim)


@patrol_step(queue="patrol")
def embed(on: Resources, claim: Claim) -> None:
    """❶ Turn the stamped notes into fresh nodes."""
    patrol.embed(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(queue="patrol")
def assign(on: Resources, claim: Claim) -> None:
    """❶ Give each new node its cluster."""
    patrol.assign(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(queue="patrol")
def session_counts(on: Resources, claim: Claim) -> None:
    """❷ Let a patrol's worth of time pass."""
    patrol.session_counts(on.store, on.settings, claim)


@patrol_step(queue="patrol")
def dying(on: Resources, claim: Claim) -> None:
    """❸ Flag what has faded."""
    patrol.dying(on.store, claim)


@patrol_step(queue="patrol-llm")
def consolidate(on: Resources, claim: Claim) -> None:
    """❹ Merge what belongs together."""
    patrol.consolidate(on.store, on.embedders, on.thinkers, on.settings, claim)


@patrol_step(queue="patrol")
def revive(on: Resources, claim: Claim) -> None:
    """❺ Bring back what was asked for."""
    patrol.revive(on.store, claim)


@patrol_step(queue="patrol-llm")
def split(on: Resources, claim: Claim) -> None:
    """❻ Let crowded clusters split."""
    patrol.split(on.store, on.thinkers, on.settings, claim)


@patrol_step(queue="patrol")
def merge(on: Resources, claim: Claim) -> None:
    """❼ Let small clusters join others."""
    patrol.merge(on.store, claim)


@patrol_step(queue="patrol-llm")
def diary(on: Resources, claim: Claim) -> list[Ring]:
    """Write the diary, and end the run."""
    return patrol.diary(on.store, on.thinkers, on.settings, claim)
