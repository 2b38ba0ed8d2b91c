"""Measures intake of notes and messages relative to a COPY of the same rows into a table without indexes."""

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import count
from time import perf_counter
from uuid import UUID

from psycopg.sql import SQL, Identifier

from bench.figures import Figure, timed
from bench.ground import Ground
from bench.memories import action, in_batches, scene_note
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from schemas.settings import Settings

BATCHES = {1: 300, 100: 3_000, 1_000: 5_000}
WAITING = (0, 20_000)

Accept = Callable[[UUID, Sequence[object]], object]


def ingest(ground: Ground) -> Iterator[Figure]:
    """Measure notes and messages per second in batches of 1, 100 and 1,000, and one note beside a backlog."""
    settings = Settings()
    begun = datetime.now(UTC) - timedelta(days=7)

    def notes(being_id: UUID, batch: Sequence[object]) -> object:
        return accept_notes(ground.store, settings, being_id, batch)

    def messages(being_id: UUID, batch: Sequence[object]) -> object:
        return accept_messages(ground.store, settings, being_id, batch)

    def message(position: int) -> dict[str, object]:
        said = (begun + timedelta(seconds=20 * position)).isoformat()
        return {"id": f"turn {position}", "role": "user", "content": action(position), "created_at": said}

    yield from _against_copy(ground, "notes", notes, scene_note)
    yield from _against_copy(ground, "messages", messages, message)
    yield _while_many_wait(ground, notes)


def _against_copy(
    ground: Ground, table: str, accept: Accept, make: Callable[[int], dict[str, object]]
) -> Iterator[Figure]:
    for size, number in BATCHES.items():
        being_id = ground.new_being()
        items = [make(position) for position in range(number)]
        begun = perf_counter()
        for batch in in_batches(items, size):
            accept(being_id, batch)
        ours = number / (perf_counter() - begun)
        yield Figure(
            what=f"{table}, {size:,} at a time",
            measured=ours,
            unit="/s",
            limit=number / _copy(ground, table, being_id, size),
            against="COPY, as many rows a commit",
        )


def _copy(ground: Ground, table: str, being_id: UUID, size: int) -> float:
    """Return the seconds that copying a Being's rows into a table without indexes takes, `size` rows a commit."""
    source, bare = Identifier("memory", table), Identifier("bench", f"{table}_{size}")
    with ground.store.transaction() as tx:
        tx.execute(SQL("create table {} (like {})").format(bare, source))
        chosen = SQL("copy (select * from {} where being_id = {}) to stdout").format(source, str(being_id))
        with tx.cursor().copy(chosen) as copy:
            rows = [bytes(row) for row in copy]
    begun = perf_counter()
    for batch in in_batches(rows, size):
        with ground.store.transaction() as tx, tx.cursor().copy(SQL("copy {} from stdin").format(bare)) as copy:
            copy.write(b"".join(batch))
    return perf_counter() - begun


def _while_many_wait(ground: Ground, accept: Accept) -> Figure:
    """Measure accepting one note, for a Being without pending notes and for one with 20,000."""
    beings = [ground.new_being() for _ in WAITING]
    for being_id, waiting in zip(beings, WAITING, strict=True):
        for batch in in_batches(map(scene_note, range(waiting)), 1_000):
            accept(being_id, batch)
    positions = count(max(WAITING))

    def hand_in(being_id: UUID) -> object:
        return accept(being_id, [scene_note(next(positions))])

    none, many = timed(*(partial(hand_in, being_id) for being_id in beings), times=30)
    return Figure(
        what=f"one note while {WAITING[1]:,} wait",
        measured=many.p50,
        unit="ms",
        limit=none.p50,
        against="while none waits",
    )
