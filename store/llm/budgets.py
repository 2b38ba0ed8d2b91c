"""Daily budgets of model calls, and their spent parts; an exhausted budget is recorded and logged once a day."""

from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from uuid import UUID

import structlog

from schemas.errors import BudgetSpent
from schemas.llm.calls import BudgetName, BudgetReached, BudgetToday, Lacking
from schemas.settings import Settings
from store.database import Store
from store.llm import calls
from store.llm.calls import Budget
from store.transaction import Transaction

log = structlog.get_logger()


def limits(settings: Settings, cost: Decimal | None = Decimal(0)) -> dict[BudgetName, Budget]:
    """Return the limits of the settings for a call of so high a cost; None: its price is unknown.

    The default budget of a Being in money ignores calls whose price is unknown; a configured budget refuses them.
    """
    chosen = "daily_cost" in settings.model_fields_set
    return {
        "platform": Budget(settings.platform_daily_tokens, settings.platform_daily_cost),
        "user": Budget(settings.user_daily_tokens, settings.user_daily_cost),
        "being": Budget(settings.daily_tokens, settings.daily_cost if chosen or cost is not None else None),
    }


def chat_limits(settings: Settings, cost: Decimal | None, *, is_free: bool) -> dict[BudgetName, Budget]:
    """Return the limits for a chat completion of the proxy; `is_free`: its upstream costs nothing."""
    return limits(settings, cost) | {"proxy": Budget(None, None if is_free else settings.proxy_daily_cost)}


@contextmanager
def noted(store: Store) -> Iterator[None]:
    """Record and log that a budget is exhausted, if the block finds it so."""
    try:
        yield
    except BudgetSpent as spent:
        first = store.run(_note, spent.owner_id, spent.budget, spent.lacking)
        if first:
            log.warning(
                "budget.reached",
                owner_id=str(spent.owner_id),
                whose=spent.budget,
                budget=spent.lacking,
                resumes_in_seconds=round(spent.retry_after),
            )
        raise


def reached(tx: Transaction, *, user_id: UUID | None = None, owner_id: UUID | None = None) -> list[BudgetReached]:
    """List the budgets of the current day that are exhausted, in that order; of all users if no owner is given.

    The platform's is among them whichever owner is given, and a user's whichever of the user's Beings.
    """
    return tx.rows(
        BudgetReached,
        """
        select r.budget, r.being_id, r.day, r.lacking, r.reached_at
        from memory.budgets_reached as r
        left join memory.users as u using (user_id)
        where r.day = (memory.now() at time zone coalesce(u.time_zone, 'UTC'))::date
            and (%(user)s::uuid is null or r.user_id is null or r.user_id = %(user)s)
            and (%(owner)s::uuid is null or r.budget <> 'being' or r.owner_id = %(owner)s)
        order by r.reached_at
        """,
        {"user": user_id, "owner": owner_id},
    )


def today(tx: Transaction, settings: Settings, *, user_id: UUID | None, being_id: UUID | None) -> list[BudgetToday]:
    """List the current day's budgets that have a limit, with the spent part of each: the platform's first.

    Args:
        settings: The limits of users and Beings that have none of their own, and the platform's.
        user_id: Only this user's, and the platform's; None: those of all users with calls since yesterday.
        being_id: Of Beings only this one's, which is the user's; None: of all.
    """
    found = calls.limits_as_json(chat_limits(settings, Decimal(0), is_free=False))
    return tx.rows(
        BudgetToday,
        """
        select b.budget, b.user_id, b.being_id, b.day,
            case
                when exists (
                    select from memory.budgets_reached as r
                    where r.owner_id = coalesce(b.being_id, b.user_id, '00000000-0000-0000-0000-000000000000')
                        and r.budget = b.budget and r.day = b.day
                ) then 'reached'
                when b.tokens >= 0.8 * b.most_tokens or b.cost >= 0.8 * b.most_cost then 'near'
                else 'open'
            end as state,
            b.most_cost as limit_cost, b.most_tokens::bigint as limit_tokens, b.cost as spent_cost,
            b.tokens::bigint as spent_tokens
        from memory.budgets_today(%s, %s, %s) as b
        """,
        [found, user_id, being_id],
    )


def _note(tx: Transaction, owner_id: UUID, budget: BudgetName, lacking: Lacking) -> bool:
    """Record that a budget which bounds an owner's calls is exhausted today; returns true the first time."""
    return tx.value(
        """
        with noted as (
            insert into memory.budgets_reached (user_id, being_id, budget, day, lacking)
            select
                case when %(budget)s <> 'platform' then user_id end,
                case when %(budget)s = 'being' then o.being_id end,
                %(budget)s,
                (memory.now() at time zone case when %(budget)s = 'platform' then 'UTC' else time_zone end)::date,
                %(lacking)s
            from memory.owner_of(%(owner)s) as o join memory.users using (user_id)
            on conflict do nothing
            returning 1
        )
        select exists (table noted)
        """,
        {"owner": owner_id, "budget": budget, "lacking": lacking},
    )
