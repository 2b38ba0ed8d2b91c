"""The door of Redis streams: entries become rows in Postgres, and are acknowledged only then.

A reader may die at any moment. What it had read and not acknowledged is claimed by another, and taken again without
doubling, because every item has an id: its own, or one derived from its entry. Without the consumer group, which a
flushed or restored Redis may lack, everything is read from the beginning, to the same end.
"""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import structlog
from redis.exceptions import RedisError, ResponseError

from api.stream_entries import STREAMS, Entry, Fields, Unreadable, by_being, derived_id, read_entry
from memory.delivery import deliver
from memory.intake import DoorFull
from schemas.work import Ring
from store.errors import Unavailable
from workers import rejected
from workers.rejected import Rejected
from workers.resources import Resources

log = structlog.get_logger()

GROUP = "patrol"
READ_AT_ONCE = 500
# A new entry ends the wait; what ends it without one is that somebody wants the reader to stop.
WAIT_MILLISECONDS = 500
PAUSE_SECONDS = 1.0
MOST_UNTIDY = 10.0
# A reader that has not looked for so long is stuck or gone, for an idle one looks twice a second. It says so itself,
# since an older Redis knows only of consumers that got something.
SIGN_OF_LIFE = "patrol:reader:"
SILENCE = timedelta(seconds=15)
FORGOTTEN = timedelta(hours=1)
# A consumer that still has entries is kept, for they would be gone from the group with it: seen and removed in one.
FORGET_CONSUMER = """
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) == 0 then
    return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
end
"""


@dataclass(frozen=True)
class StreamState:
    """How far a stream has been read: the entries that it holds, and those of them that are not acknowledged yet."""

    stream: str
    entries: int
    pending: int


class StreamReader:
    """One reader of both streams; any number may run beside each other.

    Args:
        on: The ledger and the settings.
        redis: Where the streams are; replies must be bytes.
        ring: Rings for work that is committed.
    """

    def __init__(self, on: Resources, redis: Any, ring: Callable[[Iterable[Ring]], None]) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._on = on
        self._redis = redis
        self._ring = ring
        self._stumbled = False
        self._tidied = float("-inf")

    def run(self, stopped: Callable[[], object]) -> None:
        """Read until told to stop; what is out of reach is waited for."""
        log.info("stream.reads", reader=self.name)
        while not stopped():
            try:
                self.read()
            except (RedisError, Unavailable) as fault:
                self._stumbled = True
                log.warning("stream.waits", fault=type(fault).__name__)
                time.sleep(PAUSE_SECONDS)

    def read(self) -> None:
        """Take what is there, what others left behind included.

        Raises:
            Unavailable: The database is out of reach; what was read stays this reader's.
            RedisError: Redis is out of reach.
        """
        try:
            self._read()
        except ResponseError as fault:
            # A stream that goes while it is waited for ends the wait with the second of these, and one that goes before
            # it is tidied the tidying with the third.
            if not str(fault).startswith(("NOGROUP", "UNBLOCKED", "no such key")):
                raise
            self._make_groups()

    def _read(self) -> None:
        if self._stumbled:
            self._claim(timedelta(0), consumer=self.name)
            self._stumbled = False
        if time.monotonic() >= self._tidied + min(self._on.settings.stream_claim.total_seconds() / 2, MOST_UNTIDY):
            self._claim(self._on.settings.stream_claim)
            self._tidy()
            self._tidied = time.monotonic()
        self._redis.set(SIGN_OF_LIFE + self.name, "reads", ex=SILENCE)
        answer = self._redis.xreadgroup(
            GROUP, self.name, dict.fromkeys(STREAMS, ">"), count=READ_AT_ONCE, block=WAIT_MILLISECONDS
        )
        for stream, entries in answer:
            self._take(stream.decode(), entries)

    def _make_groups(self) -> None:
        """Make the groups that are missing, which begin with the first entry that there is."""
        for stream in STREAMS:
            try:
                self._redis.xgroup_create(stream, GROUP, id="0", mkstream=True)
            except ResponseError as fault:
                if not str(fault).startswith("BUSYGROUP"):
                    raise
            else:
                log.info("stream.group_made", stream=stream)

    def _take(self, stream: str, entries: list[tuple[bytes, Fields]]) -> None:
        """Deliver entries, one transaction a Being, and acknowledge each Being's as soon as they are committed."""
        if self._on.crash:
            self._on.crash.begin("stream")
        readable: list[Entry] = []
        for place, fields in entries:
            try:
                readable.append(read_entry(stream, place, fields))
            except Unreadable as reason:
                data = fields.get(b"data") or repr(sorted(fields)).encode()
                self._acknowledge(
                    stream, [place], [Rejected(stream, derived_id(stream, place, fields), str(reason), data)]
                )
        for being_id, letters in by_being(readable).items():
            items, ids = [letter.item for letter in letters], [letter.derived_id for letter in letters]
            try:
                delivered = deliver(self._on.store, self._on.settings, STREAMS[stream], being_id, items, ids)
            except DoorFull:
                # They stay unacknowledged, and are tried again when they have been idle long enough to be claimed.
                log.warning("stream.door_full", being_id=str(being_id), entries=len(letters))
                continue
            self._ring(delivered.rings)
            refused = [
                Rejected(stream, letters[position].derived_id, reason, letters[position].data)
                for position, reason in delivered.refused.items()
            ]
            if self._on.crash:
                self._on.crash.passed("before the ack")
            self._acknowledge(stream, [letter.place for letter in letters], refused)
            log.info("stream.taken", stream=stream, being_id=str(being_id), entries=len(letters), refused=len(refused))

    def _acknowledge(self, stream: str, places: list[bytes], refused: Iterable[Rejected]) -> None:
        with self._redis.pipeline() as pipeline:
            rejected.keep(pipeline, refused)
            pipeline.xack(stream, GROUP, *places)
            pipeline.execute()

    def _claim(self, idle: timedelta, consumer: str | None = None) -> None:
        """Take what was read and left unacknowledged for so long, by anybody or by one consumer."""
        milliseconds = int(idle.total_seconds() * 1000)
        for stream in STREAMS:
            after = "-"
            while page := self._redis.xpending_range(
                stream, GROUP, after, "+", READ_AT_ONCE, consumername=consumer, idle=milliseconds
            ):
                places = [pending["message_id"] for pending in page]
                claimed = self._redis.xclaim(stream, GROUP, self.name, milliseconds, places)
                self._take(stream, [(place, fields) for place, fields in claimed if fields is not None])
                self._drop_removed(stream, set(places) - {place for place, _ in claimed})
                after = f"({places[-1].decode()}"

    def _drop_removed(self, stream: str, places: set[bytes]) -> None:
        """What somebody removed from the stream before it was taken is nobody's any more."""
        for place in places:
            if not self._redis.xrange(stream, place, place):
                log.warning("stream.entry_removed", stream=stream, entry=place.decode())
                self._redis.xack(stream, GROUP, place)

    def _tidy(self) -> None:
        """Let go of old entries that are acknowledged, of old rejected ones, and of readers that are gone."""
        settings = self._on.settings
        for stream in STREAMS:
            group = next((one for one in self._redis.xinfo_groups(stream) if one["name"] == GROUP.encode()), None)
            if group is None:
                # It has gone since it was claimed from; the reading that follows has it made again.
                continue
            oldest_pending = self._redis.xpending(stream, GROUP)["min"]
            keep_from = min(
                self._before(settings.keep_stream_entries),
                _moment(group["last-delivered-id"]),
                _moment(oldest_pending or b"9" * 18),
            )
            self._redis.xtrim(stream, minid="{}-{}".format(*keep_from), approximate=False)
            for consumer in self._redis.xinfo_consumers(stream, GROUP):
                if timedelta(milliseconds=consumer["idle"]) > FORGOTTEN:
                    self._redis.eval(FORGET_CONSUMER, 1, stream, GROUP, consumer["name"])
        self._redis.xtrim(rejected.STREAM, minid="{}-{}".format(*self._before(settings.keep_rejected)))

    def _before(self, age: timedelta) -> tuple[int, int]:
        """The id that an entry of that age has."""
        seconds, microseconds = self._redis.time()
        return int(seconds * 1000 + microseconds / 1000 - age.total_seconds() * 1000), 0


def states(redis: Any) -> Iterator[StreamState]:
    """How far the streams have been read."""
    for stream in STREAMS:
        groups = redis.xinfo_groups(stream) if redis.exists(stream) else []
        pending = sum(group["pending"] for group in groups if group["name"] == GROUP.encode())
        yield StreamState(stream, redis.xlen(stream), pending)


def readers(redis: Any) -> list[str]:
    """Who reads the streams now."""
    return sorted(key.decode().removeprefix(SIGN_OF_LIFE) for key in redis.scan_iter(f"{SIGN_OF_LIFE}*"))


def _moment(place: bytes) -> tuple[int, int]:
    """An entry's id in numbers, which order as the entries do."""
    milliseconds, _, number = place.decode().partition("-")
    return int(milliseconds), int(number or 0)
