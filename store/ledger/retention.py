"""Retention: rows that leave the ledger by age, and work that leaves it with its owner."""

from collections.abc import Sequence
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
# OpenAI keeps a response for this long, by whose id the next request continues it.
KEPT_TRACES = timedelta(days=30)
KEPT_NOTICES = timedelta(days=30)
KEPT_FACT_HISTORY = timedelta(days=400)
OUTLIVING = [kind.name for kind in WORK.values() if kind.outlives_owner]


@dataclass(frozen=True)
class ExpiringRows:
    """Rows of a table that leave it by age alone.

    Args:
        table: Its name.
        key: The columns of the primary key.
        since: The column with the moment from which their age counts.
        kept: How long they are kept; None: for ever.
        only: A condition on a row `t` that may go.
        clock: The clock that wrote the moment.
    """

    table: str
    key: Sequence[str]
    since: str
    kept: timedelta | None
    only: LiteralString = "true"
    clock: LiteralString = "memory.now()"


def expiring(settings: Settings) -> list[ExpiringRows]:
    """The tables whose rows leave by age, with how long the settings keep them."""
    return [
        ExpiringRows("answer_traces", ["being_id", "digest"], "made_at", KEPT_TRACES),
        ExpiringRows("applied_retractions", ["being_id", "request_id"], "applied_at", settings.keep_receipts),
        ExpiringRows("awaited_retractions", ["being_id", "producer_id"], "asked_at", settings.keep_retracted),
        ExpiringRows("budget_warnings", ["owner_id", "budget", "day"], "warned_at", settings.keep_calls, clock=REAL),
        ExpiringRows("budgets_reached", ["owner_id", "budget", "day"], "reached_at", settings.keep_calls, clock=REAL),
        ExpiringRows("dropped_items", ["owner_id", "drop_id"], "dropped_at", settings.keep_judgements),
        ExpiringRows("due_notices", ["being_id", "notice_id"], "noticed_at", KEPT_NOTICES),
        # Kept for work that never came back for them.
        ExpiringRows(
            "embeddings",
            ["being_id", "embedding_model", "text_hash"],
            "created_at",
            settings.keep_finished_work,
            clock=REAL,
        ),
        # A fact keeps its birth and its newest event of each kind.
        ExpiringRows(
            "fact_history",
            ["user_id", "fact_id", "event_id"],
            "happened_at",
            KEPT_FACT_HISTORY,
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
        ExpiringRows("judgements", ["being_id", "judgement_id"], "judged_at", settings.keep_judgements),
        ExpiringRows("model_calls", ["owner_id", "call_id"], "started_at", settings.keep_calls, clock=REAL),
        # Those that a lineage refers to are retained.
        ExpiringRows(
            "model_responses", ["owner_id", "response_id"], "created_at", settings.keep_responses, "not retained", REAL
        ),
        ExpiringRows(
            "provider_batches", ["owner_id", "kind", "key"], "created_at", settings.keep_responses, clock=REAL
        ),
        ExpiringRows("provider_breakers", ["key_id", "provider"], "probe_at", KEPT_BREAKER),
        ExpiringRows("provider_keys", ["user_id", "key_id"], "expires_at", timedelta(0), clock=REAL),
        ExpiringRows("receipts", ["being_id", "context_id"], "created_at", settings.keep_receipts),
        ExpiringRows("request_answers", ["user_id", "digest"], "created_at", settings.keep_request_answers, clock=REAL),
        ExpiringRows("retracted_messages", ["being_id", "message_id"], "retracted_at", settings.keep_retracted),
        # `shown_at` is updated at most once a day, so that a context may be up to a day younger than its pieces.
        ExpiringRows("shown_texts", ["being_id", "text_hash"], "shown_at", settings.keep_receipts + timedelta(days=1)),
        # Somewhere the day before yesterday has not ended.
        ExpiringRows(
            "spending", ["owner_id", "day", "shard"], "day", settings.keep_calls, "day < memory.now()::date - 2"
        ),
        ExpiringRows("unanswered_questions", ["owner_id", "digest"], "failed_at", settings.keep_responses),
        ExpiringRows(
            "vault_idempotency", ["being_id", "producer_id"], "created_at", settings.keep_receipts, clock=REAL
        ),
        ExpiringRows(
            "work", ["owner_id", "kind", "key"], "finished_at", settings.keep_finished_work, "state = 'done'", REAL
        ),
    ]


def expire(tx: Transaction, rows: ExpiringRows, older_than: timedelta, limit: int) -> int:
    """Delete up to `limit` of a table's rows that are older than this; returns their number."""
    statement = SQL(
        """
        delete from {table}
        where ({key}) in (
            select {key} from {table} as t where {since} < {clock} - %s and {only} limit %s for update skip locked
        )
        """
    ).format(
        table=Identifier("memory", rows.table),
        key=SQL(", ").join(map(Identifier, rows.key)),
        since=Identifier(rows.since),
        clock=SQL(rows.clock),
        only=SQL(rows.only),
    )
    return tx.execute(statement, [older_than, limit]).rowcount


def remove_orphaned(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Remove work of that age whose owner is gone, but for kinds that outlive it; returns how many rows."""
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
