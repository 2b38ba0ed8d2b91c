"""A model's decisions about memories, and what a survivor says then."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.nodes.prompt_rendering import shown, shown_whole
from memory.patrol.merge_rules import PromptBatch, check, history, survivor_of
from providers.errors import BadAnswer
from schemas.patrol.model_answers import Consolidation, Merge
from tests.documents.shown import TOPIC, made_up

ROOF = made_up(
    1, "Pip mended the roof for 1,800 pounds.", dialogue=["Never again."], themes=["Roof"], feeling="Relief."
)
AGAIN = made_up(2, "The roof cost Pip 2,050 in the end.", actors=["Pip", "Ivor"], when=["2026-03-05"], fresh=True)
PINNED = made_up(3, "Pip was born.", pinned=True)
DYING = made_up(4, "Pip bought a nail.", status="dying", may_die=True)
FRESH_AND_DYING = made_up(5, "Pip sneezed.", status="dying", fresh=True)
LONG = made_up(6, "Pip talked. " * 400)
PART = PromptBatch(TOPIC, [ROOF, AGAIN, PINNED, DYING, FRESH_AND_DYING, LONG], frozenset())

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
        (answer(merge(action="Pip mended the roof with Quentin.")), "name"),
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


def test_numbers_and_dates_are_compared_by_value():
    part = PromptBatch(TOPIC, [made_up(1, "Pip paid forty pounds."), made_up(2, "Ivor came.")], frozenset())
    check(part, answer(merge(action="On 2 March Pip paid 40.")))
    with pytest.raises(BadAnswer, match=r"`action` with a number or date .*: number 1, date 1 in it"):
        check(part, answer(merge(action="Pip paid 50 on 3 March.")))


def test_what_breaks_no_rule_of_an_invalid_answer_is_valid():
    said = answer(
        merge("m1", ["m9"]),
        merge("m1", ["m2"], actors=["Pip", "Dagny"], themes=["money"]),
        merge("m3", ["m2"], action="Pip was born."),
        make_dead=["m4", "m1", "7c1e"],
    )
    with pytest.raises(BadAnswer) as refused:
        check(PART, said)
    assert refused.value.valid == answer(merge("m1", ["m2"]), make_dead=["m4"])


def test_an_answer_of_which_nothing_is_valid_has_no_valid_part():
    with pytest.raises(BadAnswer) as refused:
        check(PART, answer(merge("m1", ["m3"]), make_dead=["m1"]))
    assert refused.value.valid is None


def test_a_number_next_to_what_can_not_be_printed_is_a_number():
    part = PromptBatch(TOPIC, [made_up(1, "Paid \x08300 pounds."), made_up(2, "Paid the roofer today.")], frozenset())
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


CALM = dict(zip(("valence", "arousal", "dominance", "safety", "novelty", "trust"), (0.2, 0, 0, 1, 0, 0.5), strict=True))
STORM = dict(zip(CALM, (-0.8, 1, 0, -1, 0.4, 0.5), strict=True))


def test_a_survivor_takes_in_setting_sensory_details_and_emotion():
    survivor = made_up(1, importance=0.6, emotion=CALM, sensory=["wet wood"])
    absorbed = [
        made_up(2, importance=0.1, setting="the yard"),
        made_up(3, importance=0.2, emotion=STORM, setting="the roof", sensory=["Wet  wood", "slates cracking"]),
    ]
    known = {f"m{number}": node for number, node in enumerate([survivor, *absorbed], start=1)}
    scene = survivor_of(known, merge("m1", ["m2", "m3"], action="Pip mended the roof."))

    assert scene.setting == "the roof", "of the most important node that has one"
    assert scene.sensory == ["wet wood", "slates cracking"]
    assert scene.emotion is not None
    weighted = {name: (0.6 * CALM[name] + 0.2 * STORM[name]) / 0.8 for name in CALM}
    assert scene.emotion.model_dump() == pytest.approx(weighted, abs=0.001)


def test_a_survivor_keeps_its_own_setting_and_without_emotions_has_none():
    known = {"m1": made_up(1, setting="the yard"), "m2": made_up(2, setting="the roof")}
    scene = survivor_of(known, merge(action="Pip mended the roof."))

    assert (scene.setting, scene.emotion) == ("the yard", None)


def test_the_emotion_of_nodes_without_importance_is_their_mean():
    known = {"m1": made_up(1, importance=0, emotion=CALM), "m2": made_up(2, importance=0, emotion=STORM)}
    emotion = survivor_of(known, merge(action="Pip mended the roof.")).emotion

    assert emotion is not None
    assert emotion.valence == pytest.approx(-0.3)


def test_a_reworded_survivor_keeps_its_own_earlier_line():
    survivor = made_up(1, "The roof leaked.", when=["2026-03-01", {"date": "2026-02-01", "action": "It dripped."}])
    absorbed = [made_up(2, "Ivor came.", when=["2026-03-02"])]

    told = history(survivor, absorbed, "The roof leaked until Ivor came.")
    assert told == [
        {"date": "2026-02-01", "action": "It dripped."},
        {"date": "2026-03-01", "action": "The roof leaked."},
        {"date": "2026-03-02", "action": "Ivor came."},
    ]
    # Its action is a summary of these lines, and becomes none itself when it is reworded again.
    merged = made_up(1, "The roof leaked until Ivor came.", when=told)
    assert history(merged, [made_up(3, "It held.", when=["2026-03-03"])], "The roof holds.") == [
        *told,
        {"date": "2026-03-03", "action": "It held."},
    ]


def test_what_is_absorbed_becomes_history():
    survivor = made_up(1, when=["2026-03-09", "Day7"])
    absorbed = [
        made_up(2, "It leaked.", when=["2026-03-01", {"date": "2026-02-01", "action": "It dripped."}]),
        made_up(3, "It leaked.", when=["2026-03-01"]),
    ]

    assert history(survivor, absorbed, survivor.scene["action"]) == [
        "Day7",
        {"date": "2026-02-01", "action": "It dripped."},
        {"date": "2026-03-01", "action": "It leaked."},
        "2026-03-09",
    ]


@given(st.lists(LINE, min_size=1), st.lists(st.lists(LINE, min_size=1), max_size=4))
def test_a_history_loses_nothing_repeats_nothing_and_ends_with_the_newest(own, others):
    absorbed = [made_up(number, f"event {number}", when=when) for number, when in enumerate(others, start=2)]
    survivor = made_up(1, when=own)
    told = history(survivor, absorbed, survivor.scene["action"])

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
