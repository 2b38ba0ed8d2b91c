"""Tasks of the queue `shadow`: facts and todos from messages (the seed's Shadow Judge)."""

from memory.facts import seed_comparison
from memory.talk import judging
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from workers.runtime.resources import Resources
from workers.runtime.step import step, tick


@step(kinds.JUDGE)
def judge(on: Resources, claim: Claim) -> None:
    """Extract facts and todos from a session's unjudged messages."""
    judging.judge(on.store, on.thinkers, on.settings, claim)


@tick(kinds.WAITING_SESSIONS)
def waiting(on: Resources) -> None:
    """Wake sessions, and users' seeds, that waited for a key."""
    judging.request_waiting(on.store, on.thinkers)
    seed_comparison.request_waiting(on.store, on.thinkers)
