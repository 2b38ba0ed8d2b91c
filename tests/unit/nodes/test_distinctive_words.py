"""Names made of the words that distinguish a topic."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from memory.nodes.distinctive_words import distinctive_names
from schemas.limits import TOPIC_NAME_CHARACTERS


class Text(NamedTuple):
    """The texts of a node."""

    action: str
    themes: tuple[str, ...] = ()
    actors: tuple[str, ...] = ()


GULL = [Text(f"Pip saw Terence the gull steal a crust, number {number}.") for number in range(4)]
BELLS = [Text(f"Pip went to the tower and rang the bells, time {number}.", ("ringing",)) for number in range(4)]
OTHERS = [Text("Pip drank tea."), Text("Pip went home to the workshop.")]


def test_a_topic_is_named_by_words_that_others_do_not_have():
    gull, bells = distinctive_names([GULL, BELLS], OTHERS, [])

    assert {"crust", "gull", "terence", "saw", "steal", "number"} >= set(gull.lower().split(", "))
    assert bells.startswith("Ringing"), "a theme counts twice"
    assert "pip" not in f"{gull} {bells}".lower()


def test_forms_of_one_word_are_named_once():
    (name,) = distinctive_names(
        [[Text("One umbrella, two umbrellas."), Text("Umbrellas and an umbrella.")]], OTHERS, []
    )
    assert name.lower().count("umbrella") == 1


def test_languages_without_spaces_have_words_too():
    (name,) = distinctive_names([[Text("橋本に正式決定。"), Text("正式決定を祝った。")]], [Text("雨が降った。")], [])
    assert name == "正式決定"


def test_a_word_that_tells_nothing_in_another_language_names_a_topic():
    hats = [Text("The hat, in the war, was his grandfather's."), Text("She mends the hat from the war.")]
    (name,) = distinctive_names([hats], [Text("The door is open.")], [])

    assert {"hat", "war"} <= set(name.lower().split(", "))


def test_words_that_hyphens_join_are_one():
    (name,) = distinctive_names([[Text("A check-up at noon."), Text("The check-up went well.")]], OTHERS, [])

    assert name == "Check-up"


def test_no_topic_is_named_after_those_who_take_part():
    rowing = [
        Text(f"Mary-Jane rowed to Dov's island in Wren's boat, day {number}.", actors=("Mary-Jane Ost",))
        for number in range(4)
    ]
    (name,) = distinctive_names([rowing], [Text("Dov slept.", actors=("Dov",))], [], ["Wren"])

    assert set(name.lower().split(", ")) == {"boat", "island", "rowed"}


def test_words_of_a_name_stand_in_a_third_of_the_memories_or_more():
    island = [Text(f"{flower} bloom on the island.") for flower in ("Asters", "Lilies", "Asters", "Roses", "Irises")]
    rare = [*island, *(Text(f"Ferry {number} reached the island.") for number in range(2))]
    (name,) = distinctive_names([rare], OTHERS, [])

    assert set(name.lower().split(", ")) == {"bloom", "island"}


def test_memories_without_a_common_word_have_no_name():
    said = [Text("Continue please."), Text("Okay then."), Text("Nevermind."), Text("Thanks.")]

    assert distinctive_names([said], OTHERS, []) == [""]


def test_a_name_in_use_is_made_of_other_words_before_it_gets_a_number():
    gull, again = distinctive_names([GULL, GULL], OTHERS, [])

    assert gull != again
    assert not any(map(str.isdigit, again))


LONG = "ä" * (TOPIC_NAME_CHARACTERS + 10)
PARTS = st.sampled_from([*"abcde ,äß漢字の", " ", " abc ", "abd ", "ß漢字", LONG])
TEXTS = st.lists(st.builds(Text, st.lists(PARTS, max_size=15).map("".join)), min_size=1, max_size=4)


@given(st.lists(TEXTS, max_size=3), TEXTS, st.lists(st.sampled_from(["Abc", "漢字", ""])))
def test_names_are_short_and_all_different(topics, others, taken):
    names = distinctive_names(topics, others, taken)

    assert len(names) == len(topics)
    named = [name.casefold() for name in names if name]
    assert len({*named, *(name.casefold() for name in taken if name)}) == len(named) + len(
        {name for name in taken if name}
    )
    assert all(len(name) <= TOPIC_NAME_CHARACTERS + len(" 99") for name in names)
