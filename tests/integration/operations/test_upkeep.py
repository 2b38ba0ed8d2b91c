"""Upkeep: retention keeps up, health reads few rows, a request does not count the rows of all users."""

import socket
import subprocess
import sys
from datetime import timedelta
from subprocess import PIPE
from uuid import uuid4

import numpy as np
import pytest

from memory.intake.accepting import CHEAP_TO_COUNT, IntakeFull
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.upkeep import health, periodic
from schemas.limits import BULK_ITEMS
from schemas.settings import CHECKOUT, Settings
from store.intake import notes
from store.ledger import metrics
from store.nodes import embeddings
from store.talk import judging
from tests.conftest import PATIENCE
from tests.scenes import MODEL

HASHES = [bytes([number]) for number in range(5)]
LARGE, SMALL = CHEAP_TO_COUNT + 1, 3
# A process of its own, since all Celery apps of one share Kombu's pools; it sends more messages than are taken at once.
SENDS = """
import sys
from uuid import uuid4

import structlog
from celery import Celery

from schemas.ledger.work import TaskMessage
from workers.runtime.dispatch import BackgroundSender

celery = Celery(broker=sys.argv[1])
celery.conf.broker_transport_options = {"socket_timeout": 0.2, "max_retries": 0}
with structlog.testing.capture_logs() as logs, BackgroundSender(celery, most_waiting=2) as sender:
    sender.send([TaskMessage(owner_id=uuid4(), kind="upkeep.curate", key=str(key)) for key in range(200)])
    print(*[entry["event"] for entry in logs], flush=True)
"""


def finish_units(tx, being, *, count, days):
    tx.execute(
        "insert into memory.work (owner_id, kind, key, queue, state, finished_at)"
        " select %s, 'upkeep.tidy', uuidv7()::text, 'upkeep', 'done', clock_timestamp() - %s"
        " from generate_series(1, %s)",
        [being.being_id, timedelta(days=days), count],
    )


def rows(store, table):
    with store.transaction() as tx:
        (found,) = tx.execute(f"select count(*) as rows from memory.{table}")  # noqa: S608  # one of our tables
        return found["rows"]


def test_retention_lets_go_of_all_that_is_old_however_much(store, being, monkeypatch):
    monkeypatch.setattr(periodic, "EXPIRED_AT_ONCE", 4)
    with store.transaction() as tx:
        finish_units(tx, being, count=8, days=8)
        finish_units(tx, being, count=3, days=6)
    periodic.expire(store, Settings())
    assert rows(store, "work") == 3


def test_retention_deletes_vectors_of_abandoned_attempts(store, being, monkeypatch):
    monkeypatch.setattr(periodic, "EXPIRED_AT_ONCE", 2)
    with store.transaction() as tx:
        embeddings.keep(tx, being.being_id, MODEL, dict.fromkeys(HASHES, np.ones(3, np.float32)))
        tx.execute(
            "update memory.embeddings set created_at = clock_timestamp() - interval '8 days' where text_hash = any(%s)",
            [HASHES[:4]],
        )
    periodic.expire(store, Settings())
    with store.transaction() as tx:
        assert set(embeddings.known(tx, being.being_id, MODEL, HASHES)) == set(HASHES[4:])


def test_retention_lets_go_of_the_counts_of_old_judgings(store, being, clock, monkeypatch):
    monkeypatch.setattr(periodic, "EXPIRED_AT_ONCE", 2)

    def judge(count):
        with store.transaction() as tx:
            for _ in range(count):
                judging.record_judgement(
                    tx,
                    being.being_id,
                    uuid4(),
                    judged=[uuid4()],
                    shown=[],
                    facts=0,
                    todos=0,
                    dropped={"no such words": 1},
                )

    judge(5)
    clock.advance(days=60)
    judge(3)
    clock.advance(days=31)
    periodic.expire(store, Settings())
    assert rows(store, "judgements") == 3
    periodic.expire(store, Settings(keep_judgements=timedelta(days=30)))
    assert rows(store, "judgements") == 0


@pytest.mark.new_database
def test_health_counts_the_dead_and_passes_over_what_is_done(store, being):
    with store.transaction() as tx:
        finish_units(tx, being, count=10_000, days=0)
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, state, finished_at, error)"
            " select %s, 'upkeep.tidy', uuidv7()::text, 'upkeep', 'dead', clock_timestamp(), 'broken'"
            " from generate_series(1, 3)",
            [being.being_id],
        )
    with store.transaction() as tx:
        tx.execute("analyze memory.work")
    with store.transaction() as tx:
        assert metrics.dead(tx) == 3
        assert metrics.unknown_due(tx) == []
        (read,) = tx.execute(
            "select seq_tup_read + coalesce(idx_tup_fetch, 0) as rows from pg_stat_xact_all_tables"
            " where schemaname = 'memory' and relname = 'work'"
        )
    assert read["rows"] <= 3
    assert "3 dead" in {finding.name: finding.words for finding in health.findings(store, Settings())}["dead work"]


@pytest.fixture
def hand_in(store, being):
    """Hand so many scenes in at a door that is full with so many."""

    def handing_in(count, most_pending):
        settings = Settings(most_pending=most_pending, pending_notes=5000)
        scenes = [
            {"type": "scene", "content": {"action": "It rained.", "actors": ["Mira"], "when": ["2026"]}}
            for _ in range(count)
        ]
        return accept_notes(store, settings, being.being_id, scenes).accepted

    return handing_in


def test_a_full_door_refuses_bulk_under_any_limit_and_single_notes_under_a_small_one(hand_in):
    assert hand_in(SMALL, SMALL) == SMALL
    with pytest.raises(IntakeFull):
        hand_in(1, SMALL)
    assert hand_in(LARGE - SMALL - 1, LARGE) + hand_in(1, LARGE) == LARGE - SMALL
    with pytest.raises(IntakeFull):
        hand_in(BULK_ITEMS + 1, LARGE)
    assert hand_in(1, LARGE) == 1


@pytest.fixture
def say(store, being):
    """Hand in so many messages where so many may wait."""

    def saying(count, most_unjudged, **settings):
        settings = Settings(most_unjudged=most_unjudged, **settings)
        said = [{"role": role, "content": "Rain."} for _ in range(count) for role in ("user", "assistant")]
        return accept_messages(store, settings, being.being_id, said).accepted // 2

    return saying


THINKS = {"anthropic_api_key": "sk-ant-of-these-tests"}
BULK = BULK_ITEMS // 2 + 1


def test_messages_beyond_the_limit_of_unjudged_ones_are_refused_as_notes_are(say, store):
    assert say(SMALL, SMALL, **THINKS) == SMALL
    with pytest.raises(IntakeFull, match="3 messages"):
        say(1, SMALL, **THINKS)
    assert say(BULK, LARGE, **THINKS) == BULK
    with store.transaction() as tx:
        tx.execute(
            "insert into memory.messages (being_id, message_id, session_id, role, content, content_hash, created_at)"
            " select being_id, uuidv7(), session_id, role, content, content_hash, created_at"
            " from memory.messages, generate_series(1, 30) where role = 'user'"
        )
    with pytest.raises(IntakeFull):
        say(BULK, LARGE, **THINKS)
    assert say(1, LARGE, **THINKS) == 1
    with store.transaction() as tx:
        tx.execute("update memory.messages set judged = true")
    assert say(BULK, LARGE, **THINKS) == BULK


def test_messages_that_no_key_can_pay_for_are_kept_however_many(say):
    assert [say(SMALL, 1) for _ in range(2)] == [SMALL, SMALL]


def test_a_single_note_does_not_count_what_waits(hand_in, monkeypatch):
    asked = []
    counted = notes.pending
    monkeypatch.setattr(notes, "pending", lambda tx, being, most: asked.append(most) or counted(tx, being, most))
    hand_in(1, Settings().most_pending)
    assert Settings().most_pending not in asked


def test_a_redis_that_hangs_keeps_no_door_waiting():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(PATIENCE)
        url = f"redis://127.0.0.1:{silent.getsockname()[1]}/0"
        with subprocess.Popen([sys.executable, "-c", SENDS, url], cwd=CHECKOUT, stdout=PIPE, text=True) as door:
            # If it waited for Redis, no message would be refused.
            assert door.stdout.readline().split() == ["dispatch.too_many_wait"]
            connection, _ = silent.accept()
            connection.close()
        assert door.returncode == 0
