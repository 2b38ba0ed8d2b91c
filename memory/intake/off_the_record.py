"""Items that are off the record: doors that accept items for storage refuse them, and store no word of them either.

A message, a conversation or a whole Being is off the record. Messages at the doors of a conversation are dropped, and
the receipt says so; nothing else is handed in meanwhile.
"""

import re
from typing import Any

from schemas.accounts.accounts import Being
from schemas.errors import Refused
from schemas.wire.fields import is_marked

NOT_KEPT = (
    "it is off the record, and this door accepts items in order to keep them: no word of it was kept. Hand it in on the"
    " record to keep it."
)
BEING_OFF = (
    "This Being is off the record until further notice, so that nothing is kept. Put it on the record again first:"
    " `patrol being record on`, or PATCH /v1/beings/{being} with `off_the_record: false`."
)


# The mark in bytes that can't be read as JSON, with any quotes and a value that does not say no.
_UNREAD = re.compile(
    rb"off_the_record[^a-z0-9:=]{0,8}[:=][^a-z0-9]{0,8}(?!(?:false|null|none|no|off|0|undefined)\b)[a-z0-9]",
    re.IGNORECASE,
)


def is_marked_unread(data: bytes) -> bool:
    """Return whether bytes that can't be read as JSON are marked as off the record."""
    return _UNREAD.search(data.replace(b"\0", b"")) is not None


def is_off_the_record(being: Being | None, item: Any) -> bool:
    """Return whether an item as it was sent is off the record, by its own mark, its conversation or its Being."""
    if is_marked(item) or (being is not None and being.off_the_record):
        return True
    conversation = item.get("conversation") if isinstance(item, dict) else None
    return being is not None and isinstance(conversation, str) and being.is_off_the_record(conversation)


def must_be_kept(being: Being, conversation: str | None = None) -> None:
    """Check that items for a Being, or for one of its conversations, may be kept.

    Raises:
        Refused: It is off the record.
    """
    if being.off_the_record:
        raise Refused(BEING_OFF)
    if being.is_off_the_record(conversation):
        raise Refused("This conversation is off the record until further notice, so that nothing of it is kept.")
