"""Measures how many Celery tasks a minute of input causes, and how long a note waits until it is recallable.

10,000 messages and 10,000 notes arrive within a minute, one by one, for 100 Beings. The promise is at most 50 tasks for
1,000 items, and no note waits longer than `PATROL_PENDING_WAIT` and the time that the patrols take.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from time import monotonic, sleep
from uuid import UUID

from bench.figures import Figure
from bench.ground import Ground
from bench.ledger.task_count import TaskCount, counted_tasks
from bench.ledger.workforce import wait_for, workforce
from bench.memories import action, scene_note
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from schemas.settings import Settings
from store.database import Store

BEINGS = 100
EACH = 10_000
PRODUCERS = 2
PROMISED = 50
PATIENCE = 300.0


def doorbell(ground: Ground) -> Iterator[Figure]:
    """Once with a wait of a quarter of the minute in which everything comes, and once with one that outlasts it.

    The shipped wait of 5 minutes outlasts it too, and would only make the benchmark longer.
    """
    minute = timedelta(seconds=ground.scale.minute)
    shipped = Settings()
    yield from _measured(ground, shipped.pending_notes, minute / 4)
    yield from _measured(ground, shipped.pending_notes, minute * 5 / 4)


def _measured(ground: Ground, pending_notes: int, pending_wait: timedelta) -> Iterator[Figure]:
    setting = f"patrol at {pending_notes} notes or after {pending_wait.total_seconds():.0f} s"
    with (
        workforce(ground, pending_notes=pending_notes, pending_wait=pending_wait) as (settings, store),
        counted_tasks() as count,
    ):
        beings = [ground.new_being() for _ in range(BEINGS)]
        begun = monotonic()
        with ThreadPoolExecutor(PRODUCERS) as pool:
            list(pool.map(lambda which: _produce(ground, store, settings, beings, which), range(PRODUCERS)))
        handed_in = monotonic() - begun
        wait_for(lambda: _left(ground) == 0, PATIENCE)
        remembered = monotonic() - begun
        wait_for(lambda: _all_counted(ground, count), PATIENCE)
    yield _tasks(ground, setting, count)
    waits = _waits(ground)
    for name, measured in zip(("median", "worst"), waits, strict=True):
        yield Figure(
            what=f"{setting}: from accepted to remembered, {name}",
            measured=measured,
            unit="s",
            limit=pending_wait.total_seconds(),
            against="PATROL_PENDING_WAIT",
            remark=f"{2 * EACH:,} items in {handed_in:.0f} s, all remembered after {remembered:.0f} s",
        )


def _produce(ground: Ground, store: Store, settings: Settings, beings: list[UUID], which: int) -> None:
    """Send every second message and note of the minute, each at its time, or as fast as possible."""
    begun = monotonic()
    for position in range(which, EACH, PRODUCERS):
        sleep(max(0.0, begun + position * ground.scale.minute / EACH - monotonic()))
        being = position % BEINGS
        said = {"id": f"turn {position}", "role": "user", "content": action(position)}
        accept_messages(store, settings, beings[being], [said])
        accept_notes(store, settings, beings[being], [scene_note(position, being)])


def _tasks(ground: Ground, setting: str, count: TaskCount) -> Figure:
    runs, _ = _patrols(ground)
    return Figure(
        what=f"{setting}: tasks",
        measured=1000 * count.caused / (2 * EACH),
        unit="tasks per 1,000",
        limit=PROMISED,
        against="the promise",
        remark=f"{runs} patrols: {count.caused:,} tasks, {count.by_name['patrol.due']:,} of them to begin one;"
        f" beat's own ticks beside them: {count.beats}",
    )


def _left(ground: Ground) -> int:
    """Return how many scene notes are not nodes yet."""
    with ground.store.transaction() as tx:
        (row,) = tx.execute("select count(*) as notes from memory.notes where state <> 'remembered'")
    return int(row["notes"])


def _all_counted(ground: Ground, count: TaskCount) -> bool:
    """Return whether every patrol is over and its last task was counted; a chain that was sent twice has two."""
    over, others = _patrols(ground)
    return others == 0 and count.by_name["patrol.diary"] >= over


def _patrols(ground: Ground) -> tuple[int, int]:
    """Return how many patrols are over, and how many are not."""
    with ground.store.transaction() as tx:
        (row,) = tx.execute(
            "select count(*) filter (where state = 'done') as over, count(*) filter (where state <> 'done') as others"
            " from memory.patrol_runs"
        )
    return int(row["over"]), int(row["others"])


def _waits(ground: Ground) -> tuple[float, float]:
    """Return the median and the maximum of the seconds between a note's acceptance and its being recallable."""
    with ground.store.transaction() as tx:
        (row,) = tx.execute(
            "select percentile_cont(0.5) within group (order by waited) as median, max(waited) as worst"
            " from (select extract(epoch from n.created_at - o.received_at)::float8 as waited"
            " from memory.memory_nodes as n join memory.notes as o using (being_id, note_id)) as waits"
        )
    return float(row["median"]), float(row["worst"])
