"""What beat does at its times, and slow work in the background. Any number of beats may tick."""

from memory import activation, curator, fact_vectors, patrol_demand, reembedding, upkeep
from memory import spine as spines
from schemas.work import Claim, Ring
from workers.app import app
from workers.doorbell import empty_queues
from workers.resources import Resources
from workers.step import step, tick


@tick(queue="upkeep")
def sweep(on: Resources) -> list[Ring]:
    """Ring for every due row of the ledger that nobody holds, and begin the patrols among them."""
    return upkeep.sweep(on.store, on.settings, empty_queues(app))


@tick(queue="upkeep")
def ticks(on: Resources) -> list[Ring]:
    """Ask for the patrols of Beings for whom time should pass."""
    return patrol_demand.ask_for_ticks(on.store, on.settings)


@tick(queue="upkeep")
def idle_sessions(on: Resources) -> list[Ring]:
    """End the sessions that have been idle for 30 minutes."""
    return upkeep.end_idle_sessions(on.store, on.settings)


@tick(queue="upkeep")
def retention(on: Resources) -> list[Ring]:
    """Let go of what is older than the settings keep."""
    return upkeep.clear(on.store, on.settings)


@tick(queue="upkeep")
def embedders(on: Resources) -> list[Ring]:
    """Ask for the move of Beings, and of users' facts, whose embedder has changed."""
    return [
        *reembedding.ask_for_reembedding(on.store, on.embedders),
        *fact_vectors.ask_for_other_models(on.store, on.embedders),
    ]


@step(queue="upkeep")
def reembed(on: Resources, claim: Claim) -> None:
    """Move a Being to another embedder."""
    reembedding.reembed(on.store, on.embedders, claim)


@step(queue="upkeep")
def embed_facts(on: Resources, claim: Claim) -> list[Ring]:
    """Give a user's facts their vectors."""
    return fact_vectors.embed(on.store, on.embedders, on.settings, claim)


@step(queue="upkeep")
def curate(on: Resources, claim: Claim) -> None:
    """Fold facts that say the same."""
    curator.curate(on.store, claim)


@step(queue="upkeep")
def spine(on: Resources, claim: Claim) -> list[Ring]:
    """Write the long line of what a user has told."""
    return spines.write(on.store, on.thinkers, on.settings, claim)


@step(queue="upkeep")
def activate(on: Resources, claim: Claim) -> None:
    """Credit memories that were found while their Being was written to."""
    activation.activate_kept(on.store, claim)
