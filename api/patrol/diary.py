"""The diary: what a Being wrote of its days."""

from datetime import date
from typing import Annotated

from fastapi import APIRouter, Query

from api.http.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.paging import Limit
from api.http.resources import On
from memory.patrol import diary
from schemas.limits import DIARY_DAYS
from schemas.patrol.runs import DiaryAnswer

router = APIRouter(prefix="/v1/beings/{being}/diary", tags=["Diary"], route_class=JsonRoute)


@router.get("")
def read_diary(
    on: On,
    being: ReadBeing,
    before: Annotated[date | None, Query(description="Only entries of days before this one.")] = None,
    limit: Limit = DIARY_DAYS,
) -> DiaryAnswer:
    """Read the diary, newest day first, and what the Being wants to have in mind next time.

    Scope `read`.
    """
    return diary.diary_page(on.store, being.being_id, before=before, limit=limit)
