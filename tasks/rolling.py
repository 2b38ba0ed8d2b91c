"""Tasks of the queue `rolling`: rolling summaries."""

from memory.talk import rolling, sessions
from schemas.ledger import kinds
from workers.runtime.step import step, tick

step(kinds.ROLLING_SUMMARY, rolling.summarise)
tick(kinds.WAITING_SUMMARIES, sessions.request_waiting)
