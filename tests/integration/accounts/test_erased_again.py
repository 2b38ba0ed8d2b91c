"""Words erased for good come in again through no door, and their producer is told so without an error."""

import random
from datetime import timedelta
from io import BytesIO

import pytest
from pydantic import SecretStr

from memory.accounts.being_export import export_lines
from memory.accounts.being_import import import_being
from memory.accounts.erasure import erase_being, erase_messages
from memory.erased import known_erased
from memory.erased.digests import Digests
from memory.erased.known_erased import SecretMissing
from memory.facts import seeding
from memory.intake.delivery import Address, deliver
from memory.intake.messages import accept_messages
from memory.intake.notes import accept_notes
from memory.intake.turns import take_turn
from memory.llm import keys
from memory.nodes.node_erasure import erase_note
from memory.vault import record_batches, records
from memory.vault.scope_writer import ErasedBefore
from memory.vault.vault_file import export_lines as vault_lines
from memory.vault.vault_file import import_lines
from operations.facts.facts import erase_fact
from operations.facts.todos import erase_todo
from providers.embedders import Embedders
from schemas.context.context import Turn
from schemas.errors import Refused
from schemas.facts.fact_requests import Seed
from schemas.settings import Settings
from schemas.vault.vault_requests import NewRecord
from store.accounts import beings
from store.facts import facts
from store.ledger import retention
from tests.databases import answer_of
from tests.full_being import fill, tables_with
from tests.scenes import make_user

SECRET = "0123456789abcdef0123456789abcdef"  # noqa: S105  # a secret of this test alone
SAID = {"id": "turn-1", "role": "user", "content": "I bought marzipan.", "created_at": "2026-03-02T06:10:00Z"}
SCENE = {
    "id": "scene-1",
    "type": "scene",
    "content": {"action": "Marzipan was bought.", "actors": ["Mira"], "when": ["2026-03-02"]},
}
TODO = {"id": "todo-1", "type": "todo", "content": "Buy more marzipan."}


@pytest.fixture
def settings():
    return Settings(embedder="minilm", secret_key=SecretStr(SECRET))


@pytest.fixture
def embedders(settings):
    return Embedders(settings)


@pytest.fixture
def words(store):
    """The tables in which the erased word stands."""

    def found():
        with store.transaction() as tx:
            return tables_with(tx, "marzipan")

    return found


@pytest.fixture
def erased(store, settings, embedders, being):
    """A Being of which a message and two notes were erased."""
    said = accept_messages(store, settings, being.being_id, [SAID])
    erase_messages(store, settings, Embedders(settings), [being], said.ids)
    for note_id in accept_notes(store, settings, being.being_id, [SCENE, TODO]).ids:
        erase_note(store, settings, embedders, being, note_id)
    return being


def without_id(item):
    return {name: part for name, part in item.items() if name != "id"}


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item,
        without_id,
        lambda item: item | {"id": "another"},
        lambda item: item | {"content": "Something else."},
        lambda item: without_id(item) | {"content": "  i BOUGHT\n marzipan. "},
    ],
)
def test_an_erased_message_is_not_taken_in_again(store, settings, erased, words, change):
    receipt = accept_messages(store, settings, erased.being_id, [change(SAID), {"role": "user", "content": "Rain."}])
    assert (receipt.accepted, receipt.erased, receipt.rejected, receipt.conflicts) == (1, [0], [], [])
    assert receipt.ids[0] is None
    assert words() == {}


@pytest.mark.parametrize("item", [SCENE, without_id(SCENE), TODO, without_id(TODO) | {"type": "scene"}])
def test_an_erased_note_is_not_taken_in_again(store, settings, erased, words, item):
    receipt = accept_notes(store, settings, erased.being_id, [item])
    assert (receipt.accepted, receipt.erased, receipt.rejected) == (0, [0], [])
    assert words() == {}


def test_what_is_left_at_a_door_is_not_kept_as_refused(store, settings, erased, words):
    delivered = deliver(
        store,
        settings,
        Embedders(settings),
        "messages",
        Address(erased.being_id),
        [SAID],
        ["stream/patrol:messages/1-1"],
    )
    assert (delivered.refused, delivered.erased, words()) == ({}, {0}, {})


def test_a_turn_of_an_erased_message_still_gets_its_context(store, settings, embedders, erased, words):
    turn = Turn.model_validate({"messages": [SAID]})
    taken = take_turn(store, embedders, settings, erased, turn, random.Random(1))
    assert taken.receipt.erased == [0]
    assert taken.context is not None
    assert words() == {}


def test_others_may_still_say_it(store, settings, erased):
    with store.transaction() as tx:
        sibling = beings.add_being(tx, erased.user_id, "sibling", "Sibling")
    assert accept_messages(store, settings, sibling.being_id, [SAID]).accepted == 1
    assert accept_messages(store, settings, erased.being_id, [SAID | {"id": "2", "role": "assistant"}]).accepted


def test_words_that_another_message_says_still_are_refused_by_id_alone(store, settings, being):
    twice = [SAID, SAID | {"id": "turn-2"}]
    first, _ = accept_messages(store, settings, being.being_id, twice).ids
    erase_messages(store, settings, Embedders(settings), [being], [first])
    receipt = accept_messages(store, settings, being.being_id, [SAID, SAID | {"id": "turn-3"}])
    assert (receipt.accepted, receipt.erased) == (1, [0])


@pytest.mark.usefixtures("erased")
def test_nothing_of_the_words_can_be_read_from_what_is_kept(store):
    with store.transaction() as tx:
        rows = tx.execute("select digest, being_id from memory.erased_items").fetchall()
        key = tx.value("select key from memory.erasure_keys")
    assert {len(row["digest"]) for row in rows} == {32}
    assert Digests(key).of_message("user", SAID["content"]) not in {row["digest"] for row in rows}


def test_the_secret_may_be_rotated(store, settings, erased, words):
    newer = "fedcba9876543210fedcba9876543210"
    both = settings.model_copy(update={"secret_key": SecretStr(f"{newer},{SECRET}")})
    alone = settings.model_copy(update={"secret_key": SecretStr(newer)})
    with pytest.raises(SecretMissing, match="PATROL_SECRET_KEY"):
        accept_messages(store, alone, erased.being_id, [SAID])
    keys.rotate(store, both)
    assert known_erased.rotate(store, both) == 1
    assert accept_messages(store, alone, erased.being_id, [SAID]).erased == [0]
    assert words() == {}


def test_without_a_secret_the_key_is_kept_and_sealed_once_there_is_one(store, settings, being):
    bare = Settings(embedder="minilm")
    (said,) = accept_messages(store, bare, being.being_id, [SAID]).ids
    erase_messages(store, bare, Embedders(bare), [being], [said])
    assert accept_messages(store, bare, being.being_id, [SAID]).erased == [0]
    known_erased.rotate(store, settings)
    with store.transaction() as tx:
        assert tx.value("select sealed from memory.erasure_keys")
    assert accept_messages(store, settings, being.being_id, [SAID]).erased == [0]


def test_an_export_from_before_brings_nothing_back(store, settings, embedders, being, words):
    said = accept_messages(store, settings, being.being_id, [SAID, {"role": "user", "content": "Rain."}])
    (note_id, _) = accept_notes(store, settings, being.being_id, [SCENE, TODO | {"content": "Sleep."}]).ids
    record = records.add_memory(store, settings, being, NewRecord(text="Marzipan is dear."))
    shared = records.add_memory(store, settings, being, NewRecord(text="Marzipan keeps long.", scope="shared"))
    before = b"".join(export_lines(store, being))
    erase_messages(store, settings, Embedders(settings), [being], said.ids[:1])
    erase_note(store, settings, embedders, being, note_id)
    records.erase_memory(store, settings, being, [record.id, shared.id])
    assert words() == {}
    with store.transaction() as tx:
        copy = beings.add_being(tx, being.user_id, "copy", "Copy")
    arrived = import_being(store, settings, embedders, copy, BytesIO(before))
    assert arrived.erased == {"message": 1, "note": 1, "vault_record": 2}
    assert words() == {}
    assert accept_messages(store, settings, copy.being_id, [SAID]).erased == [0]
    with store.transaction() as tx:
        assert tx.value("select count(*) from memory.messages where being_id = %s", [copy.being_id]) == 1


def test_an_export_of_a_full_being_brings_back_no_memory_that_was_erased(store, settings, embedders, being):
    survivor, absorbed, _ = fill(store, being, "marzipan")
    before = b"".join(export_lines(store, being, vectors=True))
    with store.transaction() as tx:
        note_id = tx.value("select note_id from memory.memory_nodes where node_id = %s", [absorbed])
        beings.adopt_model(tx, being.being_id, "three-d")
        tx.execute("delete from memory.notes where state = 'kept' or state = 'pending'")
        known = known_erased.for_erasure(tx, settings, being.user_id, being.being_id)
        digest = known.digests.of_note(tx.value("select content from memory.notes where note_id = %s", [note_id]))
        tx.execute(
            "insert into memory.erased_items (user_id, being_id, digest) values (%s, %s, %s)",
            [being.user_id, being.being_id, digest],
        )
        copy = beings.add_being(tx, being.user_id, "copy", "Copy")
    arrived = import_being(store, settings, embedders, copy, BytesIO(before))
    assert arrived.erased["note"] == 1
    with store.transaction() as tx:
        rows = tx.execute("select node_id from memory.memory_nodes where being_id = %s", [copy.being_id]).fetchall()
        assert not {survivor, absorbed} & {row["node_id"] for row in rows}
        assert tx.value("select count(*) from memory.notes where being_id = %s and state = 'pending'", [copy.being_id])


def test_a_seed_goes_with_what_rests_on_it_and_may_be_told_again(store, being, words):
    seeds = [
        Seed.model_validate({"type": "PROFILE", "content": "Loves marzipan."}),
        Seed.model_validate({"type": "OPEN_LOOP", "content": "Learn to make marzipan."}),
    ]
    for _ in range(2):
        seeded = seeding.seed(store, Settings(), being, seeds)
        assert (seeded.facts, seeded.todos, seeded.repeated) == (1, 1, 0)
        assert seeding.seed(store, Settings(), being, seeds).repeated == 2
        with store.transaction() as tx:
            (fact,) = facts.page(tx, being.user_id, being.being_id, limit=2)
            todo = tx.value("select todo_id from memory.todos")
        answer_of(store, erase_fact, being, fact.fact_id)
        answer_of(store, erase_todo, being, todo)
        assert words() == {}
        assert b"arzipan" not in b"".join(export_lines(store, being))


def test_an_erased_being_leaves_no_seed_that_was_told_to_it(store, being, words):
    seeds = [
        Seed.model_validate({"type": "PROFILE", "content": "Hides marzipan.", "in_confidence": True}),
        Seed.model_validate({"type": "OPEN_LOOP", "content": "Learn to make marzipan."}),
    ]
    seeding.seed(store, Settings(), being, seeds)
    erase_being(store, being)
    assert words() == {}


def test_an_erased_being_takes_its_digests_along(store, erased):
    erase_being(store, erased)
    with store.transaction() as tx:
        assert tx.value("select count(*) from memory.erased_items") == 0


def test_an_erased_vault_record_is_gone_and_stays_gone(store, settings, being, words):
    record = records.add_memory(store, settings, being, NewRecord(text="Marzipan is dear.", tags=["marzipan"]))
    receipt = record_batches.bulk_add(store, settings, being, [{"text": "Almonds."}], lambda _: "key")
    lines = "".join(vault_lines(store, being)).encode()
    records.delete_memory(store, settings, being, record.id)
    assert records.erase_memory(store, settings, being, [record.id]).records == 2
    assert words() == {}
    done = import_lines(store, settings, being, BytesIO(lines))
    assert (done.erased, done.known, done.rejected) == ([1], 1, [])
    with pytest.raises(ErasedBefore, match="permanently erased"):
        records.add_memory(store, settings, being, NewRecord(text="marzipan is  dear."))
    again = record_batches.bulk_add(
        store, settings, being, [{"text": "Marzipan is dear."}, {"text": "Oranges are sweet."}]
    )
    assert (again.added, again.erased, again.rejected) == (1, [0], [])
    assert words() == {}
    assert receipt.records[0] is not None


def test_a_deleted_vault_record_ends_in_a_tombstone_without_its_words(store, settings, being, words):
    new = NewRecord(text="Marzipan is dear.", tier="register", topic_id="marzipan", tags=["marzipan"])
    record = records.add_memory(store, settings, being, new)
    tombstone = records.delete_memory(store, settings, being, record.id)
    assert (tombstone.text, tombstone.topic_id, tombstone.tags) == ("", None, [])
    records.compact(store, settings, being)
    assert words() == {}


def test_nothing_but_the_gate_removes_a_record(store, settings, being):
    record = records.add_memory(store, settings, being, NewRecord(text="Marzipan is dear."))
    with pytest.raises(Refused, match="erasure"), store.transaction() as tx:
        tx.execute("delete from memory.vault_records where id = %s", [record.id])


def test_cleaning_the_streams_outlives_the_being(store, being):
    erase_being(store, being)
    with store.transaction() as tx:
        retention.remove_orphaned(tx, timedelta(0), 10)
        assert tx.value("select count(*) from memory.work where owner_id = %s", [being.being_id]) == 2


@pytest.mark.usefixtures("erased")
def test_another_users_erasures_concern_that_user_alone(store, settings):
    with store.transaction() as tx:
        other = beings.add_being(tx, make_user(tx).user_id, "other", "Other")
    assert accept_messages(store, settings, other.being_id, [SAID]).accepted == 1
