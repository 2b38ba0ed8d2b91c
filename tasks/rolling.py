"""The rolling summary's tasks."""

from memory import conversation, rolling
from schemas.work import Claim, Ring
from workers.resources import Resources
from workers.step import step, tick


@step(queue="rolling")
def summarise(on: Resources, claim: Claim) -> list[Ring]:
    """Rewrite a Being's rolling summary."""
    return rolling.summarise(on.store, on.thinkers, on.settings, claim)


@tick(queue="rolling")
def waiting(on: Resources) -> list[Ring]:
    """Wake summaries that waited for a key."""
    return conversation.ask_for_waiting(on.store, on.thinkers)
