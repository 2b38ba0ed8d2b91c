"""The diary: what a Being wrote of its days."""

from memory.patrol import diary
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.limits import DIARY_DAYS
from schemas.patrol.runs import DiaryPage
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/diary", scope="read", commands=[Command("diary")])
def read_diary(
    on: Resources,
    being: Being,
    muted: FindsMuted,
    *,
    cursor: Cursor = None,
    limit: Limit = DIARY_DAYS,
) -> DiaryPage:
    """Read the diary, newest day first, and what the Being wants to have in mind next time.

    The scope `manage` also reads muted days.
    """
    return diary.diary_page(on.store, being.being_id, muted=muted, cursor=cursor, limit=limit)
