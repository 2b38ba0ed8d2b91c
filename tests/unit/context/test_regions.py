"""The laws of regions: what is added can be taken away, nothing is lost or doubled, and order is what was asked for."""

from hypothesis import given
from hypothesis import strategies as st

from memory.context.regions import DEFAULT, Entry, WorkingMemory

NAMES = ("core", "summary", "userNotes", "rag-context", DEFAULT)

names = st.sampled_from(NAMES)
orders = st.lists(st.sampled_from((*NAMES, "without-source")), unique=True).map(tuple)
entries = st.builds(Entry, st.sampled_from(("system", "user", "assistant")), st.text(max_size=4), names)
memories = st.builds(WorkingMemory, st.lists(entries, max_size=12).map(tuple), orders)


def test_a_piece_without_a_region_goes_to_the_default_one():
    assert WorkingMemory().with_entries(Entry("user", "Hello.")).regions == (DEFAULT,)


@given(memories, st.lists(entries, max_size=3))
def test_adding_a_region_and_taking_it_away_is_identity(memory, pieces):
    assert memory.with_region("new", *pieces).without_regions("new") == memory


@given(memories, names, st.lists(entries, min_size=1, max_size=3), st.lists(entries, max_size=3))
def test_a_region_is_replaced_whole(memory, name, first, second):
    assert memory.with_region(name, *first).with_region(name, *second) == memory.with_region(name, *second)


@given(memories, names, st.lists(entries, max_size=3))
def test_a_region_holds_what_it_was_given_in_that_order(memory, name, pieces):
    changed = memory.with_region(name, *pieces)

    assert [entry.content for entry in changed.with_only_regions(name).assemble()] == [
        piece.content for piece in pieces
    ]
    assert changed.without_regions(name) == memory.without_regions(name)


@given(memories, st.sets(names))
def test_only_and_without_are_complements(memory, chosen):
    only, without = memory.with_only_regions(*chosen), memory.without_regions(*chosen)

    assert set(only.regions) <= chosen
    assert not set(without.regions) & chosen
    assert sorted(map(repr, only.entries + without.entries)) == sorted(map(repr, memory.entries))


@given(memories, orders)
def test_regions_come_in_the_given_order_and_the_others_right_before_the_default_one(memory, order):
    ordered = memory.with_regional_order(*order).regions
    others = [name for name in dict.fromkeys(e.region for e in memory.entries) if name not in {*order, DEFAULT}]
    first = len([name for name in order[: order.index(DEFAULT)] if name in ordered]) if DEFAULT in order else None

    assert [name for name in ordered if name in order] == [name for name in order if name in memory.regions]
    assert [name for name in ordered if name in others] == others
    if first is not None:
        assert list(ordered[first : first + len(others)]) == others
    elif DEFAULT in memory.regions:
        assert list(ordered[-1 - len(others) :]) == [*others, DEFAULT]


@given(memories)
def test_assembling_loses_and_doubles_nothing_and_keeps_the_order_within_a_region(memory):
    assembled = memory.assemble()

    assert tuple(dict.fromkeys(entry.region for entry in assembled)) == memory.regions
    for name in memory.regions:
        assert [e for e in assembled if e.region == name] == [e for e in memory.entries if e.region == name]
    assert len(assembled) == len(memory.entries)


@given(memories, st.sets(names))
def test_taking_away_does_not_disturb_the_order_of_what_stays(memory, chosen):
    assert memory.without_regions(*chosen).assemble() == tuple(e for e in memory.assemble() if e.region not in chosen)


@given(memories)
def test_assembling_is_deterministic_and_changes_nothing(memory):
    before = WorkingMemory(tuple(memory.entries), tuple(memory.order))

    assert memory.assemble() == memory.assemble()
    assert memory == before
