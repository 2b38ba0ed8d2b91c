"""Each gate of the vault refuses by its rule, in the seed's order, and names what to do instead."""

from datetime import UTC, datetime

import pytest

from memory.vault.gates import GATES, NOISE, GateRefused, noise_in
from memory.vault.scope_writer import ScopeRules, ScopeWriter
from schemas.vault.vault_requests import NewRecord, RecordChanges

CARD = "4111 1111 1111 1111"
NOW = datetime(2026, 3, 2, tzinfo=UTC)
# Records that this gate and each later one would refuse.
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


def writer(capacity=100, threshold=0.7):
    return ScopeWriter([], ScopeRules(["shared", "mira"], capacity, threshold), NOW)


@pytest.fixture
def full():
    """A scope with no room left, and canon that has a topic."""
    scope = writer(capacity=1)
    register, _ = scope.add(NewRecord(text="Calm.", tier="register", topic_id="canon"))
    scope.promote(register.id, None)
    return scope


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
def test_journal_entries_are_recognised_in_any_case_and_spacing(signal):
    assert noise_in(f"Today: {signal.upper()}!") == signal
    assert noise_in(signal.replace(" ", " \n ")) == signal
    assert noise_in("Mira bakes bread in the morning.") is None


@pytest.mark.parametrize(
    "fields",
    [
        {"text": " \n"},
        {"tier": "secret"},
        {"source": "rumour"},
        {"scope": "another"},
        {"topic_id": "canon has none"},
    ],
)
def test_missing_and_unknown_values_are_refused_by_the_fourth_gate(fields):
    with pytest.raises(GateRefused) as refused:
        writer().add(NewRecord(**({"text": "Calm."} | fields)))
    assert refused.value.gate == "validation"


@pytest.mark.parametrize("fields", [{"tags": [CARD]}, {"category": CARD}, {"tier": "register", "topic_id": CARD}])
def test_labels_are_checked_for_secrets_too(fields):
    with pytest.raises(GateRefused, match="payment card"):
        writer().add(NewRecord(**({"text": "Calm."} | fields)))


def test_a_text_may_have_1200_characters():
    assert writer().add(NewRecord(text="x" * 1200))[1] == "added"


def test_the_refusal_of_a_near_duplicate_names_the_existing_record():
    scope = writer()
    first, _ = scope.add(NewRecord(text="Mira opens the bakery at six every morning."))
    for text in ("The bakery Mira opens at six.", "mira opens the bakery at six every morningg"):
        with pytest.raises(GateRefused) as refused:
            scope.add(NewRecord(text=text))
        assert (refused.value.gate, refused.value.existing) == ("duplicate", first.id)
    assert scope.add(NewRecord(text="Mira opens the bakery at six.", scope="shared"))[1] == "added"


def test_the_threshold_of_sequence_similarity_can_be_changed():
    for threshold, outcome in ((0.9, "added"), (0.5, None)):
        scope = writer(threshold=threshold)
        scope.add(NewRecord(text="abcdefghij klmnop"))
        if outcome:
            assert scope.add(NewRecord(text="abcdefghix klmnoq"))[1] == outcome
        else:
            with pytest.raises(GateRefused, match="duplicate"):
                scope.add(NewRecord(text="abcdefghix klmnoq"))


def test_capacity_is_each_scopes_own_and_deleting_makes_room():
    scope = writer(capacity=1)
    mine, _ = scope.add(NewRecord(text="Calm."))
    scope.add(NewRecord(text="Calm.", scope="shared"))
    with pytest.raises(GateRefused, match="capacity"):
        scope.add(NewRecord(text="Something else."))
    scope.delete(mine.id)
    assert scope.add(NewRecord(text="Something else."))[1] == "added"


def test_an_upsert_needs_no_room_and_is_no_duplicate():
    scope = writer(capacity=1)
    scope.add(NewRecord(text="Calm.", tier="register", topic_id="mood"))
    assert scope.add(NewRecord(text="Calm.", tier="register", topic_id="mood"))[1] == "updated"


def test_changes_pass_the_first_five_gates_and_no_more():
    scope = writer(capacity=2)
    first, _ = scope.add(NewRecord(text="Calm."))
    scope.add(NewRecord(text="Something else."))
    for text in ("tick marker", "x" * 1201, CARD, " "):
        with pytest.raises(GateRefused):
            scope.update(first.id, RecordChanges(text=text))
    assert scope.update(first.id, RecordChanges(text="Something else.")).version == 2
