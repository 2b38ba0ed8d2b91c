"""Measures what row-level security costs: the same work by the role that it binds, and by the tables' owner.

Both take turns, and the figures are the processor time of this process and of Postgres, which depends little on what
else the machine does.
"""

import os
import random
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from statistics import median

from bench.figures import Figure
from bench.ground import CONNECTIONS, Ground
from bench.memories import MeasuredEmbedders, filled_being
from bench.processes import family, processor_seconds
from memory.accounts import access
from memory.intake.turns import take_turn
from memory.nodes.recall import RecallQuery, recall
from schemas.accounts.accounts import Being
from schemas.context.context import Turn
from schemas.intake.inputs import MessageInput
from schemas.ledger.acting import acting_for
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from workers.embedded.postgres import as_application

NODES = 2_000
DIMENSIONS = 384
ROUNDS = 9
SETTINGS = Settings()
Act = Callable[[Store], object]


def wall(ground: Ground) -> Iterator[Figure]:
    """Measure a transaction that reads one row, the verification of a token, a recall and a turn."""
    being_id = filled_being(ground, NODES, DIMENSIONS)
    with ground.store.transaction() as tx:
        being = beings.get_being(tx, being_id)
    secret = ground.token(being_id)
    embedders = MeasuredEmbedders(DIMENSIONS)
    chance = random.Random(1)  # noqa: S311  # it shuffles fragments
    acts: list[tuple[str, int, Act]] = [
        ("a transaction that reads one row", 500, partial(_read, being=being)),
        ("verifying a token", 500, lambda store: access.authenticate(store, secret)),
        (
            f"a recall among {NODES:,} memories",
            100,
            lambda store: recall(store, embedders, being, RecallQuery("what came of it", 10, 0.3), chance),
        ),
        ("a turn: two messages in, a context out", 50, partial(_turn, embedders, being, chance, count())),
    ]
    postmaster = int((ground.home / "postgres" / "cluster" / "postmaster.pid").read_text("utf-8").split()[0])
    with Store(as_application(ground.url), CONNECTIONS) as bound, acting_for(being.user_id, being_id):
        for what, times, act in acts:
            costs: dict[bool, list[float]] = {True: [], False: []}
            for number in range(1 + ROUNDS):
                for binds in (number % 2 == 0, number % 2 == 1):
                    begun = _seconds(postmaster)
                    for _ in range(times):
                        act(bound if binds else ground.store)
                    costs[binds].append(1000 * (_seconds(postmaster) - begun) / times)
            # The first round fills caches.
            measured, limit = (median(costs[binds][1:]) for binds in (True, False))
            against = "by the tables' owner, whom no policy binds"
            yield Figure(what=what, measured=measured, unit="ms", limit=limit, against=against)


def _seconds(postmaster: int) -> float:
    return sum(map(processor_seconds, [os.getpid(), *family(postmaster)]))


def _read(store: Store, being: Being) -> object:
    with store.transaction() as tx:
        return beings.get_being(tx, being.being_id)


def _turn(
    embedders: MeasuredEmbedders, being: Being, chance: random.Random, numbers: Iterator[int], store: Store
) -> object:
    number = next(numbers)
    messages = [
        MessageInput(role="assistant", content=f"Of that I said this much, the {number}th time."),
        MessageInput(role="user", content=f"And what came of it, for the {number}th time?"),
    ]
    return take_turn(store, embedders, SETTINGS, being, Turn(messages=messages, format="anthropic"), chance)
