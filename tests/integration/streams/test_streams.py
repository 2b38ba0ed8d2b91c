"""Producers' entries in the streams are in Postgres before they are acknowledged, once, and never lost."""

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from uuid import uuid4

import pytest
from redis import Redis
from redis.exceptions import ConnectionError as RedisAway

from api.streams.heartbeats import readers
from api.streams.reader import GROUP, StreamReader, StreamState, states
from memory.accounts import rooms
from memory.accounts.beings import change
from memory.intake import delivery
from memory.intake.accepting import IntakeFull
from memory.intake.off_the_record import NOT_KEPT
from schemas.errors import Unavailable
from schemas.limits import BULK_ITEMS
from schemas.talk.rooms import NewRoom
from store.accounts import beings
from tests.full_being import tables_with
from workers.streams import rejected


def pending(redis, stream="patrol:notes"):
    return redis.xpending(stream, GROUP)["pending"]


def reasons(redis):
    return [one.reason for one in rejected.listed(redis)]


def test_what_is_written_is_kept_and_then_acknowledged(new_reader, redis, write, kept, being):
    reader = new_reader()
    write()
    redis.xadd(
        "patrol:messages",
        {"data": json.dumps({"being": str(being.being_id), "role": "user", "content": "It failed again."})},
    )
    reader.read()
    assert kept() == ["The oven failed."]
    assert (pending(redis), pending(redis, "patrol:messages")) == (0, 0)
    assert reasons(redis) == []


def test_what_is_said_in_a_room_is_handed_in_once_and_taken_back_for_all(new_reader, redis, store, user, being):
    with store.transaction() as tx:
        other = beings.add_being(tx, user.user_id, "other", "Other")
    room = rooms.make(store, user.user_id, NewRoom(name="Hall", beings=[being.slug, other.slug]))
    reader = new_reader()

    def says(**item):
        redis.xadd("patrol:messages", {"data": json.dumps({"room": str(room.room_id), **item})})
        reader.read()
        with store.transaction() as tx:
            return [
                tx.value("select count(*) from memory.messages where being_id = %s", [one.being_id])
                for one in (being, other)
            ]

    assert says(id="1", role="user", content="Hello.") == [1, 1]
    assert says(id="2", role="user", content="Psst.", present=[other.slug]) == [1, 2]
    assert says(retract={"ids": ["1"]}) == [0, 1]
    assert says(restore={"ids": ["1"]}) == [1, 2]
    assert says(role="user", content="To whom?", present=["nobody"]) == [1, 2]
    (reason,) = reasons(redis)
    assert reason == "present: names a Being that takes no part in this room: name those of the room by slug or id"
    redis.xadd("patrol:notes", {"data": json.dumps({"room": str(room.room_id), "type": "todo", "content": "x"})})
    redis.xadd("patrol:messages", {"data": json.dumps({"room": str(uuid4()), "role": "user", "content": "x"})})
    reader.read()
    assert {*reasons(redis)} > {"a room takes messages, and no notes", "there is no room of that id"}


def test_what_was_written_before_anybody_read_is_kept(new_reader, write, kept):
    write("before")
    new_reader().read()
    assert kept() == ["before"]


def test_enough_notes_begin_a_patrol(new_reader, write, sent):
    reader = new_reader(pending_notes=2)
    write("one")
    write("two")
    reader.read()
    assert [message.kind for message in sent] == ["patrol.embed"]


def test_readers_share_the_work(new_reader, write, kept):
    several = [new_reader() for _ in range(3)]
    for number in range(100):
        write(f"{number:03}")
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(StreamReader.read, several * 3))
    assert sorted(kept()) == [f"{number:03}" for number in range(100)]


def test_a_reader_that_dies_between_commit_and_acknowledgement_doubles_nothing(
    new_reader, redis, write, kept, monkeypatch
):
    dying = new_reader()
    write()
    with monkeypatch.context() as patched:

        def die(*_: object) -> None:
            raise SystemExit

        patched.setattr(StreamReader, "_acknowledge", die)
        with pytest.raises(SystemExit):
            dying.read()
    assert (kept(), pending(redis)) == (["The oven failed."], 1)
    new_reader()
    assert (kept(), pending(redis)) == (["The oven failed."], 0)


def test_what_a_living_reader_holds_is_left_to_it(new_reader, redis, write, kept):
    new_reader()
    write()
    redis.xreadgroup(GROUP, "slow", {"patrol:notes": ">"})
    new_reader(stream_claim=timedelta(hours=1)).read()
    assert (kept(), pending(redis)) == ([], 1)


def test_a_database_that_is_away_is_waited_for(new_reader, redis, write, kept, monkeypatch):
    reader = new_reader(stream_claim=timedelta(hours=1))
    write()
    with monkeypatch.context() as patched:

        def away(*_: object) -> None:
            raise Unavailable

        patched.setattr("api.streams.reader.deliver", away)
        reader.run(iter([False, True]).__next__)
    assert (kept(), pending(redis)) == ([], 1)
    reader.read()
    assert (kept(), pending(redis)) == (["The oven failed."], 0)


def test_a_redis_that_is_away_is_waited_for(new_reader, write, kept, monkeypatch):
    reader = new_reader()
    write()
    with monkeypatch.context() as patched:

        def away(*_: object, **__: object) -> None:
            raise RedisAway

        patched.setattr(reader._redis, "xreadgroup", away)  # noqa: SLF001  # the wire is cut from inside
        reader.run(iter([False, True]).__next__)
    reader.read()
    assert kept() == ["The oven failed."]


def test_a_lost_group_is_made_again_and_read_from_the_beginning(new_reader, redis, write, kept):
    reader = new_reader(keep_stream_entries=timedelta(days=1))
    write("one")
    reader.read()
    redis.xgroup_destroy("patrol:notes", GROUP)
    write("two")
    reader.read()
    reader.read()
    assert kept() == ["one", "two"]


@pytest.mark.parametrize("lose", [lambda redis: redis.xgroup_destroy("patrol:notes", GROUP), Redis.flushall])
def test_a_group_that_is_lost_before_it_is_tidied_is_made_again(new_reader, redis, write, kept, monkeypatch, lose):
    reader = new_reader()
    claim = reader._claim  # noqa: SLF001  # the group has to go at this instant
    with monkeypatch.context() as patched:
        patched.setattr(reader, "_claim", lambda idle: (claim(idle), lose(redis)))
        patched.setattr(reader, "_tidied", float("-inf"))
        reader.read()
    write()
    reader.read()
    reader.read()
    assert kept() == ["The oven failed."]


def test_a_flushed_redis_is_gone_on_with(new_reader, redis, write, kept):
    reader = new_reader()
    redis.flushall()
    write()
    reader.read()
    reader.read()
    assert kept() == ["The oven failed."]


def test_acknowledged_entries_are_trimmed_and_unread_ones_never(new_reader, redis, write):
    reader = new_reader()
    places = [write(f"{number}") for number in range(3)]
    reader.read()
    held = write("held")
    redis.xreadgroup(GROUP, "slow", {"patrol:notes": ">"})
    unread = write("unread")
    new_reader(stream_claim=timedelta(hours=1), keep_stream_entries=timedelta(0))
    left = [place.decode() for place, _ in redis.xrange("patrol:notes")]
    assert not set(places) & set(left)
    assert {held, unread} <= set(left)


def test_an_entry_that_was_removed_holds_nothing_up(new_reader, redis, write, kept):
    reader = new_reader()
    gone = write("gone")
    redis.xreadgroup(GROUP, "dead", {"patrol:notes": ">"})
    redis.xdel("patrol:notes", gone)
    write("here")
    new_reader()
    reader.read()
    assert (kept(), pending(redis)) == (["here"], 0)


def test_a_reader_that_is_gone_is_forgotten_unless_it_still_holds_something(new_reader, redis, write, monkeypatch):
    new_reader()
    redis.xgroup_createconsumer("patrol:notes", GROUP, "gone")
    write()
    redis.xreadgroup(GROUP, "holding", {"patrol:notes": ">"})
    monkeypatch.setattr("api.streams.reader.FORGOTTEN", timedelta(milliseconds=-1))
    new_reader(stream_claim=timedelta(hours=1))
    assert "holding" in {one["name"].decode() for one in redis.xinfo_consumers("patrol:notes", GROUP)}
    assert "gone" not in {one["name"].decode() for one in redis.xinfo_consumers("patrol:notes", GROUP)}


def test_an_item_has_the_id_that_it_brings_or_else_its_place(new_reader, write, store, being):
    reader = new_reader()
    place = write("nameless")
    write("named", id="yours-1")
    reader.read()
    with store.transaction() as tx:
        ids = tx.execute("select producer_id from memory.notes where being_id = %s", [being.being_id]).fetchall()
    assert {row["producer_id"] for row in ids} == {f"stream/patrol:notes/{place}", "yours-1"}


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"date": "{}"}, "no field `data`"),
        ({"data": b"\xff\xfe"}, "not UTF-8"),
        ({"data": "nonsense"}, "not JSON"),
        ({"data": "[]"}, "must be a JSON object"),
        ({"data": "[" * 100_000}, "nested too deeply"),
        ({"data": "1" * 5000}, "more digits"),
        ({"data": "{}"}, "being"),
        ({"data": '{"being": 7}'}, "being"),
        ({"data": '{"being": "mira"}'}, "being"),
        ({"data": json.dumps({"being": str(uuid4()), "type": "todo", "content": "x"})}, "no Being"),
        ({"data": "{}", "id": "x" * 201}, "id: is longer than 200"),
        ({"data": "{}", "id": b"\xff"}, "id: is not UTF-8"),
    ],
)
def test_what_can_not_be_read_is_rejected_with_its_reason(new_reader, redis, write, kept, fields, reason):
    reader = new_reader()
    redis.xadd("patrol:notes", fields)
    write("good")
    reader.read()
    assert (kept(), pending(redis)) == (["good"], 0)
    (said,) = reasons(redis)
    assert reason in said


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"wings": 2}, "wings"),
        ({"content": {"action": "x" * 70_000, "actors": [], "when": []}}, "65536 is the most"),
    ],
)
def test_a_bad_item_is_rejected_alone(new_reader, redis, write, kept, fields, reason):
    reader = new_reader()
    write("bad", **fields)
    write("good")
    reader.read()
    assert kept() == ["good"]
    assert reason in reasons(redis)[0]


def test_the_same_id_with_other_words_is_reported_and_changes_nothing(new_reader, redis, write, kept):
    reader = new_reader()
    write("first", id="a")
    write("first", id="a")
    write("second", id="a")
    reader.read()
    assert kept() == ["first"]
    assert ["other content" in reason for reason in reasons(redis)] == [True]


def test_what_makes_the_ledger_stumble_is_set_apart(new_reader, redis, write, kept, monkeypatch):
    taken = delivery.accept_notes

    def stumbling(store, settings, being_id, items, derive_id):
        if any(item["content"]["action"] == "poison" for item in items):
            raise KeyError("poison")
        return taken(store, settings, being_id, items, derive_id)

    monkeypatch.setattr(delivery, "accept_notes", stumbling)
    reader = new_reader()
    for action in ("one", "two", "poison", "three"):
        write(action)
    reader.read()
    assert (sorted(kept()), pending(redis)) == (["one", "three", "two"], 0)
    assert [one.reason.startswith("it could not be stored (KeyError)") for one in rejected.listed(redis)] == [True]


def test_a_full_intake_keeps_its_own_entries_waiting_and_no_others(new_reader, redis, write, kept, monkeypatch):
    def full(*_: object) -> None:
        raise IntakeFull

    reader = new_reader(stream_claim=timedelta(hours=1))
    write()
    with monkeypatch.context() as patched:
        patched.setattr("api.streams.reader.deliver", full)
        reader.read()
    assert (kept(), pending(redis)) == ([], 1)
    new_reader()
    assert (kept(), pending(redis)) == (["The oven failed."], 0)


def test_messages_wait_in_the_stream_while_too_many_are_not_judged(new_reader, redis, store, being):
    full = {"most_unjudged": 1, "anthropic_api_key": "sk-ant-of-these-tests"}
    reader = new_reader(stream_claim=timedelta(hours=1), **full)

    def say():
        redis.xadd(
            "patrol:messages",
            {"data": json.dumps({"being": str(being.being_id), "role": "user", "content": "It rains."})},
        )
        reader.read()
        with store.transaction() as tx:
            kept = tx.value("select count(*) from memory.messages")
        return kept, redis.xpending("patrol:messages", GROUP)["pending"]

    assert [say(), say()] == [(1, 0), (1, 1)]
    with store.transaction() as tx:
        tx.execute("update memory.messages set judged = true")
    new_reader(**full)
    with store.transaction() as tx:
        assert tx.value("select count(*) from memory.messages") == 2


def test_what_comes_live_is_taken_before_bulk_that_came_first(new_reader, redis, store, user, write):
    reader = new_reader()
    with store.transaction() as tx:
        other = beings.add_being(tx, user.user_id, "other", "Other").being_id
    for number in range(BULK_ITEMS + 1):
        write(f"bulk {number}")
    write("live", being=str(other))
    reader.read()
    with store.transaction() as tx:
        first = tx.value("select content ->> 'action' from memory.notes order by note_id limit 1")
        assert tx.value("select count(*) from memory.notes") == BULK_ITEMS + 2
    assert (first, pending(redis)) == ("live", 0)


def test_what_was_rejected_can_be_given_back_once(new_reader, redis):
    reader = new_reader()
    place = redis.xadd("patrol:notes", {"data": "nonsense"}).decode()
    reader.read()
    (one,) = rejected.listed(redis)
    assert (one.what, one.id, one.data) == ("patrol:notes", f"stream/patrol:notes/{place}", b"nonsense")
    assert rejected.replay(redis, one)
    assert not rejected.replay(redis, one)
    assert list(rejected.listed(redis)) == []
    reader.read()
    (again,) = rejected.listed(redis)
    assert again.id == one.id


def test_an_entry_whose_fields_are_the_object_is_taken_when_it_is_given_back(new_reader, redis, store, being):
    reader = new_reader()
    redis.xadd("patrol:notes", {"being": str(being.being_id), "type": "todo", "content": "Feed Ösel."})
    redis.xadd("patrol:notes", {"content": "A secret.", "off_the_record": "true"})
    reader.read()
    one, unkept = rejected.listed(redis)
    assert ("no field `data`" in one.reason, unkept.data) == (True, b"")
    rejected.replay(redis, one)
    reader.read()
    with store.transaction() as tx:
        assert tx.value("select content #>> '{}' from memory.notes") == "Feed Ösel."


def test_of_what_can_never_be_taken_the_beginning_is_kept(new_reader, redis):
    reader = new_reader()
    redis.xadd("patrol:notes", {"data": "x" * 300_000})
    reader.read()
    (one,) = rejected.listed(redis)
    assert (len(one.data), one.length, one.whole) == (4096, 300_000, False)


def test_who_reads_and_how_far_can_be_seen(new_reader, redis, write):
    assert readers(redis) == []
    reader = new_reader(keep_stream_entries=timedelta(days=1))
    write()
    write()
    reader.read()
    write()
    assert list(states(redis)) == [StreamState("patrol:notes", 3, 0), StreamState("patrol:messages", 0, 0)]
    assert readers(redis) == [reader.name]


def test_messages_are_taken_back_and_said_in_other_words_in_their_order(new_reader, redis, store, being):
    reader = new_reader()

    def write(**item):
        redis.xadd("patrol:messages", {"data": json.dumps({"being": str(being.being_id), **item})})

    def standing():
        with store.transaction() as tx:
            rows = tx.execute("select content from memory.messages order by created_at, message_id").fetchall()
        return [row["content"] for row in rows]

    write(id="a", role="user", content="First.")
    write(retract={"ids": ["a", "late"]})
    write(id="a", role="user", content="Second.")
    write(id="late", role="user", content="Never.")
    write(id="b", role="user", content="Third.")
    write(id="change", retract={"ids": ["b"]})
    write(restore={"ids": ["b"]})
    write(id="change", retract={"ids": ["b"]})
    reader.read()
    assert standing() == ["Second.", "Third."]
    assert reasons(redis) == []

    redis.xgroup_destroy("patrol:messages", GROUP)
    reader.read()
    reader.read()
    assert standing() == ["Second.", "Third."]


def test_changes_that_can_not_be_made_are_rejected_with_the_reason(new_reader, redis, being):
    reader = new_reader()
    for item in ({"restore": {"ids": ["nothing"]}}, {"retract": {}}, {"retract": {"ids": ["a"]}, "role": "user"}):
        redis.xadd("patrol:messages", {"data": json.dumps({"being": str(being.being_id), **item})})
    reader.read()
    assert sorted(reasons(redis)) == [
        "This Being has no such message.",
        "retract: Give `ids` or `conversation`",
        "role: Extra inputs are not permitted",
    ]


@pytest.mark.parametrize("until_further_notice", [False, True])
def test_what_is_off_the_record_is_refused_and_no_word_of_it_is_kept(
    new_reader, redis, store, being, kept, until_further_notice
):
    """A producer learns it from the reason; a retraction has no words, and is applied."""
    reader = new_reader()
    mark = {} if until_further_notice else {"off_the_record": True}
    if until_further_notice:
        change(store, being, {"off_the_record": True})
    note, message = {"type": "todo", "content": "walnut"}, {"role": "user", "content": "walnut"}
    for stream, item in (("patrol:notes", note), ("patrol:messages", message), ("patrol:messages", {"role": 1})):
        redis.xadd(stream, {"id": "p1", "data": json.dumps({"being": str(being.being_id), **item, **mark})})
    redis.xadd("patrol:messages", {"data": json.dumps({"being": str(being.being_id), "retract": {"ids": ["m1"]}})})
    for malformed in ({"being": "nobody", **message}, {"being": str(uuid4()), **message}, [message]):
        redis.xadd("patrol:messages", {"data": json.dumps(marked(malformed))})
    reader.read()

    found = list(rejected.listed(redis))
    assert (len(found), sum(one.reason == NOT_KEPT for one in found)) == (6, 3)
    assert not any(one.whole or one.data for one in found)
    assert [redis.xlen(stream) for stream in ("patrol:notes", "patrol:messages")] == [0, 1]
    assert (kept(), pending(redis), pending(redis, "patrol:messages")) == ([], 0, 0)
    with store.transaction() as tx:
        assert tables_with(tx, "walnut") == {}


@pytest.mark.parametrize("encode", [lambda text: text[:-1], json.dumps, lambda text: text.encode("utf-16")])
@pytest.mark.parametrize("mark", [True, "yes", False, "no", "false", None])
def test_of_what_cannot_be_read_no_word_is_kept_if_it_is_marked(new_reader, redis, being, encode, mark):
    reader = new_reader()
    item = {"being": str(being.being_id), "role": "user", "off_the_record": mark, "content": "walnut"}
    redis.xadd("patrol:messages", {"data": encode(json.dumps(item))})
    reader.read()
    (refused,) = rejected.listed(redis)
    kept = mark in {False, "no", "false", None}
    assert bool(refused.data) is kept
    assert redis.xlen("patrol:messages") == kept


@pytest.mark.parametrize("words", ["walnut, off_the_record, as they say", "off_the_record is a mark"])
def test_words_about_the_mark_are_no_mark(new_reader, redis, being, words):
    redis.xadd("patrol:messages", {"data": json.dumps({"being": str(being.being_id), "content": words})[:-1]})
    new_reader().read()
    (refused,) = rejected.listed(redis)
    assert words.encode() in refused.data


@pytest.mark.parametrize("mark", [False, "no", "false", 0, None, ""])
def test_what_a_mark_in_the_metadata_says_no_to_is_kept(new_reader, redis, being, store, mark):
    item = {"being": str(being.being_id), "role": "user", "metadata": {"off_the_record": mark}, "content": "walnut"}
    note = {**item, "type": "todo"}
    del note["role"]
    redis.xadd("patrol:messages", {"data": json.dumps(item)})
    redis.xadd("patrol:notes", {"data": json.dumps(note)})
    new_reader().read()
    assert list(rejected.listed(redis)) == []
    with store.transaction() as tx:
        assert sum(tables_with(tx, "walnut").values()) >= 2


def marked(sent):
    """An entry that is off the record, of whatever form."""
    return {**sent, "off_the_record": True} if isinstance(sent, dict) else [marked(one) for one in sent]
