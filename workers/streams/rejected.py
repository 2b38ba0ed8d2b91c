"""Items that producers sent and no front door accepted: the Redis stream `patrol:rejected`, with the reason.

`data` is the sent data, and `id` deduplicates repeated attempts. These are the fields of the producers' streams, so
that a replay moves an entry back. Redis clients are typed `Any`, since redis-py's types are unions over all its modes;
replies are bytes here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from schemas.intake.items import ItemKind
from schemas.text.storable import storable

STREAM = "patrol:rejected"
# The producers' streams and the kind of their items. An item that any door rejected is replayed through one of them.
DOORS: dict[ItemKind, str] = {"notes": "patrol:notes", "messages": "patrol:messages"}
STREAMS = {stream: kind for kind, stream in DOORS.items()}
# Bytes. A longer entry can't be accepted in any form; only its first bytes are kept, so that it can be recognised.
LONGEST = 256 * 1024
BEGINNING = 4 * 1024
PAGE = 500

Fields = Mapping[bytes, bytes]


@dataclass(frozen=True)
class Rejected:
    """One item that was not accepted.

    Attributes:
        what: The stream through which it is replayed.
        id: Its producer id, unless `data` names another.
        reason: Why it was not accepted.
        data: The sent data, or its beginning; none of it if it is off the record.
        entry: Its entry id in `patrol:rejected`; empty before it is added.
        length: How many bytes were sent.
    """

    what: str
    id: str
    reason: str
    data: bytes
    entry: str = ""
    length: int = 0

    @property
    def whole(self) -> bool:
        """Whether `data` is all that was sent."""
        return len(self.data) >= self.length

    @property
    def since(self) -> datetime:
        """When it was rejected."""
        return datetime.fromtimestamp(int(self.entry.partition("-")[0]) / 1000, UTC)


def derived_id(stream: str, place: bytes, fields: Fields) -> str:
    """Return the id of an entry's item without a producer's id: the entry's `id` field, or its stream and entry id."""
    return storable(fields.get(b"id", b"").decode(errors="replace")) or f"stream/{stream}/{place.decode()}"


def keep(redis: Any, rejected: Iterable[Rejected]) -> None:
    """Add items to `patrol:rejected`."""
    for one in rejected:
        redis.xadd(
            STREAM,
            {
                "what": one.what,
                "id": one.id,
                "reason": one.reason,
                "length": max(one.length, len(one.data)),
                "data": one.data if len(one.data) <= LONGEST else one.data[:BEGINNING],
            },
        )


def listed(redis: Any, limit: int | None = None) -> Iterator[Rejected]:
    """Yield rejected items, oldest first, at most `limit` of them."""
    after, left = "-", limit
    while left is None or left > 0:
        page = redis.xrange(STREAM, min=after, count=PAGE if left is None else min(PAGE, left))
        for entry, fields in page:
            yield _read(entry.decode(), fields)
        if not page:
            return
        after = f"({page[-1][0].decode()}"
        left = None if left is None else left - len(page)


def replay(redis: Any, one: Rejected) -> bool:
    """Move an item back to its producers' stream, atomically. Returns false if it was replayed or removed before."""

    def move(pipeline: Any) -> bool:
        found = pipeline.xrange(STREAM, one.entry, one.entry)
        pipeline.multi()
        if found:
            pipeline.xadd(one.what, {"id": one.id, "data": one.data})
            pipeline.xdel(STREAM, one.entry)
        return bool(found)

    return bool(redis.transaction(move, STREAM, value_from_callable=True))


def find(redis: Any, entry: str) -> Rejected | None:
    """Return the item with that entry id in `patrol:rejected`, if there is one."""
    return next((_read(found.decode(), fields) for found, fields in redis.xrange(STREAM, entry, entry)), None)


def _read(entry: str, fields: Fields) -> Rejected:
    return Rejected(
        what=fields[b"what"].decode(),
        id=fields[b"id"].decode(),
        reason=fields[b"reason"].decode(),
        data=fields[b"data"],
        entry=entry,
        length=int(fields[b"length"]),
    )
