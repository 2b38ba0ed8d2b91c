"""Knowledge is found as it stands, and stays out of the snapshot where it is asked to."""

import pytest

from memory.context.filling import current_snapshot
from memory.intake.notes import accept_notes
from schemas.intake.notes import NoteChanges
from store.accounts import erasure
from store.intake import kept_notes
from tests.full_being import tables_with

OVEN = {"id": "oven", "type": "knowledge", "title": "The oven", "content": "It is lit at four, with beech."}


@pytest.fixture
def know(on, store):
    """Hand in knowledge, and return its id."""

    def handed_in(being, **changes):
        (note_id,) = accept_notes(store, on.settings, being.being_id, [OVEN | changes]).ids
        assert note_id is not None
        return note_id

    return handed_in


def snapshot(store, being):
    with store.transaction() as tx:
        block = current_snapshot(tx, being)
    return "" if block is None else block.entries[0].content


def left_in_the_index(store, being):
    with store.transaction() as tx:
        tables = tables_with(tx, str(being.being_id))
    return {table for table in tables if table.startswith("search_")} - {"search_owners", "search_statistics"}


def test_knowledge_is_found_by_its_title_and_its_text(on, being, know):
    note_id = know(being)
    assert on.find(being, "oven").unindexed == 1
    on.settle(being)

    (one,) = on.find(being, "Which wood is the oven lit with?").results

    assert (one.kind, one.id, one.producer_id) == ("knowledge", str(note_id), "oven")
    assert one.text == "The oven\nIt is lit at four, with beech."
    assert on.find(being, "a fireplace", explain=True).results[0].signals["meaning"].value > 0


def test_changed_knowledge_is_found_by_what_it_says_now(on, store, being, know):
    note_id = know(being)
    on.settle(being)
    with store.transaction() as tx:
        kept_notes.change(
            tx, being.being_id, note_id, NoteChanges(content="It is lit at five, with alder.").model_dump()
        )
    on.settle(being)

    assert on.texts(being, "alder") == ["The oven\nIt is lit at five, with alder."]
    assert not on.find(being, "beech", explain=True).results[0].signals["words"].value


def test_removed_knowledge_leaves_nothing_in_the_index(on, store, being, know):
    note_id = know(being)
    on.settle(being)
    assert left_in_the_index(store, being)

    with store.transaction() as tx:
        kept_notes.remove(tx, being.being_id, note_id)

    assert on.find(being, "oven").results == []
    assert not left_in_the_index(store, being)


def test_an_erased_being_leaves_no_knowledge_in_the_index(on, store, being, know):
    know(being)
    on.settle(being)
    with store.transaction() as tx:
        erasure.erase_being(tx, being)

    assert not left_in_the_index(store, being)


def test_todos_and_reminders_are_not_searched(on, store, being):
    accept_notes(store, on.settings, being.being_id, [{"type": "todo", "content": "Clean the oven."}])

    assert on.find(being, "oven").unindexed == 0


def test_knowledge_stays_out_of_the_snapshot_where_it_is_asked_to(store, being, know):
    know(being, id="1")
    note_id = know(being, id="2", content="The door sticks.", in_snapshot=False)
    assert "beech" in snapshot(store, being)
    assert "sticks" not in snapshot(store, being)

    with store.transaction() as tx:
        kept_notes.change(tx, being.being_id, note_id, NoteChanges(in_snapshot=True).model_dump())

    assert "sticks" in snapshot(store, being)
