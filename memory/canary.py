"""A note sent down the mine, from the door through a patrol to recall: is the whole way open, and how long is it?"""

import random
import time
from collections.abc import Callable
from uuid import UUID, uuid4

from memory.intake import accept_notes
from memory.patrol_demand import demand
from memory.recall import Asked, recall
from providers.embedders import Embedders
from schemas.settings import Settings
from schemas.work import Ring
from store import runs, users, work
from store.database import Store

ACTION = "A canary was sent down the mine, and sang."
SIMILARITY = 0.5


class NoReturn(Exception):
    """The canary did not come back in time; the text says where it was seen last."""


def send_canary(
    store: Store,
    embedders: Embedders,
    settings: Settings,
    ring: Callable[[list[Ring]], None],
    wait_until: Callable[[Callable[[], bool]], bool],
) -> float:
    """Hand in a note as a Being of its own, demand a patrol of the real workers, and recall it; then remove all of it.

    Args:
        store: The ledger.
        embedders: Who embeds.
        settings: The settings.
        ring: Rings for work.
        wait_until: Waits for a condition, and says whether it came true in time.

    Returns:
        Seconds from door to recall.

    Raises:
        NoReturn: It did not come back.
    """
    with store.transaction() as tx:
        keeper = users.add_user(tx, f"canary {uuid4()}", "UTC")
        being_id = users.add_being(tx, keeper.user_id, "canary", "Canary").being_id
    try:
        began = time.monotonic()
        note = {"type": "scene", "content": {"action": ACTION, "actors": ["Canary"], "when": ["2026-01-01"]}}
        accept_notes(store, settings, being_id, [note])
        run_id, rings = demand(store, settings, being_id)
        ring(rings)
        if not wait_until(lambda: _over(store, being_id, run_id)):
            raise NoReturn(f"Its patrol is not over: {_last_seen(store, being_id, run_id)}.")
        found = recall(store, embedders, being_id, Asked(ACTION, 1, SIMILARITY), random.Random())  # noqa: S311  # no secret
        if [node.scene["action"] for node in found.nodes] != [ACTION]:
            raise NoReturn("Its patrol is over, and recall does not find it.")
        return time.monotonic() - began
    finally:
        with store.transaction() as tx:
            gone = users.remove_user(tx, keeper.user_id)
        with store.transaction() as tx:
            work.remove_all(tx, gone)


def _over(store: Store, being_id: UUID, run_id: UUID) -> bool:
    with store.transaction() as tx:
        return runs.get(tx, being_id, run_id).state in {"done", "failed"}


def _last_seen(store: Store, being_id: UUID, run_id: UUID) -> str:
    with store.transaction() as tx:
        step = runs.under_way(tx, being_id, run_id)
    if step is None:
        return "no step is under way"
    return f"{step['kind']} is {step['state']}" + (f" after {step['error']}" if step["error"] else "")
