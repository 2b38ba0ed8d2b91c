"""Retention: rows that leave the ledger by age, and work that leaves it with its owner."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import LiteralString
from uuid import UUID

from psycopg.sql import SQL, Identifier

from schemas.ledger.kinds import WORK
from store.transaction import Transaction

OUTLIVING = [kind.name for kind in WORK.values() if kind.outlives_owner]


@dataclass(frozen=True)
class Expiring:
    """Rows of a table that leave it by age alone.

    Args:
        key: The columns of the primary key.
        since: The column with the moment from which their age counts.
        only: A condition on a row `t` that may go.
        clock: The clock that wrote the moment.
    """

    key: Sequence[str]
    since: str
    only: LiteralString = "true"
    clock: LiteralString = "memory.now()"


EXPIRING: Mapping[str, Expiring] = {
    "answer_traces": Expiring(["being_id", "digest"], "made_at"),
    "applied_retractions": Expiring(["being_id", "request_id"], "applied_at"),
    "awaited_retractions": Expiring(["being_id", "producer_id"], "asked_at"),
    "budget_warnings": Expiring(["owner_id", "budget", "day"], "warned_at", clock="clock_timestamp()"),
    "budgets_reached": Expiring(["owner_id", "budget", "day"], "reached_at", clock="clock_timestamp()"),
    "dropped_items": Expiring(["owner_id", "drop_id"], "dropped_at"),
    "due_notices": Expiring(["being_id", "notice_id"], "noticed_at"),
    # Kept for work that never came back for them.
    "embeddings": Expiring(["being_id", "embedding_model", "text_hash"], "created_at", clock="clock_timestamp()"),
    # A fact keeps its birth and its newest event of each kind.
    "fact_history": Expiring(
        ["user_id", "fact_id", "event_id"],
        "happened_at",
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
    "judgements": Expiring(["being_id", "judgement_id"], "judged_at"),
    "model_calls": Expiring(["owner_id", "call_id"], "started_at", clock="clock_timestamp()"),
    # Those that a lineage refers to are retained.
    "model_responses": Expiring(["owner_id", "response_id"], "created_at", "not retained", "clock_timestamp()"),
    "provider_batches": Expiring(["owner_id", "kind", "key"], "created_at", clock="clock_timestamp()"),
    # Of deleted keys, for example: no work takes their probe.
    "provider_breakers": Expiring(["key_id", "provider"], "probe_at"),
    "provider_keys": Expiring(["user_id", "key_id"], "expires_at", clock="clock_timestamp()"),
    "receipts": Expiring(["being_id", "context_id"], "created_at"),
    "request_answers": Expiring(["user_id", "digest"], "created_at", clock="clock_timestamp()"),
    "shown_texts": Expiring(["being_id", "text_hash"], "shown_at"),
    # Somewhere the day before yesterday has not ended.
    "spending": Expiring(["owner_id", "day", "shard"], "day", "day < memory.now()::date - 2"),
    "unanswered_questions": Expiring(["owner_id", "digest"], "failed_at"),
    "vault_idempotency": Expiring(["being_id", "producer_id"], "created_at", clock="clock_timestamp()"),
    "work": Expiring(["owner_id", "kind", "key"], "finished_at", "state = 'done'", "clock_timestamp()"),
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
