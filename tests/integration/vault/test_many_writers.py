"""With many concurrent writers: one living record a topic, consecutive versions, nothing lost, no deadlock."""

import json
import subprocess
import sys
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from memory.vault import records as vault
from memory.vault.gates import GateRefused
from schemas.errors import NotFound
from schemas.settings import CHECKOUT
from schemas.vault.vault_requests import RecordChanges
from store import vault as rows
from tests.integration.vault import writers

PROCESSES = 4
WRITERS = 50


def test_two_hundred_writers_in_four_processes_lose_nothing(mine, url, preloaded, tmp_path):
    started = (
        [preloaded.program(tmp_path / "writers", writers.__name__)]
        if preloaded
        else [sys.executable, "-m", writers.__name__]
    )
    command = [*started, url, str(mine.being.being_id)]
    processes = [
        subprocess.Popen(
            [*command, str(number), str(WRITERS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=CHECKOUT,
            env={"PYTHONPATH": str(CHECKOUT)},
        )
        for number in range(PROCESSES)
    ]
    try:
        assert [process.stdout.readline() for process in processes] == ["ready\n"] * PROCESSES
        with ThreadPoolExecutor() as pool:
            said = list(pool.map(lambda process: process.communicate("go\n", timeout=300)[0], processes))
    finally:
        for process in processes:
            process.kill()
            process.communicate()
    assert [process.returncode for process in processes] == [0] * PROCESSES

    written = defaultdict(dict)
    for line in "".join(said).splitlines():
        record = json.loads(line)
        written[record["scope"], record["topic_id"]][record["version"]] = (record["id"], record["text"])
    assert len(written) == 2 * (PROCESSES * WRITERS // 2 + 1)
    for (scope, topic), versions in written.items():
        assert sorted(versions) == list(range(1, 101 if topic == "same" else 2)), (scope, topic)
        assert len({record_id for record_id, _ in versions.values()}) == 1
        assert len({text for _, text in versions.values()}) == len(versions)
        kept = mine.versions(versions[1][0])
        assert {record.version: (record.id, record.text) for record in kept} == versions
    topics = [(record.scope, record.topic_id) for record in mine.live().values()]
    assert sorted(topics) == sorted(written)


@pytest.mark.parametrize("attempt", range(5))
def test_of_near_duplicates_at_one_instant_one_is_kept(mine, attempt):
    barrier = Barrier(8)

    def write(number):
        barrier.wait()
        try:
            return mine.add(f"Mira opens the bakery at six, attempt {attempt}{'!' * number}").id
        except GateRefused as refusal:
            return refusal

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, range(8)))
    (kept,) = [each for each in written if isinstance(each, str)]
    refused = [(each.gate, each.existing) for each in written if isinstance(each, GateRefused)]
    assert refused == [("duplicate", kept)] * 7
    assert set(mine.live()) == {kept}


def test_the_last_place_is_taken_once(vault_of, being):
    vault = vault_of(being, vault_capacity=1)
    barrier = Barrier(8)

    def write(letter):
        barrier.wait()
        try:
            return vault.add(letter * 9).id
        except GateRefused as refusal:
            return refusal.gate

    with ThreadPoolExecutor(8) as pool:
        written = list(pool.map(write, "abcdefgh"))
    assert written.count("capacity") == 7
    assert len(vault.live()) == 1


def test_writing_deleting_and_compacting_at_once_leave_what_was_written_last(mine):
    records = [mine.add(letter * 9) for letter in "abcd"]
    barrier = Barrier(8)

    def write(record):
        barrier.wait()
        for turn in range(10):
            changes = RecordChanges(category=f"turn {turn}")
            vault.update_memory(mine.store, mine.settings, mine.being, record.id, changes)

    def compact(_):
        barrier.wait()
        for _ in range(5):
            vault.compact(mine.store, mine.settings, mine.being)

    def delete(_):
        barrier.wait()
        vault.bulk_delete(mine.store, mine.settings, mine.being, [record.id for record in reversed(records[2:])])

    def write_or_find_it_gone(record):
        try:
            write(record)
        except NotFound:
            assert record in records[2:]

    with ThreadPoolExecutor(8) as pool:
        done = [pool.submit(write_or_find_it_gone, record) for record in records]
        done += [pool.submit(compact, None) for _ in range(2)] + [pool.submit(delete, None) for _ in range(2)]
        for each in done:
            each.result()
    assert {(record.id, record.version, record.category) for record in mine.live().values()} == {
        (record.id, 11, "turn 9") for record in records[:2]
    }


def test_a_compaction_can_be_stopped_anywhere_and_taken_up_again(mine, clock):
    records = [mine.add(letter * 9) for letter in "abc"]
    for record in records:
        vault.update_memory(mine.store, mine.settings, mine.being, record.id, RecordChanges(category="changed"))
    mine.delete(records[0])
    clock.advance(days=31)
    mine.delete(records[1])
    before = mine.live()
    keep = mine.settings.vault_tombstones

    def stopped():
        with mine.store.transaction() as tx:
            assert rows.compact(tx, mine.being, mine.being.slug, keep=keep, limit=10) == (3, 6)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert [len(mine.versions(record.id)) for record in records] == [3, 3, 2]
    with mine.store.transaction() as tx:
        ids, _ = rows.compact(tx, mine.being, mine.being.slug, keep=keep, limit=1)
        assert ids == 1
    assert mine.live() == before
    vault.compact(mine.store, mine.settings, mine.being)
    assert [[one.version for one in mine.versions(record.id)] for record in records] == [[], [3], [2]]
    assert mine.live() == before
    assert vault.compact(mine.store, mine.settings, mine.being).removed == 0
