"""Tasks of the queue `shadow`: facts and todos from messages (the seed's Shadow Judge)."""

from memory.facts import seed_comparison
from memory.talk import judging
from schemas.ledger import kinds
from workers.runtime.step import step, tick

step(kinds.JUDGE, lambda on, claim: judging.judge(on.store, on.thinkers, on.settings, claim))
tick(
    kinds.WAITING_SESSIONS,
    lambda on: judging.request_waiting(on.store, on.thinkers),
    lambda on: seed_comparison.request_waiting(on.store, on.thinkers),
)
