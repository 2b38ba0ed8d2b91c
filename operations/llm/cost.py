"""The cost of models."""

from datetime import date
from typing import Annotated

from pydantic import Field

from memory.accounts.access import Caller
from memory.llm import spending
from operations.declaration import operation
from schemas.accounts.accounts import Being
from schemas.llm.calls import SpendingPage
from workers.runtime.resources import Resources

Since = Annotated[date | None, Field(description="From this day on, in your time zone; without, from the first.")]


@operation("GET /v1/cost", scope="read")
def show_cost(on: Resources, caller: Caller, *, since: Since = None) -> SpendingPage:
    """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first.

    `budgets` has the spent part of the day's budgets. A token for one Being shows that Being's.
    """
    return spending.page(on.store, on.settings, caller.user_id, caller.being_id, since=since)


@operation("GET /v1/beings/{being}/cost", scope="read")
def show_cost_of_being(on: Resources, being: Being, *, since: Since = None) -> SpendingPage:
    """Show the cost of one Being's models, by day, purpose and model, newest day first, and its budgets."""
    return spending.page(on.store, on.settings, being.user_id, being.being_id, since=since)
