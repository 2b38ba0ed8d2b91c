"""Tasks of the queue `rolling`: rolling summaries."""

from memory.talk import rolling, sessions
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from workers.runtime.resources import Resources
from workers.runtime.step import step, tick


@step(kinds.ROLLING_SUMMARY)
def summarise(on: Resources, claim: Claim) -> None:
    """Rewrite a Being's rolling summary."""
    rolling.summarise(on.store, on.thinkers, on.settings, claim)


@tick(kinds.WAITING_SUMMARIES)
def waiting(on: Resources) -> None:
    """Wake summaries that waited for a key."""
    sessions.request_waiting(on.store, on.thinkers)
