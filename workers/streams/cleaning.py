"""Removes entries with erased content from the Redis streams.

A function that the caller passes decides which items were erased; no content leaves this process.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from schemas.intake.items import StreamItem
from workers.streams.rejected import STREAM, STREAMS, Fields, derived_id

PAGE = 500

Owners = Mapping[str, Collection[str]]
"""The ids of those to whom entries may be addressed, by the field that has them."""


def clean(
    redis: Any, being_id: UUID, erased_among: Callable[[Sequence[StreamItem]], set[int]], rooms: Sequence[UUID] = ()
) -> int:
    """Remove entries from the producers' streams, then from `patrol:rejected`.

    Args:
        redis: A client whose replies are bytes.
        being_id: The Being to which the entries are addressed.
        erased_among: Returns the positions of those items that were erased.
        rooms: The rooms of the Being's user, to which entries may be addressed as well.

    Returns:
        How many entries were removed.

    Raises:
        RedisError: Redis is out of reach; the call may be repeated.
    """
    removed = 0
    owners = {"being": {str(being_id)}, "room": {str(room_id) for room_id in rooms}}
    for stream in (*STREAMS, STREAM):
        for page in _pages(redis, stream):
            found = [(place, item) for place, fields in page for item in _items(stream, place, fields, owners)]
            erased = erased_among([item for _, item in found]) if found else ()
            places = {found[position][0] for position in erased}
            if places:
                removed += redis.xdel(stream, *places)
    return removed


def _pages(redis: Any, stream: str) -> Iterator[list[tuple[bytes, Fields]]]:
    after = "-"
    while page := redis.xrange(stream, min=after, count=PAGE):
        yield page
        after = f"({page[-1][0].decode()}"


def _items(stream: str, place: bytes, fields: Fields, owners: Owners) -> Iterator[StreamItem]:
    """Yield an entry's items that are for a Being or its rooms. One that names it and can't be parsed is one."""
    data = fields.get(b"data", b"")
    named = data.lower()
    if not any(owner.encode() in named for of_kind in owners.values() for owner in of_kind):
        return
    door = stream if stream in STREAMS else fields.get(b"what", b"").decode(errors="replace")
    try:
        sent = json.loads(data)
    except (ValueError, RecursionError):
        sent = None
    for item in _addressed(sent, owners):
        yield StreamItem(STREAMS.get(door, "notes"), item, derived_id(stream, place, fields))


def _addressed(sent: Any, owners: Owners) -> list[Any]:
    """Return the items of an entry: one with its Being's or room's id, or those of a rejected call of `ingest.*`."""
    if isinstance(sent, dict) and str(sent.get("being")).lower() in owners["being"]:
        return [{name: part for name, part in sent.items() if name != "being"}]
    if isinstance(sent, dict) and (room := str(sent.get("room")).lower()) in owners["room"]:
        # The message of each Being is in the room's conversation.
        return [{name: part for name, part in sent.items() if name != "room"} | {"conversation": room}]
    if isinstance(sent, dict) and sent.keys() <= {"args", "kwargs"}:
        parts = [*(sent.get("args") or []), *(sent.get("kwargs") or {}).values()]
        return [item for part in parts if isinstance(part, list) for item in part] or [None]
    return [None]
