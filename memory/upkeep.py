"""What time brings: due work is rung for again, whoever lost the ring, and idle sessions end."""

from collections.abc import Callable, Collection
from datetime import timedelta

import structlog

from memory import closing
from memory.judging import ask_for_judging
from memory.patrol_demand import PATROL_DUE, begin_swept
from schemas.settings import Settings
from schemas.work import Ring
from store import batches, calls, keys, messages, receipts, responses, vault, work
from store.database import Store
from store.transaction import Transaction

log = structlog.get_logger()

SWEPT_AT_ONCE = 200
ENDED_AT_ONCE = 1000
CLEARED_AT_ONCE = 10_000


def sweep(store: Store, settings: Settings, empty_queues: Collection[str] = ()) -> list[Ring]:
    """Find due work that nobody holds and nobody rang for lately, one of each owner before the second of any.

    Args:
        store: The ledger.
        settings: How a patrol begins.
        empty_queues: Queues in which no ring waits to be heard, so that what was rung for there was lost.
    """
    with store.transaction() as tx:
        work.feel_pulse(tx, "sweep")
        due = work.ring_due(tx, limit=SWEPT_AT_ONCE, empty_queues=empty_queues)
    return [ring for swept in due for ring in _begun(store, settings, swept)]


def _begun(store: Store, settings: Settings, due: Ring) -> list[Ring]:
    """What to ring for: a due patrol is begun here and now, anything else has a task of its own."""
    if (due.kind, due.key, due.queue) != PATROL_DUE:
        return [due]
    try:
        return begin_swept(store, settings, due)
    except Exception as fault:  # noqa: BLE001  # its task meets the same fault, and writes it down where it belongs
        log.info("sweep.patrol_not_begun", being_id=str(due.owner_id), fault=type(fault).__name__)
        return [due]


def end_idle_sessions(store: Store, settings: Settings) -> list[Ring]:
    """End the sessions that have been idle for 30 minutes, have judged what is left in them, and sum them up."""
    with store.transaction() as tx:
        ended = messages.end_idle_sessions(tx, ENDED_AT_ONCE)
        judged = [
            ring for being_id, session_id in ended for ring in ask_for_judging(tx, settings, being_id, [session_id])
        ]
        beings = sorted({being_id for being_id, _ in ended})
        return [*judged, *(ring for being_id in beings for ring in closing.ask(tx, being_id))]


def clear(store: Store, settings: Settings) -> list[Ring]:
    """Let go of what need not be remembered any longer: finished work, answers, receipts, what nobody came back for."""
    for clear_some, older_than in (
        (work.clear_done, settings.keep_finished_work),
        (work.clear_orphaned, timedelta(0)),
        (work.clear_vectors, settings.keep_finished_work),
        (responses.clear, settings.keep_responses),
        (calls.clear, settings.keep_calls),
        (batches.clear, settings.keep_responses),
        (keys.clear_expired, timedelta(0)),
        (receipts.clear, settings.keep_receipts),
        (receipts.clear_shown, settings.keep_receipts),
        (vault.clear_receipts, settings.keep_receipts),
    ):
        _clear_all(store, clear_some, older_than)
    return []


def _clear_all(store: Store, clear_some: Callable[[Transaction, timedelta, int], int], older_than: timedelta) -> None:
    """Clear until nothing of that age is left, in transactions short enough to hinder nobody."""
    cleared = CLEARED_AT_ONCE
    while cleared == CLEARED_AT_ONCE:
        with store.transaction() as tx:
            cleared = clear_some(tx, older_than, CLEARED_AT_ONCE)
