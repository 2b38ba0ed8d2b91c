"""What is done when a conversation is closed."""

from memory import closing
from schemas.work import Claim, Ring
from workers.resources import Resources
from workers.step import step


@step(queue="session-close")
def summarise(on: Resources, claim: Claim) -> list[Ring]:
    """Sum up a closed conversation."""
    return closing.summarise(on.store, on.thinkers, on.settings, claim)
