"""What models have cost."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from api.http.auth import ReadBeing, Reader
from api.http.bodies import JsonRoute
from api.http.resources import On
from schemas.limits import SPENDING_LINES
from schemas.llm.calls import SpendingPage
from store.llm import calls

router = APIRouter(prefix="/v1", tags=["Cost"], route_class=JsonRoute)

Since = Annotated[date | None, Query(description="From this day on, in your time zone; without, from the first.")]


@router.get("/cost")
def show_cost(on: On, caller: Reader, since: Since = None) -> SpendingPage:
    """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first.

    Scope `read`. A token for one Being shows that Being's.
    """
    with on.store.transaction() as tx:
        lines = calls.spending(tx, user_id=caller.user_id, owner_id=caller.being_id, since=since, limit=SPENDING_LINES)
    return SpendingPage(spending=lines)


@router.get("/beings/{being}/cost")
def show_cost_of_being(on: On, being: ReadBeing, since: Since = None) -> SpendingPage:
    """Show what one Being's models have cost, by day, purpose and model, newest day first.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        lines = calls.spending(tx, user_id=being.user_id, owner_id=being.being_id, since=since, limit=SPENDING_LINES)
    return SpendingPage(spending=lines)
