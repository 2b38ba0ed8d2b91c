"""Entries of the streams that producers write, as what is in them: whose it is, and the item."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.delivery import What
from schemas.limits import PRODUCER_ID_CHARACTERS
from workers.rejected import DOORS

STREAMS: dict[str, What] = {stream: what for what, stream in DOORS.items()}

Fields = Mapping[bytes, bytes]


class Unreadable(ValueError):
    """An entry is not of the form that it must have; the text says why, and nothing of what stands in it."""


@dataclass(frozen=True)
class Entry:
    """An entry that can be delivered.

    Attributes:
        place: Its id in the stream.
        derived_id: What its item is known by, unless it brings its own id.
        being_id: To whom it is addressed.
        item: What was sent, without the address.
        data: All of it, as it came.
    """

    place: bytes
    derived_id: str
    being_id: UUID
    item: dict[str, Any]
    data: bytes


def read_entry(stream: str, place: bytes, fields: Fields) -> Entry:
    """Read an entry `data '{"being": "<uuid>", …}'`.

    Raises:
        Unreadable: It is not of that form.
    """
    item = _object(fields)
    _check_id(fields.get(b"id", b""))
    try:
        being_id = UUID(item.pop("being"))
    except (KeyError, ValueError, TypeError, AttributeError):
        raise Unreadable("being: must be there, and a Being's id") from None
    return Entry(place, derived_id(stream, place, fields), being_id, item, fields[b"data"])


def derived_id(stream: str, place: bytes, fields: Fields) -> str:
    """What an entry's item is known by: what it was known by where it comes from, or else the place it stands in."""
    return fields.get(b"id", b"").decode(errors="replace") or f"stream/{stream}/{place.decode()}"


def by_being(entries: Iterable[Entry]) -> dict[UUID, list[Entry]]:
    """Sort entries by whom they are addressed to, each in the order in which they came."""
    sorted_: dict[UUID, list[Entry]] = {}
    for entry in entries:
        sorted_.setdefault(entry.being_id, []).append(entry)
    return sorted_


def _check_id(sent: bytes) -> None:
    try:
        known_by = sent.decode()
    except UnicodeDecodeError as fault:
        raise Unreadable(f"id: is not UTF-8 at byte {fault.start}") from None
    if len(known_by) > PRODUCER_ID_CHARACTERS:
        raise Unreadable(f"id: is longer than {PRODUCER_ID_CHARACTERS} characters")
    if "\0" in known_by:
        raise Unreadable("id: holds a NUL character, which no text may")


def _object(fields: Fields) -> dict[str, Any]:
    if b"data" not in fields:
        raise Unreadable("the entry has no field `data`")
    try:
        found = json.loads(fields[b"data"].decode())
    except UnicodeDecodeError as fault:
        raise Unreadable(f"data: is not UTF-8 at byte {fault.start}") from None
    except json.JSONDecodeError as fault:
        raise Unreadable(f"data: is not JSON: {fault.msg} at line {fault.lineno}, column {fault.colno}") from None
    except RecursionError:
        raise Unreadable("data: is nested too deeply") from None
    except ValueError:
        raise Unreadable("data: holds a number with more digits than can be read") from None
    if not isinstance(found, dict):
        raise Unreadable("data: must be a JSON object")
    return found
