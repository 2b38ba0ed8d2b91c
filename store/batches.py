"""Lots of questions that a provider answers in its own time, one for a unit of work."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from schemas.thinking import Batch
from schemas.work import Claim
from store.calls import Account
from store.transaction import Transaction


def find(tx: Transaction, claim: Claim, patience: timedelta) -> Batch | None:
    """The lot of a unit of work, if it has one; it is late when it was begun longer ago than `patience`."""
    with tx.cursor(row_factory=class_row(Batch)) as cursor:
        return cursor.execute(
            "select *, created_at < clock_timestamp() - %s as late from memory.batches"
            " where owner_id = %s and kind = %s and key = %s",
            [patience, claim.owner_id, claim.kind, claim.key],
        ).fetchone()


def begin(tx: Transaction, account: Account, key_id: UUID | None, calls: Mapping[str, UUID]) -> None:
    """Remember a lot that is about to be sent; it takes the place of one that did not arrive as far as anybody knows.

    Args:
        tx: The transaction; commit it before the lot is sent.
        account: Whom it is for, and the work.
        key_id: The user's key that it is sent with; None: the platform's.
        calls: By the names of the questions, the calls that are accounted for them.
    """
    tx.execute(
        "insert into memory.batches (user_id, being_id, kind, key, key_id, calls) values (%s, %s, %s, %s, %s, %s)"
        " on conflict (owner_id, kind, key) do update set key_id = excluded.key_id, batch_id = null,"
        " calls = excluded.calls, created_at = clock_timestamp(), over_at = null",
        [
            *(account.user_id, account.being_id, account.kind, account.key, key_id),
            Jsonb({name: str(call_id) for name, call_id in calls.items()}),
        ],
    )


def arrived(tx: Transaction, claim: Claim, batch_id: str) -> None:
    """Remember under which name the provider has taken the lot."""
    tx.execute(
        "update memory.batches set batch_id = %s where owner_id = %s and kind = %s and key = %s",
        [batch_id, claim.owner_id, claim.kind, claim.key],
    )


def end(tx: Transaction, claim: Claim) -> None:
    """Write down that the lot is over: from now on this work asks directly."""
    tx.execute(
        "update memory.batches set over_at = clock_timestamp() where owner_id = %s and kind = %s and key = %s",
        [claim.owner_id, claim.kind, claim.key],
    )


def clear(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of lots that were begun so long ago; returns how many."""
    return tx.execute(
        "delete from memory.batches where (owner_id, kind, key) in (select owner_id, kind, key from memory.batches"
        " where created_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount
