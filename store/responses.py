"""What models said, by the work that asked and a hash of the prompt: kept before use, so that it is paid for once."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.thinking import Response
from schemas.work import Claim
from store.calls import Account
from store.transaction import Transaction


def find(tx: Transaction, claim: Claim, prompt_hash: bytes) -> Response | None:
    """What was said to this prompt of this work."""
    with tx.cursor(row_factory=class_row(Response)) as cursor:
        return cursor.execute(
            "select * from memory.model_responses where owner_id = %s and kind = %s and key = %s and prompt_hash = %s",
            [claim.owner_id, claim.kind, claim.key, prompt_hash],
        ).fetchone()


def put(
    tx: Transaction, account: Account, prompt_hash: bytes, *, purpose: str, model: str, said: str, fault: str | None
) -> Response:
    """Keep what was said to a prompt; what was kept before stays as it is, and is what comes back."""
    tx.execute(
        "insert into memory.model_responses (user_id, being_id, kind, key, prompt_hash, purpose, model, said, fault)"
        " values (%s, %s, %s, %s, %s, %s, %s, %s, %s) on conflict (owner_id, kind, key, prompt_hash) do nothing",
        [
            *(account.user_id, account.being_id, account.kind, account.key, prompt_hash),
            *(purpose, model, said, fault),
        ],
    )
    with tx.cursor(row_factory=class_row(Response)) as cursor:
        (kept,) = cursor.execute(
            "select * from memory.model_responses where owner_id = %s and kind = %s and key = %s and prompt_hash = %s",
            [account.owner_id, account.kind, account.key, prompt_hash],
        )
    return kept


def keep(tx: Transaction, owner_id: UUID, response_ids: Sequence[UUID]) -> None:
    """Keep what a memory's lineage leads to for as long as its owner is there."""
    tx.execute(
        "update memory.model_responses set kept = true where owner_id = %s and response_id = any(%s)",
        [owner_id, list(response_ids)],
    )


def clear(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of what was said so long ago and explains no memory; returns how many."""
    return tx.execute(
        "delete from memory.model_responses where (owner_id, response_id) in"
        " (select owner_id, response_id from memory.model_responses"
        " where not kept and created_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount
