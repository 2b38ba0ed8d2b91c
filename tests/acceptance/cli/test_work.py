"""Work that must get done, work that could not be, and whether all is well."""

import json

import pytest

from tests.acceptance.cli.conftest import examined


@pytest.fixture
def dead_work(account, ledger):
    """The id of work of the account that is dead."""
    account("notes", "add", "-", given=b'{"type": "scene", "content": "no scene at all"}')
    with ledger.transaction() as tx:
        (row,) = tx.execute(
            "update memory.work set state = 'dead', error = 'ValueError in due, line 7', lease_until = null,"
            " finished_at = clock_timestamp() where owner_id = %s and kind = 'patrol.due' returning work_id",
            [account.being_id],
        )
    return row["work_id"]


def test_messages_are_handed_in_like_notes(account):
    lines = [
        json.dumps({"id": "m1", "role": "user", "content": "The oven failed."}),
        json.dumps({"role": "narrator", "content": "Once upon a time."}),
    ]
    summary = account.json("messages", "add", "-", given="\n".join(lines).encode(), code=1)
    assert summary["accepted"] == 1
    assert [trouble["line"] for trouble in summary["rejected"]] == [2]
    assert account.json("messages", "add", "-", given=lines[0].encode())["duplicates"] == 1


def test_a_conversation_that_is_sent_again_with_more_at_its_end_is_taken_once(account):
    words = ("Well.", "Bread burned.", "Well.", "So be it.")
    said = [json.dumps({"role": "user", "content": content}) for content in words]
    assert account.json("messages", "add", "-", given="\n".join(said[:3]).encode())["accepted"] == 3
    again = account.json("messages", "add", "-", given="\n".join(said).encode())
    assert (again["accepted"], again["duplicates"]) == (1, 3)
    another = account.json("messages", "add", "-", given=said[3].encode())
    assert another["accepted"] == 1


def test_dead_work_is_listed_shown_and_replayed(patrol, dead_work):
    assert str(dead_work) in {unit["work_id"] for unit in patrol.json("work", "list")["work"]}
    assert json.loads(patrol("work", "show", dead_work).stdout)["error"] == "ValueError in due, line 7"
    patrol("work", "replay", dead_work)
    assert "Only dead work" in patrol("work", "remove", dead_work, code=1).stderr


def test_dead_work_is_a_fault_to_the_doctor(patrol, dead_work):
    found = examined(patrol, "--no-canary")["dead work"]
    assert not found["good"]
    assert "patrol work list" in found["words"]
    patrol("work", "remove", dead_work)


def test_dead_work_can_be_dropped(patrol, dead_work):
    patrol("work", "remove", dead_work)
    assert f"There is no work {dead_work}" in patrol("work", "show", dead_work, code=1).stderr


@pytest.fixture
def foreign_work(account, ledger):
    """The id of due work of the account, of a kind that this version does not know."""
    with ledger.transaction() as tx:
        (row,) = tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, next_at)"
            " values (%s, 'upkeep.of_the_next_version', '', 'upkeep', clock_timestamp() - interval '1 hour')"
            " returning work_id",
            [account.being_id],
        )
    yield row["work_id"]
    with ledger.transaction() as tx:
        tx.execute("delete from memory.work where kind = 'upkeep.of_the_next_version'")


def test_work_of_an_unknown_kind_is_reported_and_stays_until_it_is_dropped(patrol, foreign_work):
    listed = patrol.json("work", "list", "--state", "ready")["work"]
    assert [unit["known"] for unit in listed if unit["work_id"] == str(foreign_work)] == [False]
    assert "unknown" in patrol("work", "list", "--state", "ready").stdout
    found = examined(patrol, "--no-canary")
    assert not found["kinds of work"]["good"]
    assert "1 of upkeep.of_the_next_version" in found["kinds of work"]["words"]
    patrol("work", "remove", foreign_work)
    assert f"There is no work {foreign_work}" in patrol("work", "show", foreign_work, code=1).stderr


def test_a_state_that_is_none_is_wrong_usage(patrol):
    assert "'running'" in patrol("work", "list", "--state", "lost", code=2).stderr


def test_the_doctor_sends_a_note_the_whole_way(patrol, ledger):
    found = examined(patrol, "--patience", 100)
    # Other tests leave dead work in the system.
    assert {name for name, finding in found.items() if not finding["good"]} <= {"dead work"}
    assert "recalled" in found["canary"]["words"]
    with ledger.transaction() as tx:
        assert tx.execute("select from memory.users where name like 'canary%'").fetchall() == []
