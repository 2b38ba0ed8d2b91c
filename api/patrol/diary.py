"""The diary: what a Being wrote of its days."""

from fastapi import APIRouter

from api.http.auth import ReadBeing
from api.http.bodies import JsonRoute
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.patrol import diary
from schemas.limits import DIARY_DAYS
from schemas.patrol.runs import DiaryPage

router = APIRouter(prefix="/v1/beings/{being}/diary", tags=["Diary"], route_class=JsonRoute)


@router.get("")
def read_diary(
    on: On,
    being: ReadBeing,
    cursor: Cursor = None,
    limit: Limit = DIARY_DAYS,
) -> DiaryPage:
    """Read the diary, newest day first, and what the Being wants to have in mind next time.

    Scope `read`.
    """
    return diary.diary_page(on.store, being.being_id, cursor=cursor, limit=limit)
