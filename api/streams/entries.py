"""Parses stream entries into items addressed to a Being or a room."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from memory.intake.delivery import Address
from memory.intake.off_the_record import is_marked_unread
from schemas.limits import PRODUCER_ID_CHARACTERS
from schemas.text.storable import decoded
from schemas.wire.fields import is_marked
from workers.streams.rejected import Fields, derived_id


class MalformedEntry(ValueError):
    """An entry is malformed; the text says why, without quoting it.

    Args:
        reason: Why.
        off_the_record: Whether it is marked so, so that no copy of it may be stored.
    """

    def __init__(self, reason: str, *, off_the_record: bool = False) -> None:
        super().__init__(reason)
        self.off_the_record = off_the_record


@dataclass(frozen=True)
class Entry:
    """A well-formed entry.

    Attributes:
        place: Its id in the stream.
        derived_id: The id of its item, unless the item has a producer's id.
        to: The Being or room that it is addressed to.
        item: The item without its `being` or `room`.
        data: The entry's `data` as received.
    """

    place: bytes
    derived_id: str
    to: Address
    item: dict[str, Any]
    data: bytes


def read_entry(stream: str, place: bytes, fields: Fields) -> Entry:
    """Read an entry `data '{"being": "<uuid>", …}'`, or `'{"room": "<uuid>", …}'`.

    Raises:
        MalformedEntry: It is malformed.
    """
    item = _object(fields)
    off_the_record = is_marked(item)
    _check_id(fields.get(b"id", b""), off_the_record=off_the_record)
    try:
        to = Address.of(item)
    except ValueError as fault:
        raise MalformedEntry(str(fault), off_the_record=off_the_record) from None
    return Entry(place, derived_id(stream, place, fields), to, item, fields[b"data"])


def sent_data(fields: Fields) -> bytes:
    """Return an entry's `data` as received; of one without it all fields as an object, which a replay can read."""
    return fields[b"data"] if b"data" in fields else json.dumps(_named(fields), ensure_ascii=False).encode()


def by_address(entries: Iterable[Entry]) -> dict[Address, list[Entry]]:
    """Group entries by Being or room, each group in the order of arrival."""
    sorted_: dict[Address, list[Entry]] = {}
    for entry in entries:
        sorted_.setdefault(entry.to, []).append(entry)
    return sorted_


def _named(fields: Fields) -> dict[str, str]:
    return {name.decode(errors="replace"): value.decode(errors="replace") for name, value in fields.items()}


def _check_id(sent: bytes, *, off_the_record: bool) -> None:
    try:
        known_by = decoded(sent)
    except UnicodeDecodeError as fault:
        raise MalformedEntry(f"id: is not UTF-8 at byte {fault.start}", off_the_record=off_the_record) from None
    if len(known_by) > PRODUCER_ID_CHARACTERS:
        raise MalformedEntry(f"id: is longer than {PRODUCER_ID_CHARACTERS} characters", off_the_record=off_the_record)


def _object(fields: Fields) -> dict[str, Any]:
    if b"data" not in fields:
        raise MalformedEntry(
            "the entry has no field `data`, which holds the object as JSON", off_the_record=is_marked(_named(fields))
        )
    data = fields[b"data"]
    try:
        found = json.loads(decoded(data))
    except UnicodeDecodeError as fault:
        reason = f"is not UTF-8 at byte {fault.start}"
    except json.JSONDecodeError as fault:
        reason = f"is not JSON: {fault.msg} at line {fault.lineno}, column {fault.colno}"
    except RecursionError:
        reason = "is nested too deeply"
    except ValueError:
        reason = "holds a number with more digits than can be read"
    else:
        if isinstance(found, dict):
            return found
        off_the_record = is_marked_unread(data) if isinstance(found, str) else is_marked(found)
        raise MalformedEntry("data: must be a JSON object", off_the_record=off_the_record)
    raise MalformedEntry(f"data: {reason}", off_the_record=is_marked_unread(data))
