"""Due things, and notices of them."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from schemas.rows import Row
from schemas.wire.answers import Answer, Cursor

DueKind = Literal["todo", "promise", "reminder"]


class DueItem(Row):
    """An open todo or promise, or an unread reminder, that has a time."""

    kind: DueKind = Field(description="`todo` and `promise` are among the Being's todos, a `reminder` among its notes.")
    item_id: UUID = Field(description="Its id there.")
    content: str
    due: str | None = Field(description="The time, in the words of the message.")
    due_at: datetime = Field(description="When its time begins.")
    due_until: datetime | None = Field(description="When its time ends; null for a reminder.")
    told_at: datetime = Field(description="The time of its latest mention.")
    in_confidence: bool


class DuePage(Answer):
    """One page of due todos, promises and reminders, earliest first."""

    due: list[DueItem]
    cursor: Cursor


class DueNotice(DueItem):
    """A notice that the time of an item has come: one for each time that it is due."""

    notice_id: UUID
    noticed_at: datetime


class DueNotices(Answer):
    """Notices in the order in which they were made."""

    notices: list[DueNotice]
    cursor: str | None = Field(
        description="Send it as `cursor` to get the notices after these; null if there is none yet."
    )


class DueDelivery(Answer):
    """The body that a webhook receives."""

    type: Literal["due"]
    being_id: UUID
    notice: DueNotice
