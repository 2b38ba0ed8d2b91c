"""Calls of models: accounted for before they are made, settled after, added up."""

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from uuid import UUID

from psycopg.rows import class_row

from schemas.thinking import Lacking, Outcome, PaidWith, Spending
from store.errors import BudgetSpent, NotFound
from store.transaction import Transaction

SPENT: dict[Lacking, str] = {
    "tokens": "The day's budget in tokens is spent.",
    "cost": "The day's budget in money is spent.",
    "price": "There is a budget in money, and the model's price is unknown: set it in PATROL_PRICES.",
}


@dataclass(frozen=True, slots=True)
class Account:
    """Whom a call is done for: a Being, or a user across Beings; by which work, if by any; and whose key pays."""

    user_id: UUID
    being_id: UUID | None
    kind: str | None
    key: str | None
    paid_with: PaidWith

    @property
    def owner_id(self) -> UUID:
        """Whose budget it is."""
        return self.being_id or self.user_id


@dataclass(frozen=True, slots=True)
class Budget:
    """What an owner's models may use in one day; None: as much as they like."""

    tokens: int | None
    cost: Decimal | None


def account(tx: Transaction, owner_id: UUID) -> tuple[UUID, UUID | None]:
    """The user and the Being, if it is one, that an owner of work is.

    Raises:
        NotFound: They are gone.
    """
    row = tx.execute(
        "select user_id, being_id from memory.beings where being_id = %(owner)s"
        " union all select user_id, null from memory.users where user_id = %(owner)s",
        {"owner": owner_id},
    ).fetchone()
    if row is None:
        raise NotFound(f"There is neither a Being nor a user {owner_id}.")
    return row["user_id"], row["being_id"]


def reserve(
    tx: Transaction,
    account: Account,
    *,
    purpose: str,
    provider: str,
    model: str,
    batch: bool,
    input_tokens: int,
    output_tokens: int,
    cost: Decimal | None,
    budget: Budget,
) -> UUID:
    """Account for a call before it is made, at the most that it can come to; returns its id.

    Args:
        tx: The transaction; commit it before the call.
        account: Whom it is done for.
        purpose: What is asked for.
        provider: Who is asked.
        model: The model's name.
        batch: Whether it goes the slow and cheap way.
        input_tokens: The most that the question can have.
        output_tokens: The most that the answer can have.
        cost: The most that it can cost; None where the price is unknown.
        budget: What a day may come to where the Being has no budget of its own.

    Raises:
        BudgetSpent: The day's budget does not have so much left.
    """
    (row,) = tx.execute(
        "select * from memory.reserve_call(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
        [
            *(account.user_id, account.being_id, account.kind, account.key),
            *(purpose, provider, model, account.paid_with, batch),
            *(input_tokens, output_tokens, cost, budget.tokens, budget.cost),
        ],
    )
    if row["lacking"]:
        left: timedelta = row["day_left"]
        raise BudgetSpent(SPENT[row["lacking"]], retry_after=left.total_seconds())
    call_id: UUID = row["call_id"]
    return call_id


def settle(
    tx: Transaction,
    owner_id: UUID,
    call_id: UUID,
    outcome: Outcome,
    *,
    model: str | None = None,
    input_tokens: int = 0,
    output_tokens: int = 0,
    cache_read_tokens: int = 0,
    cache_write_tokens: int = 0,
    cost: Decimal | None = Decimal(0),
) -> None:
    """Write down what a call came to, once; `model` is the one that answered, where it has a name of its own."""
    tx.execute(
        "update memory.model_calls set outcome = %s, model = coalesce(%s, model), input_tokens = %s,"
        " output_tokens = %s, cache_read_tokens = %s, cache_write_tokens = %s, cost = %s,"
        " settled_at = clock_timestamp()"
        " where owner_id = %s and call_id = %s and outcome = 'unknown'",
        [
            *(outcome, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost),
            *(owner_id, call_id),
        ],
    )


def settle_at_most(tx: Transaction, owner_id: UUID, call_id: UUID, outcome: Outcome) -> None:
    """Write down how a call ended that did not tell what it came to: it stays at the most that this can be."""
    tx.execute(
        "update memory.model_calls set outcome = %s, settled_at = clock_timestamp()"
        " where owner_id = %s and call_id = %s and outcome = 'unknown'",
        [outcome, owner_id, call_id],
    )


def spending(
    tx: Transaction, *, user_id: UUID | None, owner_id: UUID | None, since: date | None, limit: int
) -> list[Spending]:
    """What calls came to by day, Being, purpose, model and payer, newest day first; of everybody if nobody is named."""
    with tx.cursor(row_factory=class_row(Spending)) as cursor:
        return cursor.execute(
            "select day, being_id, purpose, provider, model, paid_with, count(*) as calls,"
            " count(*) filter (where cost is null) as unpriced,"
            " count(*) filter (where outcome = 'unknown') as unsettled,"
            " sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,"
            " sum(cache_read_tokens)::bigint as cache_read_tokens,"
            " sum(cache_write_tokens)::bigint as cache_write_tokens, sum(cost) as cost from memory.model_calls"
            " where (%(user)s::uuid is null or user_id = %(user)s)"
            " and (%(owner)s::uuid is null or owner_id = %(owner)s)"
            " and (%(since)s::date is null or day >= %(since)s)"
            " group by day, being_id, purpose, provider, model, paid_with"
            " order by day desc, being_id, purpose, model, paid_with limit %(limit)s",
            {"user": user_id, "owner": owner_id, "since": since, "limit": limit},
        ).fetchall()


def clear(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of calls that were made so long ago; returns how many."""
    return tx.execute(
        "delete from memory.model_calls where (owner_id, call_id) in (select owner_id, call_id from memory.model_calls"
        " where began_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount
