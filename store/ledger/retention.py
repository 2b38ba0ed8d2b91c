"""Retention: rows that leave the ledger by age, and work that leaves it with its owner."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import LiteralString
from uuid import UUID

from psycopg.sql import SQL, Identifier

from schemas.ledger.kinds import WORK
from schemas.settings import Settings
from store.transaction import Transaction

# The clock that is never moved.
REAL: LiteralString = "clock_timestamp()"
# Of deleted keys, for example: no work takes the probe of their breaker.
KEPT_BREAKER = timedelta(days=1)
# OpenAI keeps a response for so long, by whose id the next request continues it.
KEPT_TRACES = timedelta(days=30)
OUTLIVING = [kind.name for kind in WORK.values() if kind.outlives_owner]


@dataclass(frozen=True)
class Expiring:
    """Rows of a table that leave it by age alone.

    Args:
        key: The columns of the primary key.
        since: The column with the moment from which their age counts.
        kept: How long they are kept, as the settings say; None: for ever.
        only: A condition on a row `t` that may go.
        clock: The clock that wrote the moment.
    """

    key: Sequence[str]
    since: str
    kept: Callable[[Settings], timedelta | None]
    only: LiteralString = "true"
    clock: LiteralString = "memory.now()"


EXPIRING: Mapping[str, Expiring] = {
    "answer_traces": Expiring(["being_id", "digest"], "made_at", lambda _: KEPT_TRACES),
    "applied_retractions": Expiring(["being_id", "request_id"], "applied_at", lambda s: s.keep_receipts),
    "awaited_retractions": Expiring(["being_id", "producer_id"], "asked_at", lambda s: s.keep_retracted),
    "budget_warnings": Expiring(["owner_id", "budget", "day"], "warned_at", lambda s: s.keep_calls, clock=REAL),
    "budgets_reached": Expiring(["owner_id", "budget", "day"], "reached_at", lambda s: s.keep_calls, clock=REAL),
    "dropped_items": Expiring(["owner_id", "drop_id"], "dropped_at", lambda s: s.keep_judgements),
    "due_notices": Expiring(["being_id", "notice_id"], "noticed_at", lambda s: s.keep_due_notices),
    # Kept for work that never came back for them.
    "embeddings": Expiring(
        ["being_id", "embedding_model", "text_hash"], "created_at", lambda s: s.keep_finished_work, clock=REAL
    ),
    # A fact keeps its birth and its newest event of each kind.
    "fact_history": Expiring(
        ["user_id", "fact_id", "event_id"],
        "happened_at",
        lambda s: s.keep_fact_history,
        """
        event <> 'born'
        and exists (
            select
            from memory.fact_history as later
            where later.user_id = t.user_id and later.fact_id = t.fact_id and later.event = t.event
                and later.event_id > t.event_id
        )
        """,
    ),
    "judgements": Expiring(["being_id", "judgement_id"], "judged_at", lambda s: s.keep_judgements),
    "model_calls": Expiring(["owner_id", "call_id"], "started_at", lambda s: s.keep_calls, clock=REAL),
    # Those that a lineage refers to are retained.
    "model_responses": Expiring(
        ["owner_id", "response_id"], "created_at", lambda s: s.keep_responses, "not retained", REAL
    ),
    "provider_batches": Expiring(["owner_id", "kind", "key"], "created_at", lambda s: s.keep_responses, clock=REAL),
    "provider_breakers": Expiring(["key_id", "provider"], "probe_at", lambda _: KEPT_BREAKER),
    "provider_keys": Expiring(["user_id", "key_id"], "expires_at", lambda _: timedelta(0), clock=REAL),
    "receipts": Expiring(["being_id", "context_id"], "created_at", lambda s: s.keep_receipts),
    "request_answers": Expiring(["user_id", "digest"], "created_at", lambda s: s.keep_request_answers, clock=REAL),
    "retracted_messages": Expiring(["being_id", "message_id"], "retracted_at", lambda s: s.keep_retracted),
    # `shown_at` is updated at most once a day, so that a context may be up to a day younger than its pieces.
    "shown_texts": Expiring(["being_id", "text_hash"], "shown_at", lambda s: s.keep_receipts + timedelta(days=1)),
    # Somewhere the day before yesterday has not ended.
    "spending": Expiring(["owner_id", "day", "shard"], "day", lambda s: s.keep_calls, "day < memory.now()::date - 2"),
    "unanswered_questions": Expiring(["owner_id", "digest"], "failed_at", lambda s: s.keep_responses),
    "vault_idempotency": Expiring(["being_id", "producer_id"], "created_at", lambda s: s.keep_receipts, clock=REAL),
    "work": Expiring(
        ["owner_id", "kind", "key"], "finished_at", lambda s: s.keep_finished_work, "state = 'done'", REAL
    ),
}


def expire(tx: Transaction, table: str, older_than: timedelta, limit: int) -> int:
    """Delete up to `limit` rows of a table of `EXPIRING` that are older than this; returns their number."""
    expiring = EXPIRING[table]
    statement = SQL(
        """
        delete from {table}
        where ({key}) in (
            select {key} from {table} as t where {since} < {clock} - %s and {only} limit %s for update skip locked
        )
        """
    ).format(
        table=Identifier("memory", table),
        key=SQL(", ").join(map(Identifier, expiring.key)),
        since=Identifier(expiring.since),
        clock=SQL(expiring.clock),
        only=SQL(expiring.only),
    )
    return tx.execute(statement, [older_than, limit]).rowcount


def remove_orphaned(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of work of that age whose owner is gone, but for kinds that outlive it; returns how many rows."""
    return tx.execute(
        """
        delete from memory.work
        where (owner_id, kind, key) in (
            select owner_id, kind, key from memory.work as w
            where created_at < clock_timestamp() - %s and not (kind = any(%s) and state in ('ready', 'running'))
                and not exists (select from memory.beings where being_id = w.owner_id)
                and not exists (select from memory.users where user_id = w.owner_id)
            limit %s for update skip locked
        )
        """,
        [older_than, OUTLIVING, limit],
    ).rowcount


def remove_all(tx: Transaction, owners: Sequence[UUID]) -> None:
    """Remove all work of owners that are gone, but for kinds that outlive them."""
    tx.execute("delete from memory.work where owner_id = any(%s) and kind <> all(%s)", [list(owners), OUTLIVING])
