"""Each gate of the vault says no by its rule, in the seed's order, and says what to do instead."""

from datetime import UTC, datetime

import pytest

from memory.vault_gates import GATES, NOISE, GateRefused, noise_in
from memory.vault_shelf import Rules, Shelf
from schemas.vault import NewRecord, RecordChanges

CARD = "4111 1111 1111 1111"
NOW = datetime(2026, 3, 2, tzinfo=UTC)
# What every gate from this one on would stop.
BAD = {
    "noise": {"text": f"heartbeat {CARD} {'x' * 1200}", "tier": "log", "scope": "nowhere"},
    "log-tier": {"text": f"{CARD} {'x' * 1200}", "tier": "log", "scope": "nowhere"},
    "length": {"text": f"{CARD} {'x' * 1200}", "scope": "nowhere"},
    "validation": {"text": CARD, "scope": "nowhere"},
    "pii": {"text": f"Calm. Calm. Wild. {CARD}", "tier": "register", "topic_id": "canon"},
    "register": {"text": "Calm.", "tier": "register", "topic_id": "canon"},
    "duplicate": {"text": "Calm."},
    "capacity": {"text": "Something else."},
}


def shelf(capacity=100, threshold=0.7):
    return Shelf([], Rules(["shared", "mira"], capacity, threshold), NOW)


@pytest.fixture
def full():
    """A scope with no room left, and canon that has a topic."""
    held = shelf(capacity=1)
    register, _ = held.add(NewRecord(text="Calm.", tier="register", topic_id="canon"))
    held.promote(register.id, None)
    return held


def test_the_gates_stand_in_the_seeds_order():
    assert list(BAD) == list(GATES)
    assert list(GATES.values()) == [1, 2, 3, 4, 5, 6, 7, 8]


@pytest.mark.parametrize("gate", GATES)
def test_the_first_gate_that_a_record_fails_stops_it(full, gate):
    before = len(full.appended)
    with pytest.raises(GateRefused) as refused:
        full.add(NewRecord(**BAD[gate]))
    assert refused.value.gate == gate
    assert str(refused.value).startswith(f"Gate {GATES[gate]}, {gate}: ")
    assert refused.value.instead.endswith(".")
    assert "4111" not in str(refused.value)
    assert len(full.appended) == before


@pytest.mark.parametrize("signal", NOISE)
def test_what_belongs_in_a_journal_is_known_however_it_is_written(signal):
    assert noise_in(f"Today: {signal.upper()}!") == signal
    assert noise_in(signal.replace(" ", " \n ")) == signal
    assert noise_in("Mira bakes bread in the morning.") is None


@pytest.mark.parametrize(
    "said",
    [
        {"text": " \n"},
        {"tier": "secret"},
        {"source": "rumour"},
        {"scope": "another"},
        {"topic_id": "canon has none"},
    ],
)
def test_what_there_is_not_is_refused_by_the_fourth_gate(said):
    with pytest.raises(GateRefused) as refused:
        shelf().add(NewRecord(**({"text": "Calm."} | said)))
    assert refused.value.gate == "validation"


@pytest.mark.parametrize("said", [{"tags": [CARD]}, {"category": CARD}, {"tier": "register", "topic_id": CARD}])
def test_no_secret_gets_in_by_a_side_door(said):
    with pytest.raises(GateRefused, match="payment card"):
        shelf().add(NewRecord(**({"text": "Calm."} | said)))


def test_1200_characters_are_not_too_many():
    assert shelf().add(NewRecord(text="x" * 1200))[1] == "added"


def test_a_near_duplicate_is_told_which_record_it_is_like():
    held = shelf()
    first, _ = held.add(NewRecord(text="Mira opens the bakery at six every morning."))
    for text in ("The bakery Mira opens at six.", "mira opens the bakery at sixx every morninggg"):
        with pytest.raises(GateRefused) as refused:
            held.add(NewRecord(text=text))
        assert (refused.value.gate, refused.value.existing) == ("duplicate", first.id)
    assert held.add(NewRecord(text="Mira opens the bakery at six.", scope="shared"))[1] == "added"


def test_a_profile_may_be_stricter_about_duplicates():
    for threshold, outcome in ((0.9, "added"), (0.5, None)):
        held = shelf(threshold=threshold)
        held.add(NewRecord(text="abcdefghij klmnop"))
        if outcome:
            assert held.add(NewRecord(text="abcdefghix klmnoq"))[1] == outcome
        else:
            with pytest.raises(GateRefused, match="duplicate"):
                held.add(NewRecord(text="abcdefghix klmnoq"))


def test_capacity_is_each_scopes_own_and_deleting_makes_room():
    held = shelf(capacity=1)
    mine, _ = held.add(NewRecord(text="Calm."))
    held.add(NewRecord(text="Calm.", scope="shared"))
    with pytest.raises(GateRefused, match="capacity"):
        held.add(NewRecord(text="Something else."))
    held.delete(mine.id)
    assert held.add(NewRecord(text="Something else."))[1] == "added"


def test_an_upsert_needs_no_room_and_is_no_duplicate():
    held = shelf(capacity=1)
    held.add(NewRecord(text="Calm.", tier="register", topic_id="mood"))
    assert held.add(NewRecord(text="Calm.", tier="register", topic_id="mood"))[1] == "updated"


def test_changes_pass_the_first_five_gates_and_no_more():
    held = shelf(capacity=2)
    first, _ = held.add(NewRecord(text="Calm."))
    held.add(NewRecord(text="Something else."))
    for text in ("tick marker", "x" * 1201, CARD, " "):
        with pytest.raises(GateRefused):
            held.update(first.id, RecordChanges(text=text))
    assert held.update(first.id, RecordChanges(text="Something else.")).version == 2
