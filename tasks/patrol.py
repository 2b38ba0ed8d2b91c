"""The patrol's tasks, in the order of the chain: each is idempotent, and its only argument names the run."""

from collections.abc import Mapping

from memory.patrol import demand, steps
from schemas.ledger.kinds import PATROL_DUE, STEPS
from workers.runtime.step import Do, step

CHAIN: Mapping[str, Do] = {
    "embed": lambda on, claim: steps.embed(on.store, on.embedders, on.thinkers, on.settings, claim),
    "assign": lambda on, claim: steps.assign(on.store, on.embedders, on.thinkers, on.settings, claim),
    "session_counts": lambda on, claim: steps.session_counts(on.store, on.settings, claim),
    "dying": lambda on, claim: steps.dying(on.store, claim),
    "consolidate": lambda on, claim: steps.consolidate(on.store, on.embedders, on.thinkers, on.settings, claim),
    "revive": lambda on, claim: steps.revive(on.store, claim),
    "split": lambda on, claim: steps.split(on.store, on.embedders, on.thinkers, on.settings, claim),
    "merge": lambda on, claim: steps.merge(on.store, claim),
    "diary": lambda on, claim: steps.diary(on.store, on.thinkers, on.settings, claim),
}

step(PATROL_DUE, lambda on, claim: demand.begin_due(on.store, on.settings, claim))
for name, do in CHAIN.items():
    step(STEPS[name], do, bury=steps.bury)
