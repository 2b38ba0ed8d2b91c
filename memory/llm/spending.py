"""The cost of models' calls, and the budgets that bound it."""

from datetime import date
from uuid import UUID

from schemas.limits import SPENDING_LINES
from schemas.llm.calls import BudgetReached, BudgetToday, Spending, SpendingPage
from schemas.settings import Settings
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


def budgets_today(store: Store, settings: Settings, user_id: UUID | None, being_id: UUID | None) -> list[BudgetToday]:
    """The current day's budgets and what is spent of each, as `store.llm.budgets.today` lists them: for an operator."""
    with store.transaction() as tx:
        return budgets.today(tx, settings, user_id=user_id, being_id=being_id)


def page(store: Store, settings: Settings, user_id: UUID, being_id: UUID | None, *, since: date | None) -> SpendingPage:
    """The cost of a user's calls, or of those of one Being, and what is left of the budgets that bound them.

    Of the platform's budget the user sees that it is nearly spent or reached, and no amounts: they are of all users.
    """
    found = budgets_today(store, settings, user_id, being_id)
    hidden = {"limit_cost": None, "limit_tokens": None, "spent_cost": None, "spent_tokens": None}
    shown = [each.model_copy(update=hidden) if each.budget == "platform" else each for each in found]
    return SpendingPage(spending=lines(store, user_id, being_id, since=since), budgets=shown)
