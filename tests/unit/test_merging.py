"""What a model may decide about memories, and what a survivor says then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.merging import Part, check, history, survivor_of
from memory.showing import shown, shown_whole
from providers.errors import BadAnswer
from schemas.patrol_answers import Consolidation, Merge
from tests.shown import TOPIC, made_up

ROOF = made_up(
    1, "Pip mended the roof for 1,800 pounds.", dialogue=["Never again."], themes=["Roof"], feeling="Relief."
)
AGAIN = made_up(2, "The roof cost Pip 2,050 in the end.", actors=["Pip", "Ivor"], when=["2026-03-05"], fresh=True)
PINNED = made_up(3, "Pip was born.", pinned=True)
DYING = made_up(4, "Pip bought a nail.", status="dying")
FRESH_AND_DYING = made_up(5, "Pip sneezed.", status="dying", fresh=True)
LONG = made_up(6, "Pip talked. " * 400)
PART = Part(TOPIC, [ROOF, AGAIN, PINNED, DYING, FRESH_AND_DYING, LONG], frozenset())

ENTRY = st.dates().map(str) | st.sampled_from(["Day7", "last spring", "2026-03-02", "2026-03-05T10:00"])
LINE = ENTRY | st.builds(lambda date, action: {"date": date, "action": action}, ENTRY, st.sampled_from("ab"))


def merge(survivor="m1", absorbed=("m2",), **changes):
    usual = {"action": "Pip mended the roof; it cost 2,050.", "feeling": None}
    lists = {"actors": ["Pip"], "dialogue": [], "themes": []}
    return Merge(survivor=survivor, absorbed=list(absorbed), **(usual | lists | changes))


def answer(*merges, make_dead=()):
    return Consolidation(merges=list(merges), make_dead=list(make_dead))


@pytest.mark.parametrize(
    "said",
    [
        answer(),
        answer(merge()),
        answer(merge(), make_dead=["m4"]),
        answer(merge("m3", ["m1"], action="Pip was born to mend.")),
        answer(merge("m4", ["m5"], action="Pip sneezed at a nail.")),
        answer(merge(actors=["pip ", "IVOR"], dialogue=["never  again."], themes=["roof"], feeling="Relief")),
    ],
)
def test_what_keeps_the_rules_is_taken(said):
    check(PART, said)


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        (answer(merge("m9")), "not there"),
        (answer(make_dead=["7c1e"]), "not there"),
        (answer(merge(), merge("m2", ["m4"])), "named once.*m2"),
        (answer(merge("m1", ["m1"])), "named once.*m1"),
        (answer(merge("m1", ["m4"]), make_dead=["m4"]), "named once.*m4"),
        (answer(merge("m1", ["m3"])), "pinned"),
        (answer(merge("m1", [])), "absorbs nothing"),
        (answer(merge("m1", ["m6"])), "shortened"),
        (answer(make_dead=["m1"]), "dying.*m1"),
        (answer(make_dead=["m3"]), "dying.*m3"),
        (answer(make_dead=["m5"]), "dying.*m5"),
        (answer(merge(action=" ")), "no scene"),
        (answer(merge(action="Pip mended the roof for 3,000.")), "number"),
        (answer(merge(feeling="7 lot.")), "number"),
        (answer(merge(action="Pip mended the roof. " * 9)), "longer"),
        (answer(merge("m2", ["m4"], action="Pip, a roof", feeling="Sorrow, made up.")), "feeling.*longer"),
        (answer(merge(actors=["Pip", "Dagny"])), "actors"),
        (answer(merge(dialogue=["I love roofs."])), "dialogue"),
        (answer(merge(themes=["money"])), "themes"),
    ],
)
def test_what_breaks_a_rule_is_refused_in_words_for_the_model(said, complaint):
    with pytest.raises(BadAnswer, match=complaint) as refused:
        check(PART, said)
    assert "Dagny" not in str(refused.value)
    assert "7c1e" not in str(refused.value)


def test_a_number_next_to_what_can_not_be_printed_is_a_number():
    part = Part(TOPIC, [made_up(1, "Paid \x08300 pounds."), made_up(2, "Paid the roofer today.")], frozenset())
    check(part, answer(merge(action="Paid 300 pounds.")))


def test_a_survivor_tells_in_the_memories_own_spelling():
    said = merge(
        actors=["ivor", "PIP", "Ivor"], dialogue=["never again."], themes=["roof"], action="A &amp; B: the roof, 2,050."
    )
    scene = survivor_of(PART.by_reference, said)

    assert scene.actors == ["Ivor", "Pip"]
    assert scene.dialogue == ["Never again."]
    assert scene.themes == ["Roof"]
    assert scene.action == "A & B: the roof, 2,050."
    assert scene.feeling == "Relief."
    assert scene.importance == ROOF.importance


def test_what_is_absorbed_becomes_history():
    survivor = made_up(1, when=["2026-03-09", "Day7"])
    absorbed = [
        made_up(2, "It leaked.", when=["2026-03-01", {"date": "2026-02-01", "action": "It dripped."}]),
        made_up(3, "It leaked.", when=["2026-03-01"]),
    ]

    assert history(survivor, absorbed) == [
        "Day7",
        {"date": "2026-02-01", "action": "It dripped."},
        {"date": "2026-03-01", "action": "It leaked."},
        "2026-03-09",
    ]


@given(st.lists(LINE, min_size=1), st.lists(st.lists(LINE, min_size=1), max_size=4))
def test_a_history_loses_nothing_repeats_nothing_and_ends_with_the_newest(own, others):
    absorbed = [made_up(number, f"event {number}", when=when) for number, when in enumerate(others, start=2)]
    told = history(made_up(1, when=own), absorbed)

    keys = [(line, "") if isinstance(line, str) else (line["date"], line["action"]) for line in told]
    assert len(set(keys)) == len(keys)
    assert {line for line in own if isinstance(line, str)} == {line for line in told if isinstance(line, str)}
    dates = {line if isinstance(line, str) else line["date"] for when in [own, *others] for line in when}
    assert {date for date, _ in keys} == dates
    iso = [date for date, _ in keys if date[:2].isdigit()]
    assert iso == sorted(iso)
    assert [date for date, _ in keys][len(keys) - len(iso) :] == iso


def test_of_a_long_memory_only_the_beginning_is_shown():
    text = shown({"m1": LONG}, states=True)

    assert not shown_whole(LONG)
    assert 'state="shortened"' in text
    assert len(text) < 1_000
