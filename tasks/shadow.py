"""The Shadow Judge's tasks."""

from memory import judging
from schemas.work import Claim, Ring
from workers.resources import Resources
from workers.step import step, tick


@step(queue="shadow")
def judge(on: Resources, claim: Claim) -> list[Ring]:
    """Judge what has gathered in a session."""
    return judging.judge(on.store, on.thinkers, on.settings, claim)


@tick(queue="shadow")
def waiting(on: Resources) -> list[Ring]:
    """Wake sessions that waited for a key."""
    return judging.ask_for_waiting(on.store, on.thinkers)
