"""Tasks of the queue `shadow`: facts and todos from messages (the seed's Shadow Judge)."""

from memory.facts import seed_comparison
from memory.talk import judging
from schemas.ledger import kinds
from workers.runtime.step import step, tick

step(kinds.JUDGE, judging.judge)
tick(kinds.WAITING_SESSIONS, judging.request_waiting, seed_comparison.request_waiting)
