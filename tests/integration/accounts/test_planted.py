"""No prompt about one Being holds a word that was planted in its sibling; see tests/planted.py."""

import pytest

from memory.facts import seeding
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.facts.requests import Seed
from schemas.settings import Settings
from store.accounts import users
from tests.conversations import Talk, fact, todo
from tests.fakes.provider import running_provider
from tests.planted import PRIVATE, SHARED, plant, unplanted
from tests.thinking import Answers, Life, thinking_settings

PURPOSES = {
    "Classification",
    "Consolidation",
    "DiaryPages",
    "Judgement",
    "Reconciliation",
    "RepairedScene",
    "RollingSummary",
    "SessionWithScenes",
    "Split",
    "SummarySpine",
}
EVENTS = [
    "apples",
    "boats",
    "chess",
    "drums",
    "eels",
    "figs",
    "geese",
    "hats",
    "inns",
    "jars",
    "kites",
    "lamps",
    "maps",
    "nuts",
]


@pytest.fixture
def sibling(store, user, being):
    """A Being whose sibling is full of the planted word; whatever it has thought about, the provider was asked."""
    plant(store, being)
    with running_provider() as provider:
        settings = thinking_settings(provider, judge_messages=1)
        with store.transaction() as tx:
            new = users.add_being(tx, user.user_id, "sibling", "Sibling")
        yield Life(store, provider, Answers(), new.being_id, settings)


def test_the_word_is_in_every_text_of_a_being(store, being):
    plant(store, being)
    with store.transaction() as tx:
        assert unplanted(tx, being) == set()


def test_a_text_that_nothing_was_planted_in_is_found(store, being):
    plant(store, being)
    with store.transaction() as tx:
        tx.execute("create table memory.secrets (being_id uuid primary key, words text)")
        tx.execute("alter table memory.todos add column whispered jsonb")
        assert unplanted(tx, being) == {"secrets.words", "todos.whispered"}


def test_no_prompt_of_a_sibling_holds_the_word(sibling, clock, store):
    with store.transaction() as tx:
        being = users.get_being(tx, sibling.being_id)
    settings = sibling.settings
    talk = Talk(store, sibling.provider, being, settings, Thinkers(settings), Embedders(settings))
    # It hears what its sibling was told, by the very same names.
    names = [{"type": "thing", "name": f"{PRIVATE[:4]}…"}, {"type": "thing", "name": SHARED}]
    seeding.seed(store, Settings(), being, [Seed(type="PROFILE", content="Bakes.", entity_refs=[f"thing:{SHARED}"])])
    talk.hears(
        "I live in Austin.", fact("I live in Austin", entities=names, fact_type="fact"), todos=(todo("I live in"),)
    )
    talk.hears("I live in Berlin.", fact("I live in Berlin", message="m2", entities=names, fact_type="fact"))
    talk.says(*(f"Word {number}." for number in range(25)))
    talk.judged()
    clock.advance(hours=1)
    talk.says("A new day.")
    talk.judged()
    talk.summed_up()
    sibling.tell(*EVENTS)
    sibling.hand_in("no scene at all")
    sibling.patrol()
    clock.advance(hours=25)
    sibling.tell("One more event.")
    sibling.patrol()

    asked = [request for request in sibling.provider.requests if request.endpoint == "messages"]
    assert {request.purpose for request in asked} == PURPOSES
    assert any(SHARED in request.prompt for request in asked), "what is the user's is known to both"
    assert [request.purpose for request in asked if PRIVATE in request.prompt.lower()] == []
