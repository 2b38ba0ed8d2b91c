"""Provider batches, at most one for a unit of work."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Literal
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.ledger.work import Claim
from schemas.llm.calls import ProviderBatch
from store.llm.calls import Account
from store.transaction import Transaction


def find(tx: Transaction, claim: Claim, *, late_after: timedelta, overdue_after: timedelta) -> ProviderBatch | None:
    """Find a unit of work's batch: late `late_after` its beginning, overdue `overdue_after` its cancellation."""
    return tx.row(
        ProviderBatch,
        """
        select *, created_at < clock_timestamp() - %s as late,
            coalesce(cancelled_at < clock_timestamp() - %s, false) as overdue
        from memory.provider_batches
        where owner_id = %s and kind = %s and key = %s
        """,
        [late_after, overdue_after, claim.owner_id, claim.kind, claim.key],
    )


def is_submitted(tx: Transaction, claim: Claim) -> bool:
    """Whether a unit of work has a batch at a provider, whose answers are not collected."""
    return tx.exists(
        """
        select from memory.provider_batches
        where owner_id = %s and kind = %s and key = %s and provider_batch_id is not null and ended_at is null
        """,
        [claim.owner_id, claim.kind, claim.key],
    )


def begin(tx: Transaction, account: Account, key_id: UUID | None, calls: Mapping[str, UUID]) -> None:
    """Record a batch that is about to be submitted; it replaces one whose submission crashed.

    Args:
        tx: The transaction; commit it before submitting.
        account: The owner and the work.
        key_id: The user's key that pays; None: the platform's.
        calls: The reserved call of each question, by the question's name in the batch.

    Raises:
        NotFound: The owner no longer exists.
    """
    tx.execute(
        """
        insert into memory.provider_batches (user_id, being_id, kind, key, key_id, call_ids)
        select user_id, being_id, %s, %s, %s::uuid, %s
        from memory.owner_of(%s)
        on conflict (owner_id, kind, key) do update
        set key_id = excluded.key_id, provider_batch_id = null, call_ids = excluded.call_ids,
            created_at = clock_timestamp(), cancelled_at = null, ended_at = null
        """,
        [
            *(account.kind, account.key, key_id),
            Jsonb({name: str(call_id) for name, call_id in calls.items()}),
            account.owner_id,
        ],
    )


Step = Literal["submitted", "cancelled", "ended"]


def record(tx: Transaction, claim: Claim, step: Step, batch_id: str | None = None) -> None:
    """Record that the provider has given a batch this id, was ordered to end it early, or has ended it.

    From the end on the work sends direct requests.
    """
    tx.execute(
        """
        update memory.provider_batches
        set provider_batch_id = coalesce(%(batch)s, provider_batch_id),
            cancelled_at = case %(step)s when 'cancelled' then clock_timestamp() else cancelled_at end,
            ended_at = case %(step)s when 'ended' then clock_timestamp() else ended_at end
        where owner_id = %(owner)s and kind = %(kind)s and key = %(key)s
        """,
        {"batch": batch_id, "step": step, "owner": claim.owner_id, "kind": claim.kind, "key": claim.key},
    )
