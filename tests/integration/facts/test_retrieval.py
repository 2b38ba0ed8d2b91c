"""Facts that matter are found: by meaning, freshness and company, with cards, and with what is pinned."""

import random
import re

import pytest

from memory.context.assembly import assemble
from memory.context.assembly_request import AssemblyRequest
from memory.facts import retrieval, seeding
from memory.facts.retrieval import FactQuery
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from schemas.context.context import ContextRequest
from schemas.facts.fact_requests import Seed
from schemas.settings import Settings

JOHN = {"type": "PEOPLE", "entity_refs": ["person:john"]}


def seed(talk, *seeds):
    seeding.seed(talk.store, Settings(), talk.being, [Seed.model_validate({"type": "PROFILE"} | one) for one in seeds])


def retrieve(talk, query, limit=5, settings=None):
    asked = FactQuery(query, limit, explain=True)
    return retrieval.retrieve(talk.store, talk.embedders, settings or talk.settings, talk.being, asked)


def contents(found):
    return [fact.content for fact in found.facts]


def test_facts_are_found_by_meaning(talk):
    seed(talk, {"content": "Drinks green tea every morning."}, {"content": "Works as a nurse at the hospital."})
    talk.embedded()
    found = retrieve(talk, "What is their job?", limit=1)
    assert contents(found) == ["Works as a nurse at the hospital."]
    assert not found.degraded


def test_every_score_is_explained(talk, clock):
    seed(talk, {"content": "John plays chess.", **JOHN, "fact_type": "habit"}, {"content": "John is tall.", **JOHN})
    seed(talk, {"content": "Chess is fun.", "entity_refs": ["thing:chess"]})
    talk.embedded()
    clock.advance(days=14)
    for why in retrieve(talk, "chess").explanation:
        assert why.recency == pytest.approx(0.5, abs=1e-4)
        assert why.frequency in {0.5, 1.0}
        assert why.score == pytest.approx(0.4 * why.similarity + 0.3 * why.recency + 0.3 * why.frequency)


def test_the_blend_can_be_turned_off(talk):
    seed(talk, {"content": "John plays chess.", **JOHN})
    talk.embedded()
    (why,) = retrieve(talk, "chess", settings=talk.settings.model_copy(update={"blended_ranking": False})).explanation
    assert why.score == why.similarity


def test_cards_tell_the_three_weightiest_other_facts_of_an_entity(talk):
    seed(
        talk,
        {"content": "John plays chess.", **JOHN, "fact_type": "habit", "importance": 3},
        *(
            {"content": content, "type": kind, "fact_type": fact_type, "importance": importance, "pinned": pinned}
            | {"entity_refs": ["person:john"]}
            for content, kind, fact_type, importance, pinned in [
                ("usual", "PEOPLE", "fact", 1, False),
                ("significant", "PEOPLE", "preference", 2, False),
                ("critical", "PEOPLE", "relationship", 3, False),
                ("pinned", "PEOPLE", "friction", 0, True),
                ("newer and significant", "PROJECT", "fact", 2, False),
            ]
        ),
    )
    talk.embedded()
    (card,) = retrieve(talk, "Who plays chess?", limit=1).cards
    assert card.text == "[person:john]: pinned; critical; newer and significant"


def test_pinned_facts_are_always_there(talk):
    seed(talk, *({"content": f"Fact {number}.", "pinned": True} for number in range(21)))
    found = retrieve(talk, "anything")
    assert [fact.content for fact in found.foundation] == [f"Fact {number}." for number in range(20)]


def test_another_beings_confidences_and_archived_facts_are_not_found(talk, other):
    seed(other, {"content": "Loves green tea.", "in_confidence": True, "entity_refs": ["thing:tea"], "pinned": True})
    seed(talk, {"content": "Drinks tea.", "entity_refs": ["thing:tea"]})
    talk.embedded()
    with talk.store.transaction() as tx:
        tx.execute("update memory.facts set status = 'ARCHIVED' where being_id is null")
    found = retrieve(talk, "tea")
    assert (found.facts, found.cards, found.foundation) == ([], [], [])
    assert contents(retrieve(other, "tea")) == ["Loves green tea."]


def test_without_vectors_words_have_to_do(talk):
    seed(talk, {"content": "Drinks green tea."}, {"content": "Works as a nurse."})
    found = retrieve(talk, "green tea?")
    assert (contents(found), found.degraded) == (["Drinks green tea."], True)


def test_a_fact_without_a_vector_is_found_by_words_beside_those_that_have_one(talk):
    seed(talk, {"content": "Works as a nurse at the hospital."}, {"content": "Drinks green tea every morning."})
    talk.embedded()
    seed(talk, {"content": "Collects porcelain teapots."})
    found = retrieve(talk, "teapots")
    assert contents(found)[0] == "Collects porcelain teapots."
    assert not found.degraded


def test_a_fact_that_gets_its_vector_meanwhile_is_found(talk, monkeypatch):
    seed(talk, {"content": "Works as a nurse at the hospital."})
    talk.embedded()
    seed(talk, {"content": "Collects porcelain teapots."})
    nearest = retrieval.fact_vectors.nearest

    def embedded_meanwhile(*asked):
        found = nearest(*asked)
        talk.embedded()
        return found

    monkeypatch.setattr(retrieval.fact_vectors, "nearest", embedded_meanwhile)
    assert contents(retrieve(talk, "teapots"))[:1] == ["Collects porcelain teapots."]


def test_before_the_first_fact_nothing_is_worse_than_it_should_be(talk):
    assert not retrieve(talk, "green tea?").degraded


def test_a_key_that_is_missing_swaps_no_embedder(talk):
    seed(talk, {"content": "Drinks green tea."})
    talk.embedded()
    with talk.store.transaction() as tx:
        tx.execute("update memory.fact_states set embedding_model = 'text-embedding-3-small'")
    talk.embedders = Embedders(Settings(embedder="auto"))
    assert retrieve(talk, "green tea?").degraded


def test_an_empty_query_is_an_error(talk):
    with pytest.raises(InvalidRequest):
        retrieve(talk, "  ")


def test_facts_that_have_little_in_common_with_a_query_are_retrieved_where_there_are_no_others(talk):
    seed(talk, {"content": "Works as a nurse."}, {"content": "Drinks green tea."}, {"content": "Has a cat."})
    talk.embedded()
    assert len(contents(retrieve(talk, "Hello again."))) == 3


BOOKS = tuple(f"{begin} {title}." for title in (
    "Dune", "Emma", "Ulysses", "Beloved", "Persuasion", "Moby Dick", "Middlemarch", "Jane Eyre",
) for begin in ("Has read the novel", "Loves the book", "Owns an old edition of"))  # fmt: skip
ALLERGY = {"content": "Is allergic to hazelnuts.", "importance": 3}
PINNED = {"content": "Wants to be called Ada.", "pinned": True}
SISTER = {"content": "The sister Ida is a judge.", **JOHN, "type": "PEOPLE", "importance": 3}


@pytest.fixture
def shown(talk):
    """The facts of a context for a message, in their order, within a target."""

    def facts(message, tokens=1500):
        settings = talk.settings.model_copy(update={"rag_tokens": tokens})
        asked = AssemblyRequest(ContextRequest(), message)
        context = assemble(talk.store, talk.embedders, settings, talk.being, asked, random.Random(1))
        return re.findall("<fact said=.*>\n(.*)\n</fact>", context.text)

    return facts


@pytest.mark.parametrize("message", [None, "Hello again.", "What should I read next?"])
def test_facts_that_fit_are_all_shown_in_the_order_in_which_they_were_told(talk, shown, message):
    seed(talk, ALLERGY, *({"content": content} for content in BOOKS), PINNED)
    talk.embedded()
    assert shown(message) == [ALLERGY["content"], *BOOKS, PINNED["content"]]


def test_of_many_facts_a_greeting_brings_those_that_always_matter_and_a_question_the_relevant_ones_too(talk, shown):
    seed(talk, *({"content": content} for content in BOOKS), ALLERGY, PINNED, SISTER)
    talk.embedded()
    always = {ALLERGY["content"], PINNED["content"]}
    for greeting in (None, "Hello again.", "Guten Morgen!", "Thank you so much, good night"):
        assert {*shown(greeting, tokens=300)} == always
    assert {*shown("What should I cook tonight?", tokens=300)} >= always
    read = {*shown("Which novel by Melville have I read, Moby Dick?", tokens=300)}
    assert always < read
    assert "Has read the novel Moby Dick." in read
    assert SISTER["content"] not in read


def test_cards_stand_on_top_of_the_relevant_facts_and_repeat_none(talk):
    john = [{"content": f"John {does}.", **JOHN, "importance": 2} for does in ("is tall", "sings", "has two cats")]
    seed(talk, *({"content": content} for content in BOOKS), {"content": "John plays chess.", **JOHN}, *john)
    talk.embedded()
    settings = talk.settings.model_copy(update={"rag_tokens": 300})
    asked = AssemblyRequest(ContextRequest(), "Who plays chess?")
    text = assemble(talk.store, talk.embedders, settings, talk.being, asked, random.Random(1)).text
    assert text.count("John plays chess.") == 1
    assert all(text.count(one["content"].removesuffix(".")) == 1 for one in john)
    if "<card " in text:
        assert text.index("<card ") < text.index("John plays chess.")
