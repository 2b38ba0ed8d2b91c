"""Tasks of the queue `session-close`: summaries of closed sessions, and deliveries to webhooks."""

from memory.due import webhook_delivery
from memory.talk import joint_summary, session_summary
from schemas.ledger import kinds
from workers.runtime.step import step

step(kinds.SESSION_SUMMARY, session_summary.summarise)
step(kinds.SHORT_SESSIONS, joint_summary.summarise)
step(kinds.DELIVER_DUE, webhook_delivery.deliver)
