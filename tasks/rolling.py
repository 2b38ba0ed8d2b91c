"""Tasks of the queue `rolling`: rolling summaries."""

from memory.talk import rolling, sessions
from schemas.ledger import kinds
from workers.runtime.step import step, tick

step(kinds.ROLLING_SUMMARY, lambda on, claim: rolling.summarise(on.store, on.thinkers, on.settings, claim))
tick(kinds.WAITING_SUMMARIES, lambda on: sessions.request_waiting(on.store, on.thinkers))
