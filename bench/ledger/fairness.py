"""Measures live requests beside imports over HTTP: a note until it is recallable, and a simple read."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from random import Random
from time import monotonic, perf_counter, sleep
from uuid import UUID

import httpx2

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.ledger.workforce import wait_for, workforce
from bench.memories import in_batches, scene_note
from cli.demo import canned
from cli.operations.environments import environment
from memory.intake.notes import accept_notes
from schemas.limits import BATCH_ITEMS
from schemas.settings import CHECKOUT, Settings
from store.intake import notes
from store.transaction import value

NOTES = 40
EVERY = 1.0
READS = 300
READ_EVERY = 0.05
PROMISED_READ = 100.0
CALLERS = 80
IMPORTING_USERS = 4
UNPAUSED_BATCHES = 10
PATIENCE = 60.0


def fairness(ground: Ground) -> Iterator[Figure]:
    """Measure a live note, with its patrol demanded, beside one import; and a user's read beside 80 bulk callers."""
    shipped = Settings()
    port = canned.free_port()
    url = f"http://{canned.HOST}:{port}"
    with workforce(ground, pending_notes=shipped.pending_notes, pending_wait=shipped.pending_wait, api_port=port) as (
        settings,
        _,
    ):
        live, importer = ground.new_being(), ground.new_being()
        with _client(ground, url, live) as client:
            alone = _live_notes(ground, client, live, 0)
            with _importing(ground, url, [importer], callers=1):
                begun = perf_counter()
                before = _accepted(ground, importer)
                beside = _live_notes(ground, client, live, NOTES)
                pace = (_accepted(ground, importer) - before) / (perf_counter() - begun)
                waiting = _pending(ground, importer)
        # Last, because it leaves a backlog.
        unpaused = _unpaused_pace(ground, settings)
    for name, measured, limit in (("p50", beside.p50, alone.p50), ("p95", beside.p95, alone.p95)):
        yield Figure(
            what=f"a live note during an import, {name}",
            measured=measured,
            unit="ms",
            limit=limit,
            against="without the import",
            remark=f"of {ground.scale.imported:,} imported notes {waiting:,} still waited at the end",
        )
    yield Figure(
        what="an import beside live notes and its own patrols",
        measured=pace,
        unit="/s",
        limit=unpaused,
        against="no rest, no HTTP, nothing else",
    )
    yield from _reads_beside_bulk(ground)


def _reads_beside_bulk(ground: Ground) -> Iterator[Figure]:
    shipped = Settings()
    port = canned.free_port()
    url = f"http://{canned.HOST}:{port}"
    with workforce(ground, pending_notes=shipped.pending_notes, pending_wait=shipped.pending_wait, api_port=port):
        reader, importers = ground.new_being(), [ground.new_being() for _ in range(IMPORTING_USERS)]
        with _client(ground, url, reader) as client:
            _reads(client)
            alone = _reads(client)
            with _importing(ground, url, importers, callers=CALLERS):
                beside = _reads(client)
    remark = f"p50 {beside.p50:.1f} ms, {alone.p50:.1f} alone; worst {1000 * max(beside.seconds):.0f} ms"
    for limit, against in ((alone.p95, "without them"), (PROMISED_READ, "the promise")):
        yield Figure(
            what=f"a read beside {CALLERS} bulk callers, p95",
            measured=beside.p95,
            unit="ms",
            limit=limit,
            against=against,
            remark=remark,
        )


@contextmanager
def _client(ground: Ground, url: str, being_id: UUID) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {ground.token(being_id)}"}
    with httpx2.Client(base_url=f"{url}/v1/beings/{being_id}", headers=headers, timeout=PATIENCE) as client:
        yield client


def _live_notes(ground: Ground, client: httpx2.Client, being_id: UUID, first: int) -> Times:
    """Send a note from time to time; measures how long each takes from acceptance to recall, without the first.

    At no fixed pace, or they would all come in an importer's rests, or none.
    """
    chance = Random(first)  # noqa: S311  # for no secret
    took = []
    for position in range(first, first + NOTES):
        due = monotonic() + EVERY * chance.uniform(0.5, 1.5)
        (note_id,) = client.post("/notes", json=scene_note(position)).raise_for_status().json()["ids"]
        begun = perf_counter()
        client.post("/patrols").raise_for_status()
        wait_for(partial(_is_remembered, ground, being_id, note_id), PATIENCE, pause=0.005)
        took.append(perf_counter() - begun)
        sleep(max(0.0, due - monotonic()))
    return Times(took[1:])


def _reads(client: httpx2.Client) -> Times:
    """Read the newest notes from time to time; measures how long each read takes."""
    chance = Random(READS)  # noqa: S311  # for no secret
    took = []
    for _ in range(READS):
        begun = perf_counter()
        client.get("/notes", params={"limit": 10}).raise_for_status()
        took.append(perf_counter() - begun)
        sleep(READ_EVERY * chance.uniform(0.5, 1.5))
    return Times(took)


def _unpaused_pace(ground: Ground, settings: Settings) -> float:
    """Measure the notes per second of one importer that sends without pause, beside no other load."""
    being_id = ground.new_being()
    count = UNPAUSED_BATCHES * BATCH_ITEMS
    begun = perf_counter()
    for batch in in_batches(map(scene_note, range(count)), BATCH_ITEMS):
        accept_notes(ground.store, settings, being_id, batch)
    return count / (perf_counter() - begun)


@contextmanager
def _importing(ground: Ground, url: str, beings: Sequence[UUID], *, callers: int) -> Iterator[None]:
    """Import notes in another process while the block runs; the block begins after the first batch."""
    command = [sys.executable, "-m", "bench.intake.importer", url, str(ground.scale.imported), str(callers)]
    lines = "".join(f"{being_id} {ground.token(being_id)}\n" for being_id in beings)
    child = subprocess.Popen(  # noqa: S603  # a constant command
        command, stdin=subprocess.PIPE, env=environment("worker"), cwd=CHECKOUT, text=True
    )
    assert child.stdin  # noqa: S101  # it is piped
    with child.stdin as stdin:
        stdin.write(lines)
    try:
        wait_for(lambda: any(_accepted(ground, being_id) for being_id in beings), PATIENCE)
        yield
    finally:
        child.kill()
        child.wait()


def _is_remembered(ground: Ground, being_id: UUID, note_id: UUID) -> bool:
    with ground.store.transaction() as tx:
        found = tx.execute("select from memory.memory_nodes where being_id = %s and note_id = %s", [being_id, note_id])
        return found.rowcount == 1


def _accepted(ground: Ground, being_id: UUID) -> int:
    with ground.store.transaction() as tx:
        return int(value(tx, "select count(*) from memory.notes where being_id = %s", [being_id]))


def _pending(ground: Ground, being_id: UUID) -> int:
    with ground.store.transaction() as tx:
        return notes.pending(tx, being_id, ground.scale.imported)
