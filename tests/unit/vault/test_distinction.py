"""Distinct statements are told apart however many words they share; rewordings, typos and small additions are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.vault.distinction import distinct
from memory.vault.duplicate_index import DuplicateIndex

PLAIN = [
    "The user is allergic to walnuts.",
    "The user is allergic to penicillin.",
    "The user's sister is called Ana.",
    "The user's brother is called Jon.",
    "The user's mother is called Maria.",
    "The user's father is called Mario.",
    "The user lives in Lisbon.",
    "The user's mother lives in Lisbon.",
    "The user works in Porto.",
    "The user works as a nurse.",
    "The user's sister works as a teacher.",
    "The user has two cats.",
    "The user has three cats.",
    "The user has a dog called Rex.",
    "The user was born on 3 May 1990.",
    "The user's sister was born on 3 May 1992.",
    "The user likes coffee.",
    "The user likes toffee.",
    "The user does not like tea.",
    "The user likes tea.",
    "The user plays chess on Tuesdays.",
    "The user plays chess on Thursdays.",
    "The user plays tennis on Tuesdays.",
    "The user runs 5 km every morning.",
    "The user runs 10 km every Sunday.",
    "The user takes aspirin before meals.",
    "The user takes insulin before meals.",
    "The user's car is a red Volvo.",
    "The user's bike is a blue Peugeot.",
    "The user wants to learn Greek.",
    "The user wants to learn the piano.",
    "The rent is due on the first of the month.",
    "The rent is 900 euros a month.",
    "The user's doctor is Dr. Silva.",
    "The user's dentist is Dr. Costa.",
    "The user's son is called Oliver.",
    "The user's cat is called Olive.",
    "Die Tochter der Nutzerin wohnt in Graz.",
    "Der Sohn der Nutzerin wohnt in Linz.",
    "The user programs in C.",
    "The user programs in C#.",
    "The user programs in C++.",
    "Su hermano vive en Lima.",
    "Su hermana vive en Lima.",
    "Su profesor vive en Lima.",
    "Su profesora vive en Lima.",
    "O filho dela mora em Lisboa.",
    "A filha dela mora em Lisboa.",
    "Suo figlio studia a Roma.",
    "Sua figlia studia a Roma.",
    "Le cousin d'Ana vit à Lyon.",
    "La cousine d'Ana vit à Lyon.",
    "उसका बेटा डॉक्टर है",
    "उसकी बेटी डॉक्टर है",
]
SAME = [
    ("Mira opens the bakery at six every morning.", "The bakery Mira opens at six."),
    ("Mira opens the bakery at six every morning.", "mira opens the bakery at six every morningg"),
    ("Mira opens the bakery at six.", "At six, Mira is opening the bakery."),
    ("The user is allergic to walnuts.", "User is allergic to walnuts!"),
    ("The user lives in Lisbon.", "The user is living in Lisbon"),
    ("The user has two cats.", "The user has got two cats."),
    ("The oven is old.", "The oven is very old."),
    ("Mira's hut was painted.", "Mira\u2019s huts were being painted."),
    ("Die Nutzerin hat zwei Katzen.", "Die Nutzerin hat auch zwei Katzen."),
    ("Jon's ovens are old", "Jon's oven is old"),
    ("Tiene dos perros viejos en casa.", "En casa tiene dos perros viejos"),
    ("Elle mange une pomme chaque matin.", "Elle mange des pommes chaque matin."),
    ("Il gatto di Anna dorme", "Il gatto di Anna dormiva"),
    ("花子は東京に住んでいます。", "花子は東京に住んでいる。"),
]


def index(*texts, plain=False):
    made = DuplicateIndex(plain=plain)
    for number, text in enumerate(texts):
        made.put(str(number), text)
    return made


def test_distinct_plain_records_are_all_accepted():
    refused = [
        (text, PLAIN[int(existing)])
        for number, text in enumerate(PLAIN)
        if (existing := index(*PLAIN[:number]).first_nearly_the_same(text, 0.7)) is not None
    ]
    assert refused == []


def test_the_seeds_plain_overlap_refuses_many_of_them():
    plain = [
        index(*PLAIN[:number], plain=True).first_nearly_the_same(PLAIN[number], 0.7) for number in range(len(PLAIN))
    ]
    assert sum(existing is not None for existing in plain) >= 10


@pytest.mark.parametrize(("first", "second"), SAME)
def test_rewordings_are_refused(first, second):
    assert not distinct(first, second)
    assert index(first).first_nearly_the_same(second, 0.6) == "0"


def test_one_reworded_content_word_of_many_is_no_new_statement():
    listed = "Projects: " + ", ".join(f"thing{letter * 3}" for letter in "abcdefghijklmnopqrstuvw")
    assert not distinct(listed, listed.replace("thingccc", "something"))
    assert distinct(f"{listed}, 5 of them", f"{listed}, 6 of them")
    assert distinct("Allergic to walnuts and eggs", "Allergic to penicillin and eggs")


@given(st.sampled_from([*PLAIN, *sum(SAME, ())]), st.sampled_from([*PLAIN, *sum(SAME, ())]))
def test_the_order_of_two_texts_plays_no_part(first, second):
    assert distinct(first, second) == distinct(second, first)


@given(st.text("ab cdé", max_size=30))
def test_a_text_is_not_distinct_from_itself(text):
    assert not distinct(text, text)
