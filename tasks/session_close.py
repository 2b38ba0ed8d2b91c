"""Tasks of the queue `session-close`: summaries of closed sessions, and deliveries to webhooks."""

from memory.due import webhook_delivery
from memory.talk import joint_summary, session_summary
from schemas.ledger import kinds
from workers.runtime.step import step

step(kinds.SESSION_SUMMARY, lambda on, claim: session_summary.summarise(on.store, on.thinkers, on.settings, claim))
step(kinds.SHORT_SESSIONS, lambda on, claim: joint_summary.summarise(on.store, on.thinkers, on.settings, claim))
step(kinds.DELIVER_DUE, lambda on, claim: webhook_delivery.deliver(on.store, on.settings, claim))
