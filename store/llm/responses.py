"""Stored model responses, by work and prompt hash: committed before they are applied, so that none is paid twice."""

from collections.abc import Sequence
from uuid import UUID

from schemas.ledger.work import Claim
from schemas.llm.calls import Response
from store.llm.calls import Account
from store.transaction import Transaction

_BY_PROMPT = """
    select *
    from memory.model_responses
    where owner_id = %s and kind = %s and key = %s and prompt_hash = %s
"""


def find(tx: Transaction, claim: Claim, prompt_hash: bytes) -> Response | None:
    """Find the response to this prompt of this work."""
    return tx.row(Response, _BY_PROMPT, [claim.owner_id, claim.kind, claim.key, prompt_hash])


def put(
    tx: Transaction,
    account: Account,
    prompt_hash: bytes,
    *,
    purpose: str,
    model: str,
    completion: str,
    defect: str | None,
) -> Response:
    """Store a response; an earlier response to the same prompt stays, and is returned instead.

    Raises:
        NotFound: The owner no longer exists.
    """
    stored = tx.row(
        Response,
        """
        insert into memory.model_responses
            (user_id, being_id, kind, key, prompt_hash, purpose, model, completion, defect)
        select user_id, being_id, %s, %s, %s, %s, %s, %s, %s
        from memory.owner_of(%s)
        on conflict (owner_id, kind, key, prompt_hash) do nothing
        returning *
        """,
        [account.kind, account.key, prompt_hash, purpose, model, completion, defect, account.owner_id],
    )
    if stored is None:
        stored = tx.one(Response, _BY_PROMPT, [account.owner_id, account.kind, account.key, prompt_hash])
    return stored


def keep(tx: Transaction, owner_id: UUID, response_id: UUID, shown_ids: Sequence[UUID]) -> None:
    """Exempt a response that a memory's lineage refers to from retention, until one of the shown nodes is erased."""
    tx.execute(
        """
        update memory.model_responses
        set retained = true, shown_ids = %s
        where owner_id = %s and response_id = %s
        """,
        [list(shown_ids), owner_id, response_id],
    )


def why_unanswered(tx: Transaction, owner_id: UUID, digest: bytes) -> str | None:
    """Return the fault of the last answer to a question; None if the question is not marked."""
    return tx.value(
        "select reason from memory.unanswered_questions where owner_id = %s and digest = %s",
        [owner_id, digest],
    )


def mark_unanswered(tx: Transaction, owner_id: UUID, digest: bytes, reason: str) -> None:
    """Mark a question to which no answer was valid."""
    tx.execute(
        """
        insert into memory.unanswered_questions (user_id, being_id, digest, reason)
        select user_id, being_id, %s, %s
        from memory.owner_of(%s)
        on conflict (owner_id, digest) do nothing
        """,
        [digest, reason, owner_id],
    )


def remove_unanswered(tx: Transaction, owner_id: UUID) -> None:
    """Remove an owner's marks, since a person has work tried again."""
    tx.execute("delete from memory.unanswered_questions where owner_id = %s", [owner_id])
