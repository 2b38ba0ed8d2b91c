"""Periodic work: messages for due work are sent again, however they were lost, and idle sessions end."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from functools import partial

import structlog

from memory.patrol.demand import begin_swept
from memory.talk import session_summary
from memory.talk.judging import request_judging
from schemas.ledger.kinds import PATROL_DUE
from schemas.ledger.work import TaskMessage
from schemas.settings import Settings
from store import vault
from store.database import Store
from store.facts import todos
from store.ledger import metrics, retention, work
from store.talk import messages

log = structlog.get_logger()

SWEPT_AT_ONCE = 200
ENDED_AT_ONCE = 1000
EXPIRED_AT_ONCE = 10_000


def sweep(store: Store, settings: Settings, queued: Mapping[str, int] = work.NOTHING_KNOWN) -> None:
    """Send messages for due work that no worker holds and that has none.

    Each owner's first unit comes before the second of any. A due patrol is begun at once instead, which takes less than
    a task of its own. Work of kinds that this version does not know is left alone, and is reported as an error.

    Args:
        settings: How a patrol begins.
        queued: How many messages each queue holds; fewer than units wait mean that some were lost.
    """
    with store.transaction() as tx:
        metrics.record_sweep(tx)
        due = work.take_due(tx, limit=SWEPT_AT_ONCE, queued=queued)
        tx.outbox += [message for message in due if message.kind != PATROL_DUE.name]
        unknown = metrics.unknown_due(tx)
    for found in unknown:
        log.error("sweep.unknown_kind", kind=found.kind, units=found.units)
    patrols = [message for message in due if message.kind == PATROL_DUE.name]
    if left := [message for message in patrols if not _begun(store, settings, message)]:
        with store.transaction() as tx:
            tx.outbox += left


def _begun(store: Store, settings: Settings, due: TaskMessage) -> bool:
    """Begin a due patrol; returns false where it is left to its task."""
    try:
        begin_swept(store, settings, due)
    except Exception as fault:  # noqa: BLE001  # its task meets the same fault, and writes it down where it belongs
        log.info("sweep.patrol_not_begun", being_id=str(due.owner_id), fault=type(fault).__name__)
        return False
    return True


def end_idle_sessions(store: Store, settings: Settings) -> None:
    """End sessions that have been idle for 30 minutes; request judging of their last messages, and their summaries."""
    with store.transaction() as tx:
        ended = messages.end_idle_sessions(tx, ENDED_AT_ONCE)
        for being_id, session_id in ended:
            request_judging(tx, settings, being_id, [session_id])
        for being_id in sorted({being_id for being_id, _ in ended}):
            session_summary.request_due(tx, being_id)


def expire(store: Store, settings: Settings) -> None:
    """Remove rows at the end of their retention: finished work, answers, receipts, vectors of abandoned attempts.

    Todos that were open for too long are archived.
    """
    for rows in retention.expiring(settings):
        if rows.kept is not None:
            _expire_all(store, partial(retention.expire, rows=rows), rows.kept)
    _expire_all(store, retention.remove_orphaned, timedelta(0))
    _expire_all(store, todos.archive_old, settings.todos_expire)
    _expire_all(store, vault.compact_old, settings.vault_tombstones)


def _expire_all(store: Store, expire_some: Callable[..., int], older_than: timedelta) -> None:
    """Expire until nothing of that age is left, in transactions short enough not to delay others."""
    expired = EXPIRED_AT_ONCE
    while expired == EXPIRED_AT_ONCE:
        expired = store.run(expire_some, older_than=older_than, limit=EXPIRED_AT_ONCE)
