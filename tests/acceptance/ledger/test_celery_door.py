"""A producer without this project's code sends tasks by name; their contents are seen in the ledger alone."""

import json
import threading
from contextlib import contextmanager
from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

import pytest
from celery import Celery

from memory.accounts import rooms
from schemas.talk.rooms import NewRoom
from store.accounts import beings
from workers.streams import rejected

WORDS = "Only Mira knows about the letter."


@pytest.fixture
def foreign(redis):
    with Celery("foreign", broker=redis.broker_url, set_as_current=False) as app:
        yield app


@pytest.fixture
def kept(life):
    def read() -> list[str]:
        with life.store.transaction() as tx:
            rows = tx.execute(
                "select content #>> '{}' as content, producer_id from memory.notes"
                " union all select content, producer_id from memory.messages"
            ).fetchall()
        return sorted(row["content"] for row in rows)

    return read


def todo(content, **fields):
    return {"type": "todo", "content": content, **fields}


def test_what_is_sent_by_name_is_kept_once(life, foreign, kept, wait_until):
    being = str(life.being_id)
    for _ in range(2):
        foreign.send_task("ingest.notes", [being, [todo("one"), todo("two")]], queue="ingest", task_id="t1")
    # Celery's JSON keeps Python's types.
    said = {"id": Decimal(3), "role": "user", "content": b"three", "created_at": datetime(2026, 3, 2, tzinfo=UTC)}
    foreign.send_task("ingest.messages", kwargs={"being": life.being_id, "items": [said]}, queue="ingest")
    life.worker()
    wait_until(lambda: len(kept()) == 3 and life.started.logs("worker").count("ingest.taken") == 3)
    assert kept() == ["one", "three", "two"]


def test_what_is_sent_for_a_room_is_told_to_those_present(life, foreign, redis_client, kept, wait_until):
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        other = beings.add_being(tx, being.user_id, "leo", "Leo")
    room = str(rooms.make(life.store, being.user_id, NewRoom(name="Hall", beings=[being.slug, other.slug])).room_id)
    said = [
        {"id": "1", "role": "user", "content": "Good evening."},
        {"role": "user", "content": "A word aside.", "present": [other.slug]},
        {"speaker_being": "dan", "content": "I am not here."},
    ]
    for _ in range(2):
        foreign.send_task("ingest.messages", kwargs={"room": room, "items": said}, queue="ingest", task_id="t1")
    life.worker()
    wait_until(lambda: life.started.logs("worker").count("ingest.taken") == 2)
    assert kept() == ["A word aside.", "Good evening.", "Good evening."]
    (bad, _) = rejected.listed(redis_client)
    assert json.loads(bad.data) == {"room": room, **said[2]}

    taken_back = {"room": room, "items": [{"retract": {"ids": ["1"]}}]}
    foreign.send_task("ingest.messages", kwargs=taken_back, queue="ingest")
    wait_until(lambda: kept() == ["A word aside."])


def test_what_celery_would_discard_is_kept_and_ends_no_worker(life, foreign, redis_client, kept, wait_until):
    """Celery's own consumer discards what it can't read; a missing part ends it, with the message still queued."""
    being = str(life.being_id)
    headers = {"task": "ingest.notes", "id": "t1"}
    call = [[being, [todo(WORDS)]], {}, {}]
    old = {"task": "ingest.notes", "args": [being, [todo("in the old protocol")]]}
    calls = [
        (call[:2], headers, {}),
        ("text", headers, {"serializer": "json"}),
        (call, {"task": "ingest.notes"}, {}),
        (call, headers | {"eta": "tomorrow"}, {}),
        ([call[0], None, {}], headers, {}),
        ([being, call[1], call[2]], headers, {}),
        (old | {"kwargs": None}, {}, {}),
        (call, headers | {"task": "ingest.note"}, {}),
        ([being], {}, {}),
        (call, headers, {"serializer": "yaml"}),
        (call, headers, {"serializer": "pickle"}),
        (WORDS, headers, {"content_type": "application/json", "content_encoding": "utf-8"}),
        ([[being, [todo(WORDS, off_the_record=True)]]], headers, {}),
        (old, {}, {}),
        ([*call[:1], {}, {}], headers | {"id": "t2"}, {"compression": "zlib"}),
    ]
    life.worker()
    with foreign.producer_pool.acquire() as producer:
        for body, sent_headers, options in calls:
            producer.publish(body, routing_key="ingest", headers=sent_headers, **options)
    wait_until(lambda: kept() == [WORDS, "in the old protocol"])
    (*bad, unkept) = rejected.listed(redis_client)
    assert len(bad) == len(calls) - 3
    assert [one.reason.split(":")[0] for one in bad] == [
        *["the message is no call of a Celery task"] * 7,
        "there is no task of that name",
        "the message is no call of a Celery task",
        *["the message is not JSON, which is all that this door reads"] * 3,
    ]
    assert [WORDS.encode() in one.data for one in bad] == [WORDS in str(body) for body, _, _ in calls[: len(bad)]]
    assert (unkept.data, "call of a Celery task" in unkept.reason) == (b"", True)
    assert WORDS not in life.started.logs("worker")


@contextmanager
def watched(broker_url):
    """The events that a monitor such as Flower hears while the block runs."""
    events = []
    with Celery("watcher", broker=broker_url, set_as_current=False) as watcher, watcher.connection() as connection:
        receiver = watcher.events.Receiver(connection, handlers={"*": events.append})
        listening = threading.Thread(target=receiver.capture, kwargs={"limit": None, "timeout": None, "wakeup": True})
        listening.start()
        try:
            yield events, watcher.control
        finally:
            receiver.should_stop = True
            listening.join()


def test_what_can_not_be_taken_is_kept_with_its_reason_and_no_content_is_logged(
    life, foreign, redis, redis_client, kept, wait_until
):
    """Events, which Flower shows, and logs tell for whom it is and how much; so does remote control."""
    being = str(life.being_id)
    calls = [
        ([being, [todo("good"), todo("bad", wings=2), "no object"]], {}),
        (["mira", [todo("x")]], {}),
        ([being, []], {}),
        ([being], {"being": being}),
        ([], {"whom": WORDS}),
        ([being], {"room": being, "items": [todo("x")]}),
        ([uuid4(), [todo("to no Being", metadata=[datetime.now(UTC), Decimal(1), b"\xff"])]], {}),
    ]
    life.worker(PATROL_LOG_LEVEL="DEBUG")
    with watched(redis.broker_url) as (events, control):
        # Beat answers too, that it does not know the command.
        wait_until(lambda: any("ok" in said for one in control.enable_events(reply=True) for said in one.values()))
        taken = foreign.send_task("ingest.notes", [life.being_id, [todo(WORDS)]], queue="ingest")
        for args, kwargs in calls:
            foreign.send_task("ingest.notes", args, kwargs, queue="ingest")
        foreign.send_task("ingest.letters", [WORDS], queue="ingest")
        wait_until(lambda: "task-succeeded" in {event["type"] for event in events})
        wait_until(lambda: redis_client.xlen(rejected.STREAM) == 9 and kept() == [WORDS, "good"])
    reasons = " ".join(one.reason for one in rejected.listed(redis_client))
    for part in (
        "wings",
        "valid dictionary",
        "must be a Being's id",
        "1 to 1000",
        "two arguments",
        "no Being of that id",
        "no task of that name",
    ):
        assert part in reasons
    (bad,) = [one for one in rejected.listed(redis_client) if "wings" in one.reason]
    assert json.loads(bad.data) == {"being": being, **todo("bad", wings=2)}

    (received,) = [event for event in events if event["type"] == "task-received" and event["uuid"] == taken.id]
    assert received["args"] == f"({being}, 1 items)"
    assert WORDS not in json.dumps(events)
    assert WORDS not in life.started.logs("worker")


@pytest.mark.long
def test_while_the_database_is_away_a_message_goes_on_waiting(life, postgres, foreign, kept, wait_until):
    life.worker(PATROL_CONNECTION_PATIENCE="2")
    wait_until(lambda: "ready" in life.started.logs("worker"))
    postgres.crash()
    try:
        foreign.send_task("ingest.notes", [str(life.being_id), [todo("patient")]], queue="ingest")
        # Each of the worker's processes first waits for the database with what came before.
        wait_until(lambda: "ingest.waits" in life.started.logs("worker"))
    finally:
        postgres.start()
    wait_until(lambda: kept() == ["patient"])
