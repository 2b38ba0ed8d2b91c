"""Intake from Redis streams: entries are committed in Postgres, and acknowledged only then (at-least-once).

A reader may die at any moment. Entries that it had read and not acknowledged are claimed by another and taken in again;
duplicates change nothing, because every item has an id: the producer's, or one derived from its entry. Without the
consumer group, which a flushed or restored Redis may lack, all entries are read again, with the same result.
"""

import os
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import structlog
from redis.exceptions import RedisError, ResponseError

from api.streams import heartbeats
from api.streams.entries import Entry, MalformedEntry, by_address, read_entry, sent_data
from memory.erased.known_erased import SecretMissing
from memory.intake.accepting import IntakeFull
from memory.intake.delivery import deliver
from schemas.errors import Unavailable
from workers.runtime import alive
from workers.runtime.resources import Resources
from workers.streams import rejected
from workers.streams.rejected import STREAMS, Fields, Rejected, derived_id

log = structlog.get_logger()

GROUP = "patrol"
READ_AT_ONCE = 500
# A new entry ends the wait at once; the timeout lets the reader check whether it must stop.
WAIT_MILLISECONDS = 500
PAUSE_SECONDS = 1.0
TIDY_SECONDS = 10.0
FORGOTTEN = timedelta(hours=1)
# Deleting a consumer drops its pending entries from the group, so the check and the deletion are one atomic script.
FORGET_CONSUMER = """
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) == 0 then
    return redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
end
"""


@dataclass(frozen=True)
class StreamState:
    """The number of a stream's entries, and of those that were read and not acknowledged."""

    stream: str
    entries: int
    pending: int


class StreamReader:
    """One reader of both streams; any number may run concurrently.

    Args:
        on: The ledger and the settings.
        redis: The server of the streams; replies must be bytes.
    """

    def __init__(self, on: Resources, redis: Any) -> None:
        self.name = f"{socket.gethostname()}-{os.getpid()}-{uuid4().hex[:8]}"
        self._on = on
        self._redis = redis
        self._failed = False
        self._tidied = float("-inf")

    def run(self, stopped: Callable[[], object]) -> None:
        """Read until `stopped` returns true; retries every second while Postgres or Redis is unavailable."""
        log.info("stream.reads", reader=self.name)
        while not stopped():
            try:
                self.read()
            except (RedisError, Unavailable) as fault:
                self._failed = True
                log.warning("stream.waits", fault=type(fault).__name__)
                time.sleep(PAUSE_SECONDS)

    def read(self) -> None:
        """Take in new entries, and claim those that other readers left unacknowledged.

        Raises:
            Unavailable: The database is unavailable; entries that were read stay pending for this reader.
            RedisError: Redis is unavailable.
        """
        try:
            self._read()
        except ResponseError as fault:
            # Replies for a missing group, a stream deleted during the wait, and one deleted before it is trimmed.
            if not str(fault).startswith(("NOGROUP", "UNBLOCKED", "no such key")):
                raise
            self._make_groups()

    def _read(self) -> None:
        if self._failed:
            self._claim(timedelta(0), consumer=self.name)
            self._failed = False
        if time.monotonic() >= self._tidied + min(self._on.settings.stream_claim.total_seconds() / 2, TIDY_SECONDS):
            self._claim(self._on.settings.stream_claim)
            self._tidy()
            self._tidied = time.monotonic()
        heartbeats.write(self._redis, self.name)
        alive.touch()
        answer = self._redis.xreadgroup(
            GROUP, self.name, dict.fromkeys(STREAMS, ">"), count=READ_AT_ONCE, block=WAIT_MILLISECONDS
        )
        for stream, entries in answer:
            self._take(stream.decode(), entries)

    def _make_groups(self) -> None:
        """Create missing groups, which start with the stream's first entry."""
        for stream in STREAMS:
            try:
                self._redis.xgroup_create(stream, GROUP, id="0", mkstream=True)
            except ResponseError as fault:
                if not str(fault).startswith("BUSYGROUP"):
                    raise
            else:
                log.info("stream.group_made", stream=stream)

    def _take(self, stream: str, entries: list[tuple[bytes, Fields]]) -> None:
        """Deliver entries in one transaction for each Being or room, and acknowledge them after its commit."""
        readable: list[Entry] = []
        for place, fields in entries:
            try:
                readable.append(read_entry(stream, place, fields))
            except MalformedEntry as reason:
                data = sent_data(fields)
                kept = b"" if reason.off_the_record else data
                known_by = derived_id(stream, place, fields)
                refusal = Rejected(stream, known_by, str(reason), kept, length=len(data))
                self._acknowledge(stream, [place], [refusal], [place] if reason.off_the_record else [])
        # Beings with the fewest entries first, so that live input does not wait for bulk.
        for to, letters in sorted(by_address(readable).items(), key=lambda addressed: len(addressed[1])):
            items, ids = [letter.item for letter in letters], [letter.derived_id for letter in letters]
            try:
                delivered = deliver(
                    self._on.store, self._on.settings, self._on.embedders, STREAMS[stream], to, items, ids
                )
            except IntakeFull:
                # The entries stay pending, and are retried once they have been idle long enough to be claimed.
                log.warning("stream.door_full", **to.logged, entries=len(letters))
                continue
            except SecretMissing:
                # Only this user's entries wait for the secret.
                log.warning("stream.secret_missing", **to.logged, entries=len(letters))
                continue
            refused = [
                Rejected(
                    stream,
                    letters[position].derived_id,
                    reason,
                    b"" if position in delivered.off_the_record else letters[position].data,
                    length=len(letters[position].data),
                )
                for position, reason in delivered.refused.items()
            ]
            unkept = [letters[position].place for position in delivered.erased | delivered.off_the_record]
            self._acknowledge(stream, [letter.place for letter in letters], refused, unkept)
            log.info("stream.taken", stream=stream, **to.logged, entries=len(letters), refused=len(refused))

    def _acknowledge(
        self, stream: str, places: list[bytes], refused: Iterable[Rejected], unkept: Sequence[bytes] = ()
    ) -> None:
        with self._redis.pipeline() as pipeline:
            rejected.keep(pipeline, refused)
            pipeline.xack(stream, GROUP, *places)
            if unkept:
                pipeline.xdel(stream, *unkept)
            pipeline.execute()

    def _claim(self, idle: timedelta, consumer: str | None = None) -> None:
        """Claim and take in entries that were pending for `idle`, of all consumers or of one."""
        milliseconds = int(idle.total_seconds() * 1000)
        for stream in STREAMS:
            after = "-"
            while page := self._redis.xpending_range(
                stream, GROUP, after, "+", READ_AT_ONCE, consumername=consumer, idle=milliseconds
            ):
                places = [pending["message_id"] for pending in page]
                claimed = self._redis.xclaim(stream, GROUP, self.name, milliseconds, places)
                self._take(stream, [(place, fields) for place, fields in claimed if fields is not None])
                self._acknowledge_removed(stream, set(places) - {place for place, _ in claimed})
                after = f"({places[-1].decode()}"

    def _acknowledge_removed(self, stream: str, places: set[bytes]) -> None:
        """Acknowledge entries that were deleted from the stream before they were taken in."""
        for place in places:
            if not self._redis.xrange(stream, place, place):
                log.warning("stream.entry_removed", stream=stream, entry=place.decode())
                self._redis.xack(stream, GROUP, place)

    def _tidy(self) -> None:
        """Trim old acknowledged and rejected entries, and delete consumers that are gone."""
        settings = self._on.settings
        for stream in STREAMS:
            group = next((one for one in self._redis.xinfo_groups(stream) if one["name"] == GROUP.encode()), None)
            if group is None:
                # It was deleted meanwhile; the next read creates it again.
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
        """Return the id of an entry of that age."""
        seconds, microseconds = self._redis.time()
        return int(seconds * 1000 + microseconds / 1000 - age.total_seconds() * 1000), 0


def states(redis: Any) -> Iterator[StreamState]:
    """Yield the state of each stream."""
    for stream in STREAMS:
        groups = redis.xinfo_groups(stream) if redis.exists(stream) else []
        pending = sum(group["pending"] for group in groups if group["name"] == GROUP.encode())
        yield StreamState(stream, redis.xlen(stream), pending)


def _moment(place: bytes) -> tuple[int, int]:
    """Parse an entry's id into numbers that sort as the entries do."""
    milliseconds, _, number = place.decode().partition("-")
    return int(milliseconds), int(number or 0)
