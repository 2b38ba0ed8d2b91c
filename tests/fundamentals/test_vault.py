"""The vault holds what a Being must know: durable records that are never overwritten, behind gates that refuse."""

import pytest

from memory.vault import prompt_blocks, records
from memory.vault.gates import GateRefused
from schemas.settings import Settings
from schemas.vault.vault_requests import NewRecord, RecordChanges
from store import vault as rows


@pytest.fixture
def add(store, being):
    """Add a record to the Being's vault."""
    return lambda text, **fields: records.add_memory(store, Settings(), being, NewRecord(text=text, **fields))


@pytest.fixture
def live(store, being):
    """Return the texts of all live records."""

    def read():
        with store.transaction() as tx:
            return sorted(record.text for record in rows.live(tx, being, ["shared", being.slug]))

    return read


def test_a_record_is_at_once_part_of_the_prompt(store, being, add):
    add("Mira's bakery opens at six.")
    with store.transaction() as tx:
        assert "Mira's bakery opens at six." in prompt_blocks.build_snapshot_block(tx, being)


def test_a_change_adds_a_version_and_keeps_the_ones_before(store, being, add, live):
    record = add("The bakery opens at six.")
    later = RecordChanges(text="The bakery opens at seven.")
    records.update_memory(store, Settings(), being, record.id, later)
    assert live() == ["The bakery opens at seven."]
    with store.transaction() as tx:
        assert [stored.version for stored in rows.versions(tx, being, [record.id])] == [1, 2]


def test_a_deletion_is_a_version_too(store, being, add, live):
    record = add("The bakery opens at six.")
    assert records.delete_memory(store, Settings(), being, record.id).version == 2
    assert live() == []


def test_a_register_holds_the_current_state_of_one_topic(add, live):
    add("Projects: the oven.", tier="register", topic_id="projects")
    add("Projects: the oven, and the books.", tier="register", topic_id="projects")
    assert live() == ["Projects: the oven, and the books."]


def test_a_register_that_was_promoted_is_canon_and_no_longer_overwritten(store, being, add):
    register = add("Feed the town.", tier="register", topic_id="mission")
    records.promote_to_canon(store, Settings(), being, register.id)
    with pytest.raises(GateRefused, match="has become canon"):
        add("Sell cakes.", tier="register", topic_id="mission")


def test_a_gate_refuses_personal_data_without_repeating_it(add, live):
    with pytest.raises(GateRefused) as refused:
        add("Her card is 4111 1111 1111 1111.")
    assert refused.value.gate == "pii"
    assert "4111" not in str(refused.value.as_dict())
    assert live() == []


def test_a_gate_refuses_a_duplicate_and_names_the_record_that_exists(add):
    record = add("Mira's bakery opens at six in the morning.")
    with pytest.raises(GateRefused) as refused:
        add("Mira's bakery opens at six in the morning!")
    assert refused.value.existing == record.id


def test_a_record_in_the_shared_scope_belongs_to_all_beings_of_the_user(add, live):
    assert add("The user lives in Lisbon.", scope="shared").scope == "shared"
    assert live() == ["The user lives in Lisbon."]
