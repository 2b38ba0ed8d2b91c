"""Todos, promises and reminders whose time has come: the list of them, and a notice of each, made once."""

from datetime import datetime, timedelta
from uuid import UUID

from memory.text.pages import cut_page, parse_cursor, time_and_id
from schemas.accounts.accounts import Being
from schemas.facts.due import DueNotices, DuePage
from schemas.ledger import kinds
from store import clock
from store.database import Store
from store.facts import due
from store.ledger import work

NOTICED_AT_ONCE = 500
# What an import brings in from long ago is no surprise; what came due while no worker ran is told late.
NOTICED_WITHIN = timedelta(days=7)


def page(store: Store, being: Being, *, until: datetime | None, cursor: str | None, limit: int) -> DuePage:
    """A page of what is open and due by a time, None for now, earliest first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, time_and_id)
    with store.transaction() as tx:
        found = due.page(tx, being.being_id, until=until or clock.now(tx), after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda item: (item.due_at, item.item_id))
    return DuePage(due=shown, cursor=end)


def notices(store: Store, being: Being, *, cursor: str | None, limit: int) -> DueNotices:
    """The notices after a cursor, in the order in which they were made.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = due.notices(tx, being.being_id, after=after, limit=limit)
    return DueNotices(notices=found, cursor=str(found[-1].notice_id) if found else cursor)


def notice(store: Store) -> None:
    """Make notices of what has come due, and request their delivery to the users that have a webhook."""
    while True:
        with store.transaction() as tx:
            made = due.notice(tx, within=NOTICED_WITHIN, limit=NOTICED_AT_ONCE)
            for one in made:
                if one.has_webhook:
                    work.ask(tx, one.being_id, kinds.DELIVER_DUE, str(one.notice_id))
        if len(made) < NOTICED_AT_ONCE:
            return
