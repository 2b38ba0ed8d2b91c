"""The vault's records: added, changed, ended; seen by whom they are for; and never changed in place."""

import psycopg
import pytest

from memory.upkeep import periodic
from memory.vault import records, vault_file
from memory.vault.gates import GateRefused
from schemas.errors import NotFound, Refused
from schemas.vault.vault_requests import RecordChanges, TopicText
from tests.scenes import make_being, make_user


def test_a_near_duplicate_can_be_forced_and_the_record_says_over_which(mine):
    first = mine.add("Mira opens the bakery at six.")
    with pytest.raises(GateRefused, match="`force`"):
        mine.add("The bakery, Mira opens it at six.")
    forced = mine.add("The bakery, Mira opens it at six.", force=True)
    assert (forced.forced_over, mine.live()[forced.id].forced_over) == (first.id, first.id)
    assert mine.add("Jon plays chess.", force=True).forced_over is None
    lines = list(vault_file.export_lines(mine.store, mine.being))
    assert [f'"forced_over":"{first.id}"' in line for line in lines] == [False, True, False]
    assert "forced_over" not in lines[0]


def test_the_seeds_plain_overlap_can_be_restored(vault_of, being):
    vault_of(being).add("The user is allergic to walnuts.")
    vault_of(being).add("The user is allergic to penicillin.")
    with pytest.raises(GateRefused, match="duplicate"):
        vault_of(being, vault_plain_overlap=True).add("The user is allergic to soy.")


def test_a_record_is_kept_as_the_seed_has_it(mine):
    record = mine.add("Mira's bakery opens at six.", category="bio", tags=["bakery"], source="chat")

    assert len(record.id) == 12
    assert int(record.id, 16) >= 0
    assert (record.scope, record.tier, record.version, record.topic_id) == (mine.being.slug, "canon", 1, None)
    assert (record.updated_at, record.deleted_at) == (None, None)
    assert mine.live() == {record.id: record}


def test_each_change_is_a_version_and_reads_see_the_newest(mine):
    record = mine.add("The bakery opens at six.")
    changed = records.update_memory(
        mine.store, mine.settings, mine.being, record.id, RecordChanges(text="The bakery opens at seven.")
    )
    gone = mine.delete(record)

    assert [changed.version, gone.version] == [2, 3]
    assert gone.deleted_at
    assert mine.versions(record.id) == [record, changed, gone]
    assert mine.live() == {}
    with pytest.raises(NotFound):
        mine.delete(record)


def test_a_topic_is_one_register_however_often_it_is_written(mine):
    first = mine.register("projects", "Projects: the oven.", category="project", tags=["work"])
    second = mine.register("projects", "Projects: the oven, and the books.")
    third = records.update_by_topic(
        mine.store, mine.settings, mine.being, "projects", TopicText(text="Nothing at all.", tags=[])
    )

    assert first.id == second.id == third.id
    assert (second.version, second.category, second.tags) == (2, "project", ["work"])
    assert (third.version, third.tags) == (3, [])
    assert mine.live() == {first.id: third}


def test_a_topic_is_another_one_in_another_scope(mine):
    assert mine.register("mood", "Calm.").id != mine.register("mood", "Calm.", scope="shared").id


def test_a_deleted_topic_begins_anew(mine):
    first = mine.register("mood", "Calm.")
    mine.delete(first)
    assert mine.register("mood", "Calm.").version == 1


def test_a_promoted_register_is_canon_and_no_register_writes_over_it(mine):
    register = mine.register("mission", "Feed the town.")
    canon = records.promote_to_canon(mine.store, mine.settings, mine.being, register.id, "Mission: feed the town.")

    assert (canon.id, canon.version, canon.tier, canon.source) == (register.id, 2, "canon", "promotion")
    assert canon.text == "Mission: feed the town."
    with pytest.raises(Refused, match="canon already"):
        records.promote_to_canon(mine.store, mine.settings, mine.being, register.id)
    with pytest.raises(GateRefused, match="has become canon") as refused:
        mine.register("mission", "Sell cakes.")
    assert refused.value.existing == register.id


def test_beings_share_what_is_shared_and_nothing_else(store, user, mine, vault_of):
    with store.transaction() as tx:
        sibling = vault_of(make_being(tx, user))
        stranger = vault_of(make_being(tx, make_user(tx)))
    own = mine.add("Mira dreams of the sea.")
    shared = mine.add("The user lives in Lisbon.", scope="shared")

    assert mine.live().keys() == {own.id, shared.id}
    assert sibling.live().keys() == {shared.id}
    assert stranger.live() == {}
    for other, record in [(sibling, own), (stranger, own), (stranger, shared)]:
        assert other.versions(record.id) == []
        with pytest.raises(NotFound):
            other.delete(record)
    with pytest.raises(GateRefused, match="no such scope"):
        sibling.add("Mine now.", scope=mine.being.slug)
    assert sibling.delete(shared).version == 2


@pytest.mark.parametrize(
    "statement",
    [
        "update memory.vault_records set text = 'x'",
        "delete from memory.vault_records",
        "delete from memory.vault_records where version = 2",
        "truncate memory.vault_records cascade",
        "truncate memory.users cascade",
        (
            "insert into memory.vault_records (user_id, id, version, text, category, tier, created_at)"
            " select user_id, id, 9, 'moved', category, tier, created_at from memory.vault_records limit 1"
        ),
        "update memory.vault_heads set live = false",
        "delete from memory.vault_heads",
        "truncate memory.vault_heads",
        "insert into memory.vault_heads select user_id, 'f', 1, being_id, null, true from memory.vault_heads",
    ],
)
@pytest.mark.parametrize("setting", ["", "set memory.compacting = 'on';"])
def test_nothing_that_is_read_leaves_or_changes_by_hand(mine, url, statement, setting):
    record = mine.register("mood", "Calm.")
    newest = mine.register("mood", "Wild.")

    with psycopg.connect(url) as connection, pytest.raises(psycopg.Error) as refused:
        connection.execute(f"set search_path to memory, public; {setting} {statement}")
    assert refused.value.sqlstate == "MP003"
    assert mine.live() == {record.id: newest}


def test_no_second_record_of_a_topic_gets_in_by_hand(mine, url):
    mine.register("mood", "Calm.")
    copied = (
        "insert into memory.vault_records (user_id, being_id, id, version, text, category, tier, topic_id, created_at)"
        " select user_id, being_id, repeat('0', 12), 1, 'Wild.', category, tier, topic_id, created_at"
        " from memory.vault_records"
    )
    with psycopg.connect(url) as connection, pytest.raises(psycopg.errors.UniqueViolation):
        connection.execute(copied)


def test_a_being_takes_its_records_with_it_and_leaves_what_is_shared(store, mine):
    mine.delete(mine.add("Mira dreams of the sea."))
    mine.add("Mira wakes at four.")
    shared = mine.add("The user lives in Lisbon.", scope="shared")
    with store.transaction() as tx:
        tx.execute("delete from memory.beings where being_id = %s", [mine.being.being_id])
        left = tx.execute("select id from memory.vault_records").fetchall()
    assert [row["id"] for row in left] == [shared.id]
    with pytest.raises(NotFound):
        mine.add("Too late.")


def test_a_user_takes_the_whole_vault_along(store, user, mine):
    mine.delete(mine.add("Mira dreams of the sea."))
    mine.register("mood", "Calm.", scope="shared")
    with store.transaction() as tx:
        tx.execute("delete from memory.users where user_id = %s", [user.user_id])
        counts = [tx.value(f"select count(*) from memory.vault_{name}") for name in ("records", "heads")]  # noqa: S608  # names
    assert counts == [0, 0]


def test_old_versions_and_tombstones_are_compacted_on_a_schedule(mine, clock):
    mine.register("mood", "Calm.")
    gone = mine.delete(mine.add("Jon plays chess."))
    clock.advance(days=20)
    register = mine.register("mood", "Wild.")
    clock.advance(days=11)
    periodic.expire(mine.store, mine.settings)
    assert [version.version for version in mine.versions(register.id)] == [2]
    periodic.expire(mine.store, mine.settings)
    assert mine.versions(gone.id) == []
    assert [record.text for record in mine.live().values()] == ["Wild."]
