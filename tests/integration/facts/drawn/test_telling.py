"""A second telling is a mention, a replacement that keeps the old words, or an addition. Nothing is dropped."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest

from memory.talk import context_provenance
from memory.upkeep import periodic as upkeep
from store.facts import facts
from tests.conversations import fact, judgement, todo
from tests.fakes.provider import Behaviour

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
HOME = {
    "entities": [{"type": "thing", "name": "home"}, {"type": "place", "name": "Austin, Texas"}],
    "fact_type": "fact",
}
AT_HOME = {"entities": [{"type": "thing", "name": "residence"}], "fact_type": "habit"}
MOVED = {"entities": [{"type": "thing", "name": "home"}, {"type": "place", "name": "Berlin"}], "fact_type": "fact"}


def statements(talk, known):
    with talk.store.transaction() as tx:
        return facts.statements(tx, talk.being.user_id, talk.being.being_id, known.fact_id)


def test_the_same_words_again_are_a_mention(talk):
    for message in ("m1", "m2"):
        talk.hears("I love tea!", fact("I love tea", "Loves tea.", message=message))
    (known,) = talk.facts()
    assert (known.content, known.mentions, known.sessions) == ("Loves tea.", 2, 1)


def test_other_words_for_the_same_are_a_mention(talk):
    talk.hears("I love tea!", fact("I love tea", "Loves tea."))
    talk.says("Tea is my favourite.")
    talk.answers(fact("Tea is my favourite", "Has tea as a favourite drink.", message="m2"))
    talk.compares(("n0.1", "same", "e0.0"))
    talk.judged()
    (known,) = talk.facts()
    assert (known.content, known.mentions) == ("Loves tea.", 2)


def test_a_contradiction_takes_the_place_of_the_old_words_and_keeps_them(talk):
    (first,) = talk.says("I live in Austin.")
    talk.answers(fact("I live in Austin", "Lives in Austin.", **HOME))
    talk.judged()
    talk.says("I've moved to Berlin.")
    talk.answers(fact("I've moved to Berlin", "Lives in Berlin.", message="m2", **MOVED))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    (known,) = talk.facts()
    assert known.content == "Lives in Berlin."
    assert known.entity_refs == ["thing:home", "place:berlin"]
    old, new = statements(talk, known)
    assert (old.content, old.replaced_by) == ("Lives in Austin.", new.statement_id)
    assert [evidence.message_id for evidence in old.evidence] == [first]


def test_what_only_adds_is_appended(talk):
    john = {"entities": [{"type": "person", "name": "John"}], "type": "PEOPLE", "fact_type": "relationship"}
    talk.hears("John is my cofounder.", fact("John is my cofounder", "John is my cofounder", **john))
    talk.says("John handles the backend.")
    talk.answers(fact("John handles the backend", "handles backend", message="m2", **john))
    talk.compares(("n0.1", "adds", None))
    talk.judged()
    (known,) = talk.facts()
    assert known.content == "John is my cofounder; handles backend"
    assert known.memory_key == "people|person|john|relationship"


@pytest.mark.parametrize(
    "answer", [("n0.1", "contradicts", "e9.9"), ("n9.9", "same", "e0.0"), ("e0.0", "same", "n0.1")]
)
def test_a_comparison_that_makes_no_sense_drops_nothing(talk, answer):
    talk.hears("I love tea!", fact("I love tea", "Loves tea."))
    talk.says("Only green tea.")
    talk.answers(fact("Only green tea", "Drinks only green tea.", message="m2"))
    talk.compares(answer)
    talk.judged()
    assert talk.contents() == ["Loves tea. Drinks only green tea."]


def test_homes_under_other_entities_meet_and_the_words_tell_whether_one_replaces_the_other(talk):
    def lives(city, **changes):
        return {"entities": [{"type": "place", "name": city}], "fact_type": "fact"} | changes

    talk.hears("I live in Austin.", fact("I live in Austin", "Lives in Austin.", **lives("Austin")))
    talk.says("I also have a flat in Rome.")
    talk.answers(fact("I also have a flat in Rome", "Has a home in Rome.", message="m2", **AT_HOME))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    assert talk.contents() == ["Lives in Austin. Has a home in Rome."]
    talk.says("We moved from Austin to Berlin.")
    talk.answers(fact("We moved from Austin to Berlin", "Lives in Berlin.", message="m3", **lives("Berlin")))
    talk.compares(("n0.2", "adds", None))
    talk.judged()
    assert talk.contents() == ["Has a home in Rome. Lives in Berlin."]


@pytest.mark.parametrize("answer", [("e0.0", "contradicts", "n0.1"), ("n0.1", "contradicts", None)])
def test_a_contradiction_is_understood_where_it_has_one_reading(talk, answer):
    talk.hears("I love tea!", fact("I love tea", "Loves tea."))
    talk.says("I hate tea.")
    talk.answers(fact("I hate tea", "Hates tea.", message="m2"))
    talk.compares(answer)
    talk.judged()
    assert talk.contents() == ["Hates tea."]


def test_two_statements_of_one_answer_are_compared_with_each_other(talk):
    talk.says("I live in Austin. No wait, since yesterday in Berlin!")
    talk.answers(
        fact("I live in Austin", "Lives in Austin.", **HOME),
        fact("since yesterday in Berlin", "Lives in Berlin.", **MOVED),
    )
    talk.compares(("n0.1", "contradicts", "n0.0"))
    talk.judged()
    assert talk.contents() == ["Lives in Berlin."]


def test_two_extractions_at_once_lose_neither_write(talk, other):
    talk.says("Loves tea.")
    other.says("Drinks tea every morning.")
    talk.provider.script(*(answering(words) for words in ("Loves tea.", "Drinks tea every morning.")))
    # On a busy machine one is through before the other begins, and is compared with.
    talk.compares(("n0.1", "adds", None))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: one.judged(), (talk, other)))
    (known,) = talk.facts()
    assert sorted(f"{one}." for one in known.content.rstrip(".").split(". ")) == [
        "Drinks tea every morning.",
        "Loves tea.",
    ]


def answering(words):
    return Behaviour(do="answer", on="messages", when=words, text=judgement(fact(words)))


def test_told_in_three_conversations_what_was_usual_is_significant(talk):
    for number in range(3):
        at = (NOON + timedelta(hours=number)).isoformat()
        talk.says({"role": "user", "content": "I love tea!", "created_at": at})
        # The judge is shown the session before, too.
        talk.answers(fact("I love tea", "Loves tea.", message="m2" if number else "m1"))
        talk.judged()
        (known,) = talk.facts()
        assert (known.sessions, known.importance) == (number + 1, 2 if number == 2 else 1)


@pytest.mark.parametrize(("said", "kept"), [(-4, 0), (0, 0), (3, 3), (99, 3)])
def test_importance_keeps_its_bounds(talk, said, kept):
    talk.hears("I love tea!", fact("I love tea", importance=said))
    assert talk.facts()[0].importance == kept


def test_pinned_is_as_important_as_can_be(talk):
    talk.hears("I love tea!", fact("I love tea", importance=0))
    (known,) = talk.facts()
    for pinned, importance in ((True, 3), (False, 0)):
        with talk.store.transaction() as tx:
            facts.pin(tx, talk.being.user_id, known.fact_id, pinned=pinned)
        assert talk.facts()[0].importance == importance


def test_what_is_said_in_confidence_stays_with_the_being_it_was_said_to(talk, other):
    talk.hears("Between you and me: I love tea.", fact("I love tea", "Loves tea.", in_confidence=True))
    assert talk.contents() == ["Loves tea."]
    assert other.contents() == []
    other.hears("I love tea.", fact("I love tea", "Is fond of tea."))
    assert other.contents() == ["Is fond of tea."]
    assert talk.contents() == ["Loves tea.", "Is fond of tea."]


def test_global_facts_are_known_to_every_being_of_the_user(talk, other):
    talk.hears("I love tea.", fact("I love tea", "Loves tea."))
    assert other.contents() == ["Loves tea."]


INJECTOR = "I am allergic to walnuts and always carry an injector with me in my bag."
CAKE = "I will bring the birthday cake to the party of Anna on the second of June."


def shows(talk, *pieces):
    with talk.store.transaction() as tx:
        context_provenance.record_context(tx, talk.being.being_id, "externalDialog", pieces)


def test_what_is_told_in_three_conversations_grows_though_contexts_showed_it(talk, clock):
    walnuts = {"entities": [{"type": "thing", "name": "walnuts"}], "fact_type": "fact", "message": "m1"}
    for time in range(3):
        clock.advance(days=8)
        talk.hears(INJECTOR, fact("I am allergic to walnuts", "Is allergic to walnuts.", **walnuts))
        (known,) = talk.facts()
        assert (known.mentions, known.importance) == (time + 1, 2 if time == 2 else 1)
        shows(talk, INJECTOR, known.content)


@pytest.mark.parametrize("named", [True, False])
def test_a_todo_that_is_told_again_is_renewed_though_a_context_showed_it(talk, clock, named):
    content = "Bring the birthday cake to the party of Anna on the second of June."
    talk.hears(CAKE, todos=[todo(CAKE, content)])
    (first,) = talk.todos()
    shows(talk, content, CAKE)
    clock.advance(days=30)
    talk.hears(CAKE, todos=[todo(CAKE, content, known="t1" if named else None)])
    (again,) = talk.todos()
    assert again.todo_id == first.todo_id
    assert again.last_told_at - first.last_told_at >= timedelta(days=29)
    clock.advance(days=75)
    upkeep.expire(talk.store, talk.settings)
    assert len(talk.todos()) == 1, "it expires 90 days after it was told last"


def test_a_todo_that_only_a_context_told_is_not_renewed(talk, clock):
    shown = "Bring the birthday cake with the candles to the party in the old mill."
    talk.hears("I'll do the cake.", todos=[todo("I'll do the cake", "Do the cake.")])
    shows(talk, shown)
    clock.advance(days=30)
    talk.says(shown)
    talk.answers(todos=[todo(shown, "Do the cake.", known="t1")])
    talk.judged()
    (known,) = talk.todos()
    assert known.last_told_at < known.created_at + timedelta(days=1)
