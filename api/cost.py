"""What models have cost."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from api.auth import ReadBeing, Reader
from api.bodies import JsonRoute
from api.resources import On
from schemas.limits import SPENDING_LINES
from schemas.thinking import Spending
from store import calls

router = APIRouter(prefix="/v1", tags=["Cost"], route_class=JsonRoute)

Since = Annotated[date | None, Query(description="From this day on, in your time zone; without, from the first.")]


@router.get("/cost")
def show_cost(on: On, caller: Reader, since: Since = None) -> list[Spending]:
    """Show calls of models, their tokens and cost by day, Being, purpose and model, newest day first.

    Scope `read`. A token for one Being shows that Being's.
    """
    with on.store.transaction() as tx:
        return calls.spending(tx, user_id=caller.user_id, owner_id=caller.being_id, since=since, limit=SPENDING_LINES)


@router.get("/beings/{being}/cost")
def show_cost_of_being(on: On, being: ReadBeing, since: Since = None) -> list[Spending]:
    """Show what one Being's models have cost, by day, purpose and model, newest day first.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return calls.spending(tx, user_id=being.user_id, owner_id=being.being_id, since=since, limit=SPENDING_LINES)
