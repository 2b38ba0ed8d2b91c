"""Due things, and notices of them."""

from typing import Annotated
from uuid import UUID

from pydantic import AwareDatetime, Field

from memory.text.pages import cut_page, parse_cursor, time_and_id
from operations.declaration import Command, operation
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.facts.due import DueNotices, DuePage
from schemas.limits import PAGE_NODES
from store import clock
from store.facts import due
from store.transaction import Transaction

MOST_SECONDS = 60


@operation("GET /v1/beings/{being}/due", scope="read", commands=[Command("list")])
def list_due(
    tx: Transaction,
    being: Being,
    *,
    until: Annotated[
        AwareDatetime | None, Field(description="Only items due by this time; omit it for items due now.")
    ] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> DuePage:
    """List a Being's open todos and promises, and its unread reminders, that are due, earliest first.

    A todo or promise has a time if its message names one.
    """
    after = parse_cursor(cursor, time_and_id)
    found = due.page(tx, being.being_id, until=until or clock.now(tx), after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda item: (item.due_at, item.item_id))
    return DuePage(due=shown, cursor=end)


@operation(
    "GET /v1/beings/{being}/due/notices",
    scope="read",
    commands=[Command("notices", takes=("cursor", "limit"))],
    waits_for=lambda answer: bool(answer.notices),
)
def list_due_notices(
    tx: Transaction,
    being: Being,
    *,
    cursor: Annotated[
        str | None, Field(description="The `cursor` of the previous answer; omit it for all notices that are kept.")
    ] = None,
    wait: Annotated[  # noqa: ARG001  # the door waits
        int,
        Field(ge=0, le=MOST_SECONDS, description="How many seconds to wait for a notice if there is none."),
    ] = 0,
    limit: Limit = PAGE_NODES,
) -> DueNotices:
    """Get a notice of each time at which something has come due, once, in the order in which they were made.

    With `wait` the answer comes when there is a notice, or after that time: ask again with the answer's `cursor`. While
    many requests wait, further ones are answered at once. A notice is made within seconds after its time. Those of
    items that were closed since are left out.
    """
    found = due.notices(tx, being.being_id, after=parse_cursor(cursor, UUID), limit=limit)
    return DueNotices(notices=found, cursor=str(found[-1].notice_id) if found else cursor)
