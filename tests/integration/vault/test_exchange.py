"""`vault.jsonl` goes out and comes in without loss, and a bad line stops no other."""

import json
from datetime import UTC, datetime
from io import BytesIO

import pytest

from memory.vault.vault_file import export_lines, import_lines
from tests.scenes import make_being, make_user

LEAST = {"id": "0123456789ab", "text": "Mira is a baker.", "scope": "shared"}
CARD = "4111-1111-1111-1111"


def exported(vault, scope=None):
    return "".join(export_lines(vault.store, vault.being, scope))


def taken(vault, *lines):
    """Import lines: objects as JSON, bytes as they are."""
    raw = b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in lines)
    return import_lines(vault.store, vault.settings, vault.being, BytesIO(raw))


def troubles(done):
    return {trouble.line: trouble.reason for trouble in done.rejected}


@pytest.fixture
def elsewhere(store, vault_of, being):
    """The empty vault of another user's Being of the same slug."""
    with store.transaction() as tx:
        return vault_of(make_being(tx, make_user(tx), being.slug))


def test_what_goes_out_comes_in_as_equal_records(mine, elsewhere):
    mine.delete(mine.add("Mira dreams of the sea. 🌊\n— “quoted” \\ \u2028", tags=["dream", "täg"], source="chat"))
    mine.register("mood", "Calm.", scope="shared")
    mine.register("mood", "Wild.", scope="shared", source="tool")
    mine.add("Mira wakes at four.", category="habit")

    lines = exported(mine)
    done = import_lines(elsewhere.store, elsewhere.settings, elsewhere.being, BytesIO(lines.encode()))

    assert (done.imported, done.known, done.rejected) == (5, 0, [])
    assert exported(elsewhere) == lines
    assert elsewhere.live() == mine.live()
    again = import_lines(elsewhere.store, elsewhere.settings, elsewhere.being, BytesIO(lines.encode()))
    assert (again.imported, again.known, again.rejected) == (0, 5, [])


def test_an_export_can_be_of_one_scope(mine):
    mine.add("Mira is a baker.")
    mine.add("The user lives in Lisbon.", scope="shared")
    (line,) = exported(mine, "shared").splitlines()
    assert list(json.loads(line)) == [
        *("id", "text", "scope", "category", "tier", "topic_id", "tags"),
        *("created_at", "updated_at", "source", "deleted_at", "version"),
    ]
    assert "Lisbon" in line


def test_what_a_line_leaves_out_is_as_the_seed_has_it(mine, clock):
    assert taken(mine, LEAST).imported == 1
    record = mine.live()[LEAST["id"]]
    assert (record.tier, record.version, record.tags, record.category) == ("canon", 1, [], "general")
    assert (record.topic_id, record.source, record.updated_at, record.deleted_at) == (None, None, None, None)
    assert record.created_at <= clock.now()
    assert taken(mine, LEAST).known == 1


def test_a_moment_without_an_offset_is_utc(mine):
    taken(mine, {**LEAST, "created_at": "2026-03-02T10:00:00.123456"})
    assert mine.live()[LEAST["id"]].created_at == datetime(2026, 3, 2, 10, 0, 0, 123456, UTC)


def test_the_newest_version_counts_in_whatever_order_they_come(mine):
    versions = [{**LEAST, "version": number, "text": f"Version {number}."} for number in (3, 1, 2)]
    assert taken(mine, *versions).imported == 3
    assert mine.live()[LEAST["id"]].text == "Version 3."
    assert taken(mine, {**LEAST, "version": 4, "deleted_at": "2026-03-02T10:00:00Z"}).imported == 1
    assert mine.live() == {}


def test_each_bad_line_is_told_by_its_number_and_stops_no_other(mine, store, user, vault_of):
    with store.transaction() as tx:
        sibling = vault_of(make_being(tx, user))
    theirs = sibling.add("Nobody else's.")
    good = {**LEAST, "id": "aaaaaaaaaaaa"}
    done = taken(
        mine,
        good,
        b"\n",
        {**good, "text": "The same version, otherwise."},
        {**LEAST, "scope": "somebody"},
        b'{"text": "' + b"x" * (2 << 20) + b'"}\n',
        {**LEAST, "text": f"Pay with {CARD}."},
        {**LEAST, "tier": "log"},
        {**LEAST, "id": "not hexadecimal"},
        {**LEAST, "id": theirs.id},
        {**LEAST, "colour": "red"},
        b"\xff\xfe\n",
        b'"just a text"\n',
        {**LEAST, "tier": "\ud800"},
        {**LEAST, "version": 0},
        b"[" * 60_000 + b"\n",
        b'{"id": ' + b"9" * 5000 + b"}\n",
        {**LEAST, "id": "bbbbbbbbbbbb", "text": "The last whole line."},
        b'{"id": "cccccccccccc", "text": "cut of',
    )

    assert done.imported == 2
    assert mine.live().keys() == {"aaaaaaaaaaaa", "bbbbbbbbbbbb"}
    told = troubles(done)
    assert list(told) == [3, *range(4, 17), 18]
    for line, words in {
        3: "line 1 has the same version",
        4: "no such scope",
        5: "longer than",
        6: "a payment card number",
        7: "log-tier",
        8: "id",
        9: "another scope",
        10: "colour",
        11: "UTF-8",
        13: "tier",
        14: "version",
        15: "nested",
        16: "too long",
        18: "not JSON",
    }.items():
        assert words in told[line], told[line]
    assert not any(CARD in reason or "just a text" in reason for reason in told.values())


def test_a_version_with_other_content_is_a_conflict_and_changes_nothing(mine):
    taken(mine, LEAST)
    assert "other content" in troubles(taken(mine, {**LEAST, "text": "Mira is a sailor."}))[1]
    assert mine.live()[LEAST["id"]].text == LEAST["text"]


def test_no_topic_gets_two_living_records(mine):
    here = mine.register("mood", "Calm.", scope="shared")
    another = {**LEAST, "tier": "register", "topic_id": "mood"}
    assert here.id in troubles(taken(mine, another))[1]
    ended = {**another, "deleted_at": "2026-03-02T10:00:00Z"}
    heir = {**another, "id": "bbbbbbbbbbbb"}
    mine.delete(here)
    assert taken(mine, {**another, "version": 1}, {**ended, "version": 2}, heir).imported == 3
    assert mine.live().keys() == {heir["id"]}


def test_a_record_moves_to_no_other_scope(mine):
    taken(mine, LEAST)
    assert "another scope" in troubles(taken(mine, {**LEAST, "scope": mine.being.slug, "version": 2}))[1]


def test_more_lines_than_are_taken_at_once(mine, elsewhere):
    done = taken(mine, *({**LEAST, "id": f"{number:012x}", "text": f"Line {number}."} for number in range(450)))
    assert done.imported == 450
    assert taken(elsewhere, *exported(mine).encode().splitlines(keepends=True)).imported == 450
