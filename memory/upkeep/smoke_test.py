"""A note sent the whole way, from a door through a patrol to recall, without any paid model."""

import random
import time
from collections.abc import Callable
from decimal import Decimal
from uuid import UUID, uuid4

from memory.intake.notes import accept_notes
from memory.nodes.recall import RecallQuery, recall
from memory.patrol.demand import demand
from providers.embedders import Embedders
from providers.local.encoder_config import MINILM
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from store.ledger import retention
from store.patrol import runs

ACTION = "A canary was sent down the mine, and sang."
SIMILARITY = 0.5
# No paid request fits such a budget. MiniLM, which is free, embeds the note instead of the configured embedder.
NOTHING = {"daily_cost": Decimal(0), "daily_tokens": 0}


class NoReturn(Exception):
    """The note was not recallable in time; the message names the step that it reached."""


def send_canary(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    wait_until: Callable[[Callable[[], bool]], bool],
) -> float:
    """Accept a note for a temporary Being, demand a patrol of the running workers, recall the note, remove all of it.

    Args:
        wait_until: Waits for a condition, and returns whether it held in time.

    Returns:
        Seconds from acceptance to recall.

    Raises:
        NoReturn: The patrol did not end in time, or recall does not find the note.
    """
    with store.transaction() as tx:
        user = users.add_user(tx, f"canary {uuid4()}", "UTC")
        being_id = beings.add_being(tx, user.user_id, "canary", "Canary").being_id
        beings.change_being(tx, being_id, NOTHING)
        beings.adopt_model(tx, being_id, MINILM)
        being = beings.get_being(tx, being_id)
    try:
        began = time.monotonic()
        note = {"type": "scene", "content": {"action": ACTION, "actors": ["Canary"], "when": ["2026-01-01"]}}
        accept_notes(store, settings, being_id, [note])
        run_id = demand(store, settings, being_id)
        if not wait_until(lambda: _over(store, being_id, run_id)):
            raise NoReturn(f"Its patrol has not ended: {_last_step(store, being_id, run_id)}.")
        found = recall(store, embedders, being, RecallQuery(ACTION, 1, SIMILARITY), random.Random())  # noqa: S311  # no secret
        if [node.scene["action"] for node in found.nodes] != [ACTION]:
            raise NoReturn("Its patrol has ended, but recall does not find it.")
        return time.monotonic() - began
    finally:
        removed = store.run(users.erase_user, user.user_id)
        store.run(retention.remove_all, removed)


def _over(store: Store, being_id: UUID, run_id: UUID) -> bool:
    with store.transaction() as tx:
        return runs.get(tx, being_id, run_id).state in {"done", "failed"}


def _last_step(store: Store, being_id: UUID, run_id: UUID) -> str:
    step = store.run(runs.under_way, being_id, run_id)
    if step is None:
        return "no step is under way"
    return f"{step['kind']} is {step['state']}" + (f" after {step['error']}" if step["error"] else "")
