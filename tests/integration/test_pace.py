"""Bulk leaves room for what comes live."""

import pytest

from memory import intake
from schemas.limits import BULK_ITEMS
from schemas.settings import Settings

NOTE = {"type": "scene", "content": {"action": "Rain.", "actors": ["Mira"], "when": ["2026-03-02"]}}
MESSAGE = {"role": "user", "content": "Rain."}


@pytest.fixture
def pauses(monkeypatch):
    """The pauses that were made; time stands still but for three tenths of a second with each look at it."""
    made: list[float] = []
    monkeypatch.setattr(intake, "monotonic", iter(n * 0.3 for n in range(99)).__next__)
    monkeypatch.setattr(intake, "sleep", made.append)
    return made


@pytest.mark.parametrize(("accept", "item"), [(intake.accept_notes, NOTE), (intake.accept_messages, MESSAGE)])
def test_bulk_pauses_for_twice_as_long_as_it_took_and_what_comes_live_never(store, being, pauses, accept, item):
    assert accept(store, Settings(), being.being_id, [item] * BULK_ITEMS).receipt.accepted == BULK_ITEMS
    assert pauses == []
    assert accept(store, Settings(), being.being_id, [item] * (BULK_ITEMS + 1)).receipt.accepted == BULK_ITEMS + 1
    assert pauses == pytest.approx([0.6])


def test_a_pause_is_never_long(store, being, pauses, monkeypatch):
    monkeypatch.setattr(intake, "monotonic", iter([0.0, 3600.0]).__next__)
    intake.accept_notes(store, Settings(), being.being_id, [NOTE] * (BULK_ITEMS + 1))
    assert pauses == [1.0]
