"""Words erased for good leave the streams, and are not read again though Redis forget how far it was read."""

import json
from functools import partial

import pytest
from redis import Redis

from api.streams.reader import GROUP
from memory.accounts.erasure import erase_being, erase_messages
from memory.intake.erased_entries import erased_among
from memory.nodes.node_erasure import erase_note
from providers.embedders import Embedders
from tests.full_being import tables_with
from workers.streams import cleaning, rejected, scrub
from workers.streams.rejected import Rejected


def sent(being, content, **fields):
    return json.dumps({"being": str(being.being_id), "role": "user", "content": content, **fields}).encode()


@pytest.fixture
def clean(redis, store, settings):
    """Clean the streams of what was erased of a Being."""

    def cleaned(being):
        return cleaning.clean(redis, being.being_id, partial(erased_among, store, settings, being.being_id))

    return cleaned


@pytest.fixture
def message_ids(store, being):
    """Find the messages that say something."""

    def found(words):
        with store.transaction() as tx:
            rows = tx.execute(
                "select message_id from memory.messages where being_id = %s and content like %s",
                [being.being_id, f"%{words}%"],
            )
            return [row["message_id"] for row in rows]

    return found


def everything(redis: Redis) -> bytes:
    """Every byte of every key."""
    return b"".join(key + redis.dump(key) for key in redis.scan_iter())


def test_an_erased_message_is_not_read_again_by_a_new_group(
    new_reader, redis, store, settings, being, message_ids, clean
):
    reader = new_reader(keep_stream_entries=settings.keep_rejected)
    redis.xadd("patrol:messages", {"data": sent(being, "I bought marzipan.")})
    redis.xadd("patrol:messages", {"data": sent(being, "It rained.")})
    reader.read()
    erase_messages(store, settings, Embedders(settings), [being], message_ids("marzipan"))
    redis.xgroup_destroy("patrol:messages", GROUP)
    again = new_reader(keep_stream_entries=settings.keep_rejected)
    again.read()
    assert len(message_ids("")) == 1
    assert message_ids("marzipan") == []
    assert b"marzipan" not in b"".join(data[b"data"] for _, data in redis.xrange("patrol:messages"))
    assert list(rejected.listed(redis)) == []
    assert clean(being) == 0


def test_cleaning_removes_what_was_erased_and_nothing_else(
    new_reader, redis, store, settings, being, message_ids, write, clean
):
    reader = new_reader(keep_stream_entries=settings.keep_rejected)
    redis.xadd("patrol:messages", {"data": sent(being, "I bought marzipan.", id="turn-1")})
    redis.xadd("patrol:messages", {"data": sent(being, "The marzipan was sweet."), "id": "turn\0two"})
    redis.xadd("patrol:messages", {"data": sent(being, "It rained.")})
    write("Marzipan was bought.")
    write("Bread was bought.")
    reader.read()
    rejected.keep(
        redis,
        [
            Rejected("patrol:messages", "celery/1/0", "why not", sent(being, "I bought marzipan.", wings=2)),
            Rejected("patrol:messages", "celery/1/1", "why not", sent(being, "Other words.", wings=2)),
            Rejected("patrol:messages", "turn\0two", "why not", sent(being, "The same turn in other words.", wings=2)),
            Rejected(
                "patrol:messages",
                "celery/2/call",
                "why not",
                json.dumps(
                    {"args": [str(being.being_id), [{"role": "user", "content": "I bought marzipan."}], 1]}
                ).encode(),
            ),
        ],
    )
    erase_messages(store, settings, Embedders(settings), [being], message_ids("marzipan"))
    with store.transaction() as tx:
        (note,) = tx.execute("select note_id from memory.notes where content ->> 'action' like 'Marzipan%'").fetchall()
    erase_note(store, settings, Embedders(settings), being, note["note_id"])
    assert clean(being) == 6
    assert clean(being) == 0
    assert [redis.xlen(stream) for stream in (*rejected.STREAMS, rejected.STREAM)] == [1, 1, 1]
    with store.transaction() as tx:
        assert tables_with(tx, "marzipan") == {}


def test_of_an_erased_being_the_streams_hold_nothing(new_reader, redis, store, settings, being, write, clean):
    reader = new_reader(keep_stream_entries=settings.keep_rejected)
    write("Marzipan was bought.")
    reader.read()
    write("More marzipan was bought.")
    rejected.keep(redis, [Rejected("patrol:notes", "1", "cut", f'{{"being": "{being.being_id}", "ma'.encode())])
    redis.xadd("patrol:notes", {"data": json.dumps({"being": "somebody", "content": "marmalade"})})
    erase_being(store, being)
    assert clean(being) == 3
    assert [redis.xlen("patrol:notes"), redis.xlen(rejected.STREAM)] == [1, 0]


def test_scrubbing_leaves_no_byte_of_removed_entries_and_all_of_the_others(new_reader, redis, store, being):
    reader = new_reader()
    for number in range(5):
        redis.xadd("patrol:messages", {"data": sent(being, f"Marzipan {number}."), "more": "x"})
    redis.xadd("patrol:notes", {"data": "{}"})
    redis.xreadgroup(GROUP, "dying", {"patrol:messages": ">"}, count=3)
    (first, *_) = redis.xrange("patrol:messages")
    redis.xdel("patrol:messages", first[0])
    redis.xack("patrol:messages", GROUP, first[0])
    (note, *_) = redis.xrange("patrol:notes")
    redis.xdel("patrol:notes", note[0])
    assert b"Marzipan 0" in everything(redis)

    def state():
        return {
            stream: (
                redis.xrange(stream),
                [(group["name"], group["last-delivered-id"], group["pending"]) for group in redis.xinfo_groups(stream)],
                [
                    (held["message_id"], held["consumer"], held["times_delivered"])
                    for held in redis.xpending_range(stream, GROUP, "-", "+", 100)
                ],
                redis.xinfo_stream(stream)["last-generated-id"],
            )
            for stream in rejected.STREAMS
        }

    before = state()
    assert scrub.scrub(redis) == []
    assert state() == before
    assert b"Marzipan 0" not in everything(redis)
    assert b"Marzipan 1" in everything(redis)
    reader.read()
    assert redis.xpending("patrol:messages", GROUP)["pending"] == 0
    with store.transaction() as tx:
        assert tables_with(tx, "Marzipan 4")["messages"] == 1
