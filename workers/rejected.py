"""What producers left and no door could take: kept in the Redis stream `patrol:rejected`, with the reason.

`data` is what was sent, and `id` makes it one item however often it is tried: the fields that the doors' own streams
have, so that replaying is moving it back. Redis clients are given as `Any`, since theirs are types of every reply in
every mode; replies are bytes here.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

STREAM = "patrol:rejected"
# The doors' own streams, by what producers leave there: what was rejected at any door goes back through one of them.
DOORS: dict[Literal["notes", "messages"], str] = {"notes": "patrol:notes", "messages": "patrol:messages"}
# What is longer can't be taken in any form; its beginning is kept, to know it by.
LONGEST = 256 * 1024
BEGINNING = 4 * 1024
PAGE = 500


@dataclass(frozen=True)
class Rejected:
    """One thing that was left and not taken.

    Attributes:
        what: The door's stream it belongs into.
        id: What it is known by, unless it brings its own id.
        reason: Why it was not taken.
        data: What was sent.
        entry: Its place in `patrol:rejected`; empty until it is there.
        length: How many bytes were sent, of which `data` may be the beginning.
    """

    what: str
    id: str
    reason: str
    data: bytes
    entry: str = ""
    length: int = 0

    @property
    def whole(self) -> bool:
        """Whether all of it was kept."""
        return len(self.data) >= self.length

    @property
    def since(self) -> datetime:
        """When it was rejected."""
        return datetime.fromtimestamp(int(self.entry.partition("-")[0]) / 1000, UTC)


def keep(redis: Any, rejected: Iterable[Rejected]) -> None:
    """Keep what was not taken."""
    for one in rejected:
        redis.xadd(
            STREAM,
            {
                "what": one.what,
                "id": one.id,
                "reason": one.reason,
                "length": len(one.data),
                "data": one.data if len(one.data) <= LONGEST else one.data[:BEGINNING],
            },
        )


def listed(redis: Any, limit: int | None = None) -> Iterator[Rejected]:
    """What was not taken, oldest first."""
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
    """Move one back to where it came from, whole or not at all; False where somebody else did before."""

    def move(pipeline: Any) -> bool:
        found = pipeline.xrange(STREAM, one.entry, one.entry)
        pipeline.multi()
        if found:
            pipeline.xadd(one.what, {"id": one.id, "data": one.data})
            pipeline.xdel(STREAM, one.entry)
        return bool(found)

    return bool(redis.transaction(move, STREAM, value_from_callable=True))


def find(redis: Any, entry: str) -> Rejected | None:
    """The one at that place in `patrol:rejected`."""
    return next((_read(found.decode(), fields) for found, fields in redis.xrange(STREAM, entry, entry)), None)


def _read(entry: str, fields: Mapping[bytes, bytes]) -> Rejected:
    return Rejected(
        what=fields[b"what"].decode(),
        id=fields[b"id"].decode(),
        reason=fields[b"reason"].decode(),
        data=fields[b"data"],
        entry=entry,
        length=int(fields[b"length"]),
    )
