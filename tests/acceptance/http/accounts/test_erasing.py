"""A user takes a Being away, and erases it."""

import json

from celery import Celery
from redis import Redis

from schemas.ledger.kinds import CLEAN_STREAMS
from tests.acceptance.http.intake.scenes import scene
from tests.full_being import tables_with
from workers.streams import rejected


def test_a_being_is_taken_away_and_erased_while_its_patrol_runs(person, problem):
    path = f"/v1/beings/{person.being.being_id}"
    notes = [{**scene(f"Marzipan number {number} was baked."), "id": f"n{number}"} for number in range(3)]
    person.client.post(f"{path}/notes", json=notes)
    person.patrol(person.being)
    exported = [json.loads(line) for line in person.client.get(f"{path}/export").text.splitlines()]
    assert [line["kind"] for line in exported].count("node") == 3
    (first, *_) = person.client.get(f"{path}/nodes").json()["nodes"]
    gone = person.client.post(f"{path}/nodes/{first['node_id']}/erase").json()
    assert (gone["nodes"], gone["notes"]) == (1, 1)
    problem(person.client.get(f"{path}/nodes/{first['node_id']}"), 404)
    problem(person.client.post(f"{path}/notes/{first['note_id']}/erase"), 404)
    person.client.post(f"{path}/notes", json=[{**note, "id": f"again-{note['id']}"} for note in notes])
    assert person.client.post(f"{path}/patrols").is_success
    erased = person.client.delete(path).json()
    # One of the three was erased before, and is not taken in again.
    assert (erased["beings"], erased["notes"]) == (1, 4)
    problem(person.client.get(path), 404)
    with person.ledger.transaction() as tx:
        left = tx.execute("select distinct kind from memory.work where owner_id = %s", [person.being.being_id])
        assert [row["kind"] for row in left] in ([], [CLEAN_STREAMS.name])


def test_only_the_scope_manage_may_remove_or_erase(person, problem):
    path = f"/v1/beings/{person.being.being_id}"
    reader = person.with_token(scopes=["read"])
    problem(reader.get(f"{path}/export"), 403)
    problem(reader.delete(path), 403)


def test_what_is_erased_comes_in_again_through_no_door(stack, person, wait_until):
    path = f"/v1/beings/{person.being.being_id}"
    said = {"role": "user", "content": "I bought marzipan."}
    note = scene("Marzipan was bought.") | {"id": "n1"}
    record = {"text": "Marzipan is dear.", "category": "goal"}

    def post(where, body, **options):
        answer = person.client.post(path + where, json=body, **options)
        assert answer.is_success, answer.text
        return answer.json()

    def found():
        with person.ledger.transaction() as tx:
            tables = tables_with(tx, "marzipan").keys()
            return {table for table in tables if tables_of(tx, table, person.user.user_id, person.being.being_id)}

    message_id = post("/messages", said)["ids"][0]
    note_id = post("/notes", note)["ids"][0]
    kept = post("/vault", record)["records"][0]
    lines = person.client.get(f"{path}/vault/export").text
    person.client.delete(f"{path}/messages/{message_id}")
    post(f"/notes/{note_id}/erase", None)
    assert post(f"/vault/{kept['id']}/erase", None) == {"records": 1}
    assert found() == set()

    assert post("/messages", [said, {"role": "user", "content": "It rained."}])["erased"] == [0]
    assert post("/messages", said)["erased"] == [0]
    assert post("/notes", [note])["erased"] == [0]
    turn = post("/turns", {"messages": [said]})
    assert (turn["receipt"]["erased"], turn["receipt"]["rejected"]) == ([0], [])
    assert post("/vault", record)["erased"] == [0]
    imported = person.client.post(f"{path}/vault/import", content=lines).json()
    assert (imported["imported"], imported["erased"]) == (0, [1])
    assert person.client.put(f"{path}/vault/topics/sweets", json={"text": record["text"]}).status_code == 409
    with Celery("foreign", broker=stack.broker_url, set_as_current=False) as foreign:
        for what, item in (("messages", said), ("notes", note)):
            marker = {"type": "todo", "content": "Sleep."} if what == "notes" else {"role": "user", "content": "Night."}
            arguments = [str(person.being.being_id), [item, marker]]
            foreign.send_task(f"ingest.{what}", arguments, queue="ingest")

    def came():
        with person.ledger.transaction() as tx:
            return tables_with(tx, "Sleep.").get("notes") and tables_with(tx, "Night.").get("messages")

    wait_until(came)
    assert found() == set()
    with Redis.from_url(stack.redis_url) as redis:
        assert not [one for one in rejected.listed(redis) if b"arzipan" in one.data]


def test_a_worker_removes_what_was_erased_from_the_streams(stack, person, wait_until):
    path = f"/v1/beings/{person.being.being_id}"
    said = {"role": "user", "content": "I bought nougat."}
    data = json.dumps({"being": str(person.being.being_id), **said})
    with Redis.from_url(stack.redis_url) as redis:
        erased = redis.xadd("patrol:messages", {"data": data})
        stays = redis.xadd("patrol:messages", {"data": data.replace("nougat", "rye")})
        (message_id,) = person.client.post(f"{path}/messages", json=said).json()["ids"]
        assert person.client.delete(f"{path}/messages/{message_id}").is_success
        wait_until(lambda: not redis.xrange("patrol:messages", erased, erased))
        assert redis.xrange("patrol:messages", stays, stays)
        assert person.client.delete(path).is_success
        wait_until(lambda: not redis.xrange("patrol:messages", stays, stays))


def tables_of(tx, table, user_id, being_id):
    """In how many rows of a table that are this person's the word stands."""
    ids = f"%({user_id}|{being_id})%"
    return tx.value(
        f"select count(*) from memory.{table} as t where t::text ilike '%%marzipan%%' and t::text similar to %s",  # noqa: S608  # names
        [ids],
    )
