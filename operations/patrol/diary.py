"""The diary: a Being's entries about its days."""

from datetime import date

from memory.text.pages import cut_page, parse_cursor
from operations.declaration import Command, FindsMuted, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.limits import DIARY_DAYS
from schemas.patrol.runs import DiaryPage
from store.context import souls
from store.patrol import diary
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/diary", scope="read", commands=[Command("diary")])
def read_diary(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    cursor: Cursor = None,
    limit: Limit = DIARY_DAYS,
) -> DiaryPage:
    """Read the diary, newest day first, and the notes that the Being has for next time.

    The scope `manage` also reads muted days.
    """
    before = parse_cursor(cursor, date.fromisoformat)
    found = diary.newest(tx, being.being_id, before=before, limit=limit + 1, muted=muted)
    entries, end = cut_page(found, limit, lambda entry: entry.day)
    return DiaryPage(entries=entries, think_md=souls.get(tx, being.being_id).think_md, cursor=end)
