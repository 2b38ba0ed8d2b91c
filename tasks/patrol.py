"""The patrol's tasks, in the order of the chain: each is idempotent, and its only argument names the run."""

from collections.abc import Mapping

from memory.patrol import demand, steps
from schemas.ledger.kinds import PATROL_DUE, STEPS
from workers.runtime.step import Do, step

CHAIN: Mapping[str, Do] = {
    "embed": steps.embed,
    "assign": steps.assign,
    "session_counts": steps.session_counts,
    "dying": steps.dying,
    "consolidate": steps.consolidate,
    "revive": steps.revive,
    "split": steps.split,
    "merge": steps.merge,
    "diary": steps.diary,
}

step(PATROL_DUE, demand.begin_due)
for name, do in CHAIN.items():
    step(STEPS[name], do, bury=steps.bury)
