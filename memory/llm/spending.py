"""The cost of models' calls, and the budgets that bound it."""

from datetime import date
from uuid import UUID

from schemas.limits import SPENDING_LINES
from schemas.llm.calls import BudgetReached, SpendingPage
from schemas.settings import Settings
from store.database import Store
from store.llm import budgets, calls


def page(
    store: Store,
    settings: Settings,
    user_id: UUID | None,
    being_id: UUID | None,
    *,
    since: date | None,
    shows_platform: bool = False,
) -> SpendingPage:
    """Return calls, tokens and cost by day, Being, purpose and model, newest day first, and today's spent budgets.

    Args:
        settings: The limits of users and Beings that have none of their own, and the platform's.
        user_id: Only this user's; None: all users'.
        being_id: Only of this Being; None: of all of them, and of work across them.
        since: The first day, in the user's time zone; None: from the beginning.
        shows_platform: Whether the platform's budget is shown with its amounts, which are of all users. Without it the
            user sees that it is nearly spent or reached.
    """
    with store.transaction() as tx:
        lines = calls.spending(tx, user_id=user_id, owner_id=being_id, since=since, limit=SPENDING_LINES)
        found = budgets.today(tx, settings, user_id=user_id, being_id=being_id)
    if not shows_platform:
        hidden = {"limit_cost": None, "limit_tokens": None, "spent_cost": None, "spent_tokens": None}
        found = [each.model_copy(update=hidden) if each.budget == "platform" else each for each in found]
    return SpendingPage(spending=lines, budgets=found)


def reached(store: Store, user_id: UUID | None, owner_id: UUID | None) -> list[BudgetReached]:
    """The budgets that are used up today, of these owners."""
    return store.run(budgets.reached, user_id=user_id, owner_id=owner_id)
