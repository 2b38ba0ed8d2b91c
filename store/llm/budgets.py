"""Daily budgets of model calls; an exhausted budget is recorded and logged once a day."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, TypeVar
from uuid import UUID

import structlog
from psycopg.rows import class_row

from schemas.errors import BudgetSpent
from schemas.llm.calls import BudgetReached, Lacking
from schemas.settings import Settings
from store.database import Store
from store.llm import calls
from store.llm.calls import Account, Budget
from store.transaction import Transaction, value

log = structlog.get_logger()

T = TypeVar("T")


def reserve(store: Store, settings: Settings, account: Account, **call: Any) -> UUID:
    """Reserve a call against the day's budget in a transaction of its own; returns the call's id.

    The default budget in money ignores calls whose price is unknown; a configured budget refuses them. If the
    connection is lost, one more reservation may stay in the account at its highest cost.

    Args:
        store: The ledger.
        settings: The limits of a day, unless the Being has a budget of its own.
        account: The owner and payer.
        call: The other arguments of `calls.reserve`.

    Raises:
        BudgetSpent, NotFound, Withdrawn: As `calls.reserve`.
    """
    with _noted(store, account.owner_id):
        return store.statement(lambda tx: calls.reserve(tx, account, budget=_budget(settings, call["cost"]), **call))


def find_or_reserve(
    store: Store, settings: Settings, account: Account, find: Callable[[Transaction], T | None], **call: Any
) -> T | UUID:
    """Look for what the call would return, and reserve the call if there is nothing; in one transaction.

    Args:
        store: The ledger.
        settings: See `reserve`.
        account: The owner and payer.
        find: Looks for it.
        call: The other arguments of `calls.reserve`.

    Returns:
        What `find` returned, or the call's id.

    Raises:
        BudgetSpent, NotFound, Withdrawn: As `calls.reserve`.
    """
    with _noted(store, account.owner_id), store.transaction() as tx:
        found = find(tx)
        return calls.reserve(tx, account, budget=_budget(settings, call["cost"]), **call) if found is None else found


def _budget(settings: Settings, cost: Decimal | None) -> Budget:
    chosen = "daily_cost" in settings.model_fields_set
    return Budget(settings.daily_tokens, settings.daily_cost if chosen or cost is not None else None)


@contextmanager
def _noted(store: Store, owner_id: UUID) -> Iterator[None]:
    """Record and log that the budget is exhausted, if the block finds it so."""
    try:
        yield
    except BudgetSpent as spent:
        with store.transaction() as tx:
            first = _note(tx, owner_id, spent.lacking)
        if first:
            log.warning(
                "budget.reached",
                owner_id=str(owner_id),
                budget=spent.lacking,
                resumes_in_seconds=round(spent.retry_after),
            )
        raise


def reached(tx: Transaction, *, user_id: UUID | None = None, owner_id: UUID | None = None) -> list[BudgetReached]:
    """List owners whose budget of the current day is exhausted, in that order; of all users if no owner is given."""
    with tx.cursor(row_factory=class_row(BudgetReached)) as cursor:
        return cursor.execute(
            """
            select r.being_id, r.day, r.lacking, r.reached_at
            from memory.budgets_reached as r
            join memory.users as u using (user_id)
            where r.day = (memory.now() at time zone u.time_zone)::date
                and (%(user)s::uuid is null or r.user_id = %(user)s)
                and (%(owner)s::uuid is null or r.owner_id = %(owner)s)
            order by r.reached_at
            """,
            {"user": user_id, "owner": owner_id},
        ).fetchall()


def _note(tx: Transaction, owner_id: UUID, lacking: Lacking) -> bool:
    """Record that the owner's budget of the current day is exhausted; returns true the first time."""
    return bool(
        value(
            tx,
            """
            with noted as (
                insert into memory.budgets_reached (user_id, being_id, day, lacking)
                select user_id, o.being_id, (memory.now() at time zone time_zone)::date, %s
                from memory.owner_of(%s) as o join memory.users using (user_id)
                on conflict do nothing
                returning 1
            )
            select exists (table noted)
            """,
            [lacking, owner_id],
        )
    )
