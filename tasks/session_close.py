"""Tasks of the queue `session-close`: summaries of closed sessions, and deliveries to webhooks."""

from memory.due import webhook_delivery
from memory.talk import joint_summary, session_summary
from schemas.ledger import kinds
from schemas.ledger.work import Claim
from workers.runtime.resources import Resources
from workers.runtime.step import step


@step(kinds.SESSION_SUMMARY)
def summarise(on: Resources, claim: Claim) -> None:
    """Summarise a closed session."""
    session_summary.summarise(on.store, on.thinkers, on.settings, claim)


@step(kinds.SHORT_SESSIONS)
def summarise_short(on: Resources, claim: Claim) -> None:
    """Summarise several short sessions of a Being in one model call."""
    joint_summary.summarise(on.store, on.thinkers, on.settings, claim)


@step(kinds.DELIVER_DUE)
def deliver_due(on: Resources, claim: Claim) -> None:
    """Deliver a notice of what is due to its user's webhook."""
    webhook_delivery.deliver(on.store, on.settings, claim)
