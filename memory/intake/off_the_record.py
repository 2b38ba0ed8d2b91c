"""Items that are said off the record: doors that accept in order to keep refuse them, and keep no word of them either.

A message, a conversation or a whole Being is off the record. Messages at the doors of a conversation are dropped, and
the receipt says so; nothing else is handed in meanwhile.
"""

import re
from typing import Any

from schemas.accounts.accounts import Being
from schemas.errors import Refused

MARK = "off_the_record"
NOT_KEPT = (
    "it is off the record, and this door accepts items in order to keep them: no word of it was kept. Hand it in on the"
    " record to keep it."
)
BEING_OFF = (
    "This Being is off the record until further notice, so that nothing is kept. Put it on the record again first:"
    " `patrol being record on`, or PATCH /v1/beings/{being} with `off_the_record: false`."
)


# The mark in what can't be read as JSON, whatever the quotes, and not `false` or `null`.
_UNREAD = re.compile(rb"off_the_record[^a-z0-9]{0,12}(?!false|null)[a-z0-9]", re.IGNORECASE)


def is_marked(sent: Any) -> bool:
    """Return whether something that was sent, of any shape, or a part of it is marked as off the record.

    Bytes are what can't be read as JSON.
    """
    if isinstance(sent, bytes):
        return _UNREAD.search(sent.replace(b"\0", b"")) is not None
    if isinstance(sent, dict):
        return sent.get(MARK) not in (None, False) or any(is_marked(part) for part in sent.values())
    return isinstance(sent, list | tuple) and any(is_marked(part) for part in sent)


def is_off_the_record(being: Being | None, item: Any) -> bool:
    """Return whether an item as it was sent is off the record, by its own mark, its conversation or its Being."""
    if is_marked(item) or (being is not None and being.off_the_record):
        return True
    conversation = item.get("conversation") if isinstance(item, dict) else None
    return being is not None and isinstance(conversation, str) and being.is_off_the_record(conversation)


def must_be_kept(being: Being, conversation: str | None = None) -> None:
    """Check that what is handed in to a Being, or for one of its conversations, may be kept.

    Raises:
        Refused: It is off the record.
    """
    if being.off_the_record:
        raise Refused(BEING_OFF)
    if being.is_off_the_record(conversation):
        raise Refused("This conversation is off the record until further notice, so that nothing of it is kept.")
