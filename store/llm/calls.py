"""Accounting of model calls: reserved before the call at its highest cost, settled after it, and summed."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog
from psycopg.types.json import Jsonb

from schemas.errors import BudgetSpent
from schemas.llm.calls import BudgetName, Lacking, Outcome, PaidWith, Spending
from store.transaction import Transaction

log = structlog.get_logger()

WHOSE: Mapping[BudgetName, str] = {
    "platform": " of the platform",
    "user": " of the user",
    "proxy": "",
    "being": "",
}


def refusal(budget: BudgetName, lacking: Lacking) -> str:
    """Return the words for a budget's refusal of a call."""
    if lacking == "price":
        return f"There is a budget in money{WHOSE[budget]}, and the model's price is unknown: set it in PATROL_PRICES."
    return f"The day's budget in {'money' if lacking == 'cost' else 'tokens'}{WHOSE[budget]} is spent."


@dataclass(frozen=True, slots=True)
class Account:
    """The owner of a call (a Being, or a user across Beings), the work that makes it, if any, and whose key pays."""

    owner_id: UUID
    kind: str | None
    key: str | None
    paid_with: PaidWith


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of the model calls of one day; None: unlimited."""

    tokens: int | None
    cost: Decimal | None


Limits = Mapping[BudgetName, Budget]
"""The limits that hold where a user or a Being has none of its own; a budget that is left out is unlimited."""


def limits_as_json(limits: Limits) -> Jsonb:
    """Write limits as the functions of sql/functions/25_calls/10_budgets.sql take them."""
    return Jsonb({name: {"tokens": each.tokens, "cost": each.cost and str(each.cost)} for name, each in limits.items()})


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
    limits: Limits | None,
    withdrawals: int | None = None,
    metric_model: str | None = None,
) -> UUID:
    """Reserve a call under each budget that bounds it, at the highest cost it can have; returns the call's id.

    If the connection is lost, one more reservation may stay in the account at its highest cost.

    Args:
        tx: The transaction; commit it before the call, and take no lock after this in it but a breaker's probe.
            `budgets.noted` around it records an exhausted budget.
        account: The owner and payer.
        purpose: The prompt's name; `chat` for a chat completion of the proxy.
        provider: The provider's name.
        model: The model's name.
        batch: Whether it is part of a provider batch.
        input_tokens: The most tokens of the prompt.
        output_tokens: The most tokens of the answer.
        cost: The highest cost; None if the price is unknown.
        limits: The limits of a day; None: the call was made already, and is counted without being refused.
        withdrawals: See `Claim`; None: the call's answer is not stored.
        metric_model: Its name in metrics, which are kept when the user is erased; None: `model`.

    Raises:
        BudgetSpent: The rest of one of the day's budgets is smaller.
        NotFound: The owner no longer exists.
        Withdrawn: Something of the user's was withdrawn since the claim.
    """
    (row,) = tx.execute(
        """
        select *
        from memory.reserve_call(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        [
            *(account.owner_id, account.kind, account.key),
            *(purpose, provider, model, metric_model, account.paid_with, batch),
            *(input_tokens, output_tokens, cost, None if limits is None else limits_as_json(limits), withdrawals),
        ],
    )
    if row["lacking"]:
        budget, lacking, left = row["budget"], row["lacking"], row["day_left"]
        raise BudgetSpent(
            refusal(budget, lacking),
            owner_id=account.owner_id,
            budget=budget,
            lacking=lacking,
            retry_after=left.total_seconds(),
        )
    for budget in row["warned"] or ():
        log.warning("budget.nearly_spent", budget=budget, owner_id=str(account.owner_id), spent_or_reserved="80 %")
    call_id: UUID = row["call_id"]
    return call_id


def refuse_answers(tx: Transaction, user_id: UUID) -> None:
    """Let no answer be stored that may be about rows which this transaction withdraws: called before it deletes any."""
    tx.execute("select memory.refuse_answers(%s)", [user_id])


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
) -> bool:
    """Record a call's outcome, usage and cost, once; `model` is the name that the provider returned.

    Returns:
        Whether the answer may be stored: no row that it may be about was withdrawn meanwhile.
    """
    usage = [input_tokens, output_tokens, cache_read_tokens, cache_write_tokens]
    return _settle(tx, [owner_id, call_id, outcome, model, *usage, cost])


def settle_at_most(tx: Transaction, owner_id: UUID, call_id: UUID, outcome: Outcome) -> bool:
    """Record the outcome of a call whose usage is unknown: its reservation stays as its cost. Returns as `settle`."""
    return _settle(tx, [owner_id, call_id, outcome, *[None] * 6])


def _settle(tx: Transaction, arguments: list[Any]) -> bool:
    return tx.value("select memory.settle_call(%s, %s, %s, %s, %s, %s, %s, %s, %s)", arguments)


def spending(
    tx: Transaction, *, user_id: UUID | None, owner_id: UUID | None, since: date | None, limit: int
) -> list[Spending]:
    """Sum calls by day, Being, purpose, model and payer, newest day first; of all users if no owner is given."""
    return tx.rows(
        Spending,
        """
        select day, being_id, purpose, provider, model, paid_with, count(*) as calls,
            count(*) filter (where cost is null) as unpriced,
            count(*) filter (where outcome = 'unknown') as unsettled,
            sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
            sum(cache_read_tokens)::bigint as cache_read_tokens,
            sum(cache_write_tokens)::bigint as cache_write_tokens, sum(cost) as cost,
            (
                select reached_at from memory.budgets_reached as r
                where r.owner_id = c.owner_id and r.day = c.day and r.budget = 'being'
            ) as budget_reached_at
        from memory.model_calls as c
        where (%(user)s::uuid is null or user_id = %(user)s)
            and (%(owner)s::uuid is null or owner_id = %(owner)s)
            and (%(since)s::date is null or day >= %(since)s)
        group by day, being_id, owner_id, purpose, provider, model, paid_with
        order by day desc, being_id, purpose, model, paid_with
        limit %(limit)s
        """,
        {"user": user_id, "owner": owner_id, "since": since, "limit": limit},
    )


def mark_bad(tx: Transaction, owner_id: UUID, call_id: UUID) -> None:
    """Count an answered call among those with an invalid answer."""
    tx.execute(
        "update memory.model_calls set outcome = 'bad' where owner_id = %s and call_id = %s and outcome = 'answered'",
        [owner_id, call_id],
    )


def all_bad(tx: Transaction, owner_id: UUID, purpose: str, count: int) -> bool:
    """Whether the last `count` answers to an owner's questions of one purpose, since yesterday, were all invalid."""
    return tx.value(
        """
        select count(*) = %s and coalesce(bool_and(outcome = 'bad'), false)
        from (
            select outcome
            from memory.model_calls
            where
                owner_id = %s
                and day >= (memory.now() - interval '1 day')::date
                and purpose = %s
                and outcome in ('answered', 'bad')
            order by call_id desc
            limit %s
        ) as latest
        """,
        [count, owner_id, purpose, count],
    )


def withdrawals(tx: Transaction, user_id: UUID) -> int:
    """The number of a user's withdrawals: read before the rows that a call will be about, and given to `reserve`."""
    return int(tx.value("select withdrawals from memory.users where user_id = %s", [user_id]))
