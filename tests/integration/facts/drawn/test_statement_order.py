"""A fact is what its statements say in the order of their dates, in whatever order they come in and go."""

import itertools
import json
from datetime import UTC, datetime, timedelta

import pytest

from memory.accounts import erasure
from memory.facts import seeding
from memory.talk import confidences
from schemas.facts.fact_requests import FactChanges, Seed
from tests.conversations import fact, judgement
from tests.fakes.provider import Behaviour

NEW_YEAR = datetime(2025, 1, 1, 12, 0, tzinfo=UTC)
HOME = {"entities": [{"type": "thing", "name": "home"}], "fact_type": "fact"}
CITIES = (
    "Austin",
    "Berlin",
    "Cairo",
    "Delhi",
    "Espoo",
    "Florence",
    "Galway",
    "Hanoi",
    "Izmir",
    "Jena",
    "Kyoto",
    "Lima",
)


def moved(city, month):
    """A message of some month of 2025 about living in a city."""
    return {
        "role": "user",
        "content": f"I live in {city}.",
        "created_at": (NEW_YEAR + timedelta(days=30 * month)).isoformat(),
    }


def homes(*cities):
    return [
        fact(f"I live in {city}", f"Lives in {city}.", message=f"m{place}", **HOME)
        for place, city in enumerate(cities, 1)
    ]


def tell(talk, city, month, contradicts=()):
    """The user says where they live or lived, and a model compares that with other homes."""
    (message_id,) = talk.says(moved(city, month))
    talk.provider.reset()
    talk.answers(fact(f"I live in {city}", f"Lives in {city}.", message="m1", **HOME))
    if contradicts:
        talk.compares(*contradicts)
    talk.judged()
    return message_id


def test_an_import_of_dated_moves_ends_with_the_last_home_and_a_straight_history(talk):
    order = [5, 11, 0, 3, 8, 1, 10, 2, 7, 4, 9, 6]
    talk.says(*(moved(CITIES[month], month) for month in order))
    talk.settings = talk.settings.model_copy(update={"judge_messages": 1})
    # Each session is judged by itself, in any order of sessions; the model names one contradiction for each.
    said = {city: judgement(*homes(city)) for city in CITIES}
    for city in CITIES:
        talk.provider.script(Behaviour(do="answer", on="messages", when=f"I live in {city}.", text=said[city]))
    talk.provider.script(
        Behaviour(
            do="answer",
            on="messages",
            when='ref="n0.1"',
            text=json.dumps({"comparisons": [{"new": "n0.1", "relation": "contradicts", "earlier": "e0.0"}]}),
        ),
        *(
            Behaviour(
                do="answer",
                on="messages",
                when=f'ref="n0.{number}"',
                text=json.dumps(
                    {"comparisons": [{"new": f"n0.{number}", "relation": "contradicts", "earlier": f"e0.{number - 1}"}]}
                ),
            )
            for number in range(2, 12)
        ),
    )
    talk.judged()
    content, replaced = talk.history()
    assert content == "Lives in Lima."
    assert replaced == {**dict(itertools.pairwise(f"Lives in {city}." for city in CITIES)), "Lives in Lima.": None}
    shown = [request.prompt for request in talk.provider.requests if '<earlier ref="e0.0"' in request.prompt]
    assert len(shown) == 11
    assert all('said="2025-' in prompt for prompt in shown)


def test_an_older_message_that_comes_in_late_is_history(talk):
    tell(talk, "Berlin", 11)
    tell(talk, "Austin", 1, [("n0.1", "contradicts", "e0.0")])
    assert talk.history() == ("Lives in Berlin.", {"Lives in Berlin.": None, "Lives in Austin.": "Lives in Berlin."})


@pytest.mark.parametrize("arrival", list(itertools.permutations(range(3))))
def test_taking_a_statement_out_gives_what_would_have_been_without_it(talk, arrival):
    ids = {}
    for place, month in enumerate(arrival):
        compared = [(f"n0.{place}", "contradicts", f"e0.{other}") for other in range(place)]
        ids[month] = tell(talk, CITIES[month], month, compared)
    assert talk.history()[0] == "Lives in Cairo."
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [ids[1]])
    assert talk.history() == ("Lives in Cairo.", {"Lives in Austin.": "Lives in Cairo.", "Lives in Cairo.": None})
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [ids[2]])
    assert talk.history() == ("Lives in Austin.", {"Lives in Austin.": None})


def test_what_is_said_again_later_stands_again(talk):
    tell(talk, "Austin", 1)
    tell(talk, "Berlin", 2, [("n0.1", "contradicts", "e0.0")])
    tell(talk, "Austin", 3)
    assert talk.history() == ("Lives in Austin.", {"Lives in Austin.": None, "Lives in Berlin.": "Lives in Austin."})


def test_what_contradicts_two_that_agree_leaves_both_when_it_is_taken_out(talk):
    vegetarian = {"entities": [{"type": "thing", "name": "diet"}], "fact_type": "habit"}
    for place, (words, compared) in enumerate(
        [
            ("I eat no meat.", ()),
            ("I eat no fish.", ()),
            ("I eat sushi.", (("n0.2", "contradicts", "e0.0"), ("n0.2", "contradicts", "e0.1"))),
        ],
        1,
    ):
        said = talk.says(words)
        talk.answers(fact(words, message=f"m{place}", **vegetarian))
        if place > 1:
            talk.compares(*(compared or [("n0.1", "adds", None)]))
        talk.judged()
    assert talk.contents() == ["I eat sushi."]
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], said)
    assert talk.contents() == ["I eat no meat. I eat no fish."]


def test_a_correction_holds_against_older_messages_and_yields_to_newer_ones(talk):
    tell(talk, "Austin", 1)
    (known,) = talk.facts()
    confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(content="Lives in Bonn."))
    tell(talk, "Cairo", 2, [("n0.2", "contradicts", "e0.1")])
    assert talk.contents() == ["Lives in Bonn."]
    talk.says("I live in Delhi.")
    talk.provider.reset()
    talk.answers(fact("I live in Delhi", "Lives in Delhi.", **HOME))
    talk.compares(("n0.3", "contradicts", "e0.2"))
    talk.judged()
    assert talk.contents() == ["Lives in Delhi."]


def seed(talk, content, **changes):
    item = {"type": "PEOPLE", "entity_refs": ["person:sarah"], "content": content} | changes
    return seeding.seed(talk.store, talk.settings, talk.being, [Seed.model_validate(item)])


SARAH = {"type": "PEOPLE", "subject": "Sarah", "fact_type": "fact", "entities": [{"type": "person", "name": "Sarah"}]}


def test_importance_follows_the_statement_that_stands(talk):
    talk.hears("Sarah wore a green hat.", fact("Sarah wore a green hat", **SARAH, importance=0))
    (died,) = talk.says("Sarah has died.")
    talk.answers(fact("Sarah has died", **SARAH, message="m2", importance=3))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    (known,) = talk.facts()
    assert (known.content, known.importance) == ("Sarah has died", 3)
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [died])
    assert [(one.content, one.importance) for one in talk.facts()] == [("Sarah wore a green hat", 0)]


@pytest.mark.parametrize("content", ["Sarah is the user's sister.", "sarah sings"])
def test_a_seed_pins_and_weighs_what_a_judge_found(talk, content):
    talk.hears("Sarah sings.", fact("Sarah sings", **SARAH, importance=0))
    seed(talk, content, pinned=True, importance=3)
    (known,) = talk.facts()
    assert (known.pinned, known.importance) == (True, 3)


def test_a_persons_pin_outlasts_every_statement(talk):
    talk.hears("Sarah sings.", fact("Sarah sings", **SARAH))
    (known,) = talk.facts()
    confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(pinned=True))
    talk.says("Sarah doesn't sing any more.")
    talk.answers(fact("Sarah doesn't sing any more", **SARAH, message="m2"))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    assert [(one.content, one.pinned) for one in talk.facts()] == [("Sarah doesn't sing any more", True)]
    confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(pinned=False, importance=2))
    assert [(one.pinned, one.importance) for one in talk.facts()] == [(False, 2)]


def test_a_bystanders_home_is_no_home_of_the_users(talk):
    talk.hears("I live in Austin.", fact("I live in Austin", "Lives in Austin.", **HOME))
    talk.says({"role": "other", "speaker": "Anna", "content": "I live in Berlin."}, "Nice.")
    talk.answers(
        fact("I live in Berlin", "Anna lives in Berlin.", message="m2", speaker="Anna", subject="Anna", **HOME)
    )
    talk.judged()
    home, annas = talk.facts()
    assert (home.content, home.memory_key) == ("Lives in Austin.", "profile|thing|home|fact")
    assert (annas.content, annas.type, annas.memory_key) == (
        "Anna lives in Berlin.",
        "PEOPLE",
        "people|thing|home|fact|anna",
    )
    assert annas.entity_refs == ["thing:home", "person:anna"]


def test_an_item_that_the_judge_is_not_sure_of_is_dropped(talk):
    talk.hears("Tea again.", fact("Tea again", "Loves tea.", confidence=0.3))
    assert (talk.facts(), talk.dropped()) == ([], {"not sure": 1})
