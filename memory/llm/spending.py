"""The cost of models' calls."""

from datetime import date
from uuid import UUID

from schemas.limits import SPENDING_LINES
from schemas.llm.calls import BudgetReached, Spending
from store.database import Store
from store.llm import budgets, calls


def lines(store: Store, user_id: UUID | None, owner_id: UUID | None, *, since: date | None) -> list[Spending]:
    """Calls, tokens and cost in dollars by day, Being, purpose and model, newest day first.

    Args:
        store: The ledger.
        user_id: Only this user's; None: all users'.
        owner_id: Only of this Being; None: of all of them, and of work across them.
        since: The first day, in the user's time zone; None: from the beginning.
    """
    with store.transaction() as tx:
        return calls.spending(tx, user_id=user_id, owner_id=owner_id, since=since, limit=SPENDING_LINES)


def reached(store: Store, user_id: UUID | None, owner_id: UUID | None) -> list[BudgetReached]:
    """The budgets that are used up today, of these owners."""
    with store.transaction() as tx:
        return budgets.reached(tx, user_id=user_id, owner_id=owner_id)
