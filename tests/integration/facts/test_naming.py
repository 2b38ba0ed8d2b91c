"""Names that were only heard differently become one entity where that is safe, and are proposed where it is not."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from operations.facts.entities import list_entities, list_merges, merge_entities, part_entities, propose_merge
from operations.facts.facts import erase_fact
from schemas.errors import NotFound, Refused
from schemas.facts.fact_requests import ProposedMerge
from store.accounts import users
from store.facts import entities
from tests.conversations import fact, judgement
from tests.databases import answer_of
from tests.fakes.provider import Behaviour


def person(talk, name, statement, *others, message="m1", **changes):
    """The user says something about a person, and a fact is extracted."""
    named = [{"type": "person", "name": name}, *({"type": "org", "name": other} for other in others)]
    talk.says(statement)
    usual = {"type": "PEOPLE", "fact_type": "fact", "subject": name, "entities": named}
    talk.answers(fact(statement, message=message, **(usual | changes)))
    talk.judged()


def states(talk):
    with talk.store.transaction() as tx:
        return [
            (one.kept_ref, one.merged_ref, one.state)
            for one in entities.merges(tx, talk.being.user_id, talk.being.being_id, state=None, limit=9)
        ]


def listed(talk):
    return answer_of(talk.store, list_entities, talk.being, muted=True, limit=9).entities


def propose(talk, kept, merged, *, accept):
    wanted = ProposedMerge(kept_ref=kept, merged_ref=merged, accept=accept)
    return answer_of(talk.store, propose_merge, talk.being, wanted)


def decide(talk, how):
    (proposal,) = answer_of(talk.store, list_merges, talk.being, muted=True, limit=9).proposals
    answer_of(talk.store, how, talk.being, proposal.merge_id)


def test_a_name_that_reads_the_same_is_merged(talk):
    person(talk, "John", "John sings.", fact_type="habit")
    person(talk, "Jon", "Jon is tall.", message="m2")
    assert states(talk) == [("person:john", "person:jon", "merged")]
    assert [known.entity_refs for known in talk.facts()] == [["person:john"], ["person:john"]]


def test_a_name_that_only_sounds_alike_is_proposed(talk):
    person(talk, "Mukesh", "Mukesh sings.", fact_type="habit")
    person(talk, "Makesh", "Makesh is tall.", message="m2")
    assert states(talk) == [("person:mukesh", "person:makesh", "proposed")]
    assert [known.entity_refs for known in talk.facts()] == [["person:mukesh"], ["person:makesh"]]


@pytest.mark.parametrize(("one", "other"), [("Mukesh", "Makesh"), ("Robert", "Bob")])
def test_evidence_that_comes_later_makes_it_safe(talk, one, other):
    kept, merged = f"person:{one.lower()}", f"person:{other.lower()}"
    person(talk, one, f"{one} sings.", fact_type="habit")
    person(talk, other, f"{other} is tall.", message="m2")
    assert states(talk) == [(kept, merged, "proposed")]
    person(talk, one, f"{one} met Priya.", "Priya", message="m3", fact_type="relationship")
    assert states(talk) == [(kept, merged, "proposed")]
    person(talk, other, f"{other} likes Priya.", "Priya", message="m4", fact_type="preference")
    assert states(talk) == [(kept, merged, "merged")]


def test_evidence_changes_nothing_that_a_person_decided(talk):
    person(talk, "Robert", "Robert sings.", fact_type="habit")
    person(talk, "Bob", "Bob is tall.", message="m2")
    decide(talk, part_entities)
    person(talk, "Robert", "Robert met Priya.", "Priya", message="m3", fact_type="relationship")
    person(talk, "Bob", "Bob likes Priya.", "Priya", message="m4", fact_type="preference")
    assert [state for _, _, state in states(talk)] == ["declined"]


def test_the_users_own_name_is_the_user(talk):
    with talk.store.transaction() as tx:
        name = users.get_user(tx, talk.being.user_id).name
    tea = [{"type": "person", "name": name}, {"type": "thing", "name": "tea"}]
    talk.hears("I love tea.", fact("I love tea", "Loves tea.", subject=name, speaker=name, entities=tea))
    (known,) = talk.facts()
    assert (known.type, known.entity_refs) == ("PROFILE", ["thing:tea", "person:user"])


def test_shared_company_makes_it_safe(talk):
    person(talk, "Mukesh", "Mukesh works at Acme.", "Acme")
    person(talk, "Makesh", "Makesh leads sales at Acme.", "Acme", message="m2", fact_type="habit")
    assert states(talk) == [("person:mukesh", "person:makesh", "merged")]


def test_two_who_are_named_in_one_message_are_two(talk):
    talk.says("Jon met John.")
    usual = {"type": "PEOPLE", "subject": "Jon", "fact_type": "fact"}
    talk.answers(
        fact(
            "Jon met John",
            "Jon knows John.",
            entities=[{"type": "person", "name": name} for name in ("Jon", "John")],
            **usual,
        )
    )
    talk.judged()
    assert states(talk) == []


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("John Smith", "John Miller"),
        ("Maria", "Mario"),
        ("Paul", "Paula"),
        ("Mr. Smith", "Mrs. Smith"),
        ("田中", "中田"),
    ],
)
def test_other_people_stay_others(talk, one, another):
    person(talk, one, f"{one} sings.")
    person(talk, another, f"{another} is tall.", message="m2")
    assert states(talk) == []
    assert len({known.memory_key for known in talk.facts()}) == 2


def test_merging_joins_facts_of_one_key_and_undoing_parts_them(talk):
    person(talk, "Mukesh", "Mukesh sings.")
    person(talk, "Makesh", "Makesh is tall.", message="m2")
    before = [(known.fact_id, known.content, known.entity_refs, known.memory_key) for known in talk.facts()]
    decide(talk, merge_entities)
    (joined,) = talk.facts()
    assert (joined.content, joined.entity_refs, joined.mentions) == (
        "Mukesh sings. Makesh is tall.",
        ["person:mukesh"],
        2,
    )
    decide(talk, part_entities)
    assert [(known.fact_id, known.content, known.entity_refs, known.memory_key) for known in talk.facts()] == before


def test_what_is_told_under_a_merged_name_goes_where_it_belongs_when_that_is_undone(talk):
    person(talk, "John", "John sings.")
    talk.says("Jon is tall.")
    talk.answers(
        fact(
            "Jon is tall",
            message="m2",
            type="PEOPLE",
            subject="Jon",
            fact_type="fact",
            entities=[{"type": "person", "name": "Jon"}],
        )
    )
    talk.compares(("n0.1", "adds", None))
    talk.judged()
    assert talk.contents() == ["John sings. Jon is tall"]
    decide(talk, part_entities)
    assert [(known.content, known.memory_key) for known in talk.facts()] == [
        ("John sings.", "people|person|john|fact"),
        ("Jon is tall", "people|person|jon|fact"),
    ]


def test_titles_and_honorifics_are_no_names(talk):
    person(talk, "Dr. Anna Weber", "Dr. Anna Weber sings.")
    person(talk, "Anna Weber", "Anna Weber is tall.", message="m2", fact_type="habit")
    person(talk, "田中さん", "田中さんは歌う。", message="m3")
    assert [known.entity_refs for known in talk.facts()] == [
        ["person:anna_weber"],
        ["person:anna_weber"],
        ["person:田中"],
    ]


JON = {"type": "PEOPLE", "fact_type": "fact", "subject": "Jon", "entities": [{"type": "person", "name": "Jon"}]}


def test_a_name_told_in_confidence_shows_in_no_other_beings_lists(talk, other):
    person(talk, "John", "John sings.")
    other.hears("Jon is ill.", fact("Jon is ill", **JON, in_confidence=True))
    assert states(talk) == states(other) == []
    assert [(one.label, one.aliases) for one in listed(talk)] == [("John", [])]
    person(talk, "Jon", "Jon is tall.", message="m2", fact_type="habit")
    assert states(talk) == [("person:john", "person:jon", "merged")]
    assert [(one.label, one.aliases) for one in listed(talk)] == [("John", ["person:jon"])]


def test_a_label_heard_in_confidence_is_shown_to_no_other_being_that_hears_the_same_name(talk, other):
    secret = JON | {"entities": [{"type": "person", "name": "JON"}]}
    talk.hears("JON drinks, between us.", fact("JON drinks", **secret, in_confidence=True))
    other.hears("Jon is ill.", fact("Jon is ill", **JON))

    def labels(one):
        return [entity.label for entity in listed(one)]

    assert labels(other) == ["Jon"]
    assert labels(talk) == ["JON"], "the Being itself goes on calling him what it heard first"
    other.provider.reset()
    other.hears("He is well.")
    assert "JON" not in other.provider.requests[0].prompt
    assert "person Jon" in other.provider.requests[0].prompt


def test_a_label_goes_with_the_last_statement_of_its_scope(talk, other):
    other.hears("Jon is ill.", fact("Jon is ill", **JON))
    talk.hears(
        "Jon drinks.", fact("Jon drinks", **JON | {"entities": [{"type": "person", "name": "JON"}]}, in_confidence=True)
    )
    (known,) = [one for one in talk.facts() if one.being_id]
    answer_of(talk.store, erase_fact, talk.being, known.fact_id)

    assert [entity.label for entity in listed(talk)] == ["Jon"]
    with talk.store.transaction() as tx:
        assert [row["label"] for row in tx.execute("select label from memory.entity_labels")] == ["Jon"]


def test_a_name_stands_for_none_that_was_told_in_confidence(talk, other):
    other.hears(
        "John is ill.",
        fact("John is ill", **JON | {"entities": [{"type": "person", "name": "John"}]}, in_confidence=True),
    )
    other.hears("Jon is ill.", fact("Jon is ill", **JON, message="m2", in_confidence=True))
    person(talk, "Jon", "Jon is tall.")
    (known,) = talk.facts()
    assert (known.entity_refs, known.memory_key) == (["person:jon"], "people|person|jon|fact")


def test_a_word_too_long_for_a_name_is_none(talk):
    long = "abcdefghijklmnopqrstuvwxyz0123456789" * 200
    talk.hears(f"I love {long}.", fact("I love", "Loves it.", entities=[{"type": "thing", "name": long}]))
    assert (talk.facts(), talk.dropped(), talk.unjudged()) == ([], {"about nothing": 1}, 0)


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("John Doe", "John"),
        ("Steven", "Stephen"),
        ("Katherine", "Kate"),
        ("Robert", "Bob"),
        ("Robert Hale", "Bob Hale"),
    ],
)
@pytest.mark.parametrize("order", [1, -1])
def test_short_forms_and_parts_of_names_are_proposed_in_either_order(talk, one, another, order):
    for message, name in enumerate((one, another)[::order], 1):
        person(talk, name, f"{name} sings.", message=f"m{message}", fact_type=("habit", "fact")[message - 1])
    ((kept, merged, state),) = states(talk)
    assert ({kept, merged}, state) == (
        {f"person:{name.lower().replace(' ', '_')}" for name in (one, another)},
        "proposed",
    )


def test_variants_that_come_in_one_batch_are_compared_with_each_other(talk):
    talk.says("Mukesh sings.", "Makesh is tall.")
    usual = {"type": "PEOPLE", "fact_type": "fact"}
    talk.answers(
        *(
            fact(words, message=f"m{place}", subject=name, entities=[{"type": "person", "name": name}], **usual)
            for place, (name, words) in enumerate((("Mukesh", "Mukesh sings"), ("Makesh", "Makesh is tall")), 1)
        )
    )
    talk.judged()
    assert states(talk) == [("person:makesh", "person:mukesh", "proposed")]


def test_variants_in_two_sessions_that_are_judged_together_are_compared(talk, other):
    for one, name in ((talk, "Mukesh"), (other, "Makesh")):
        one.says(f"{name} sings.")
    usual = {"type": "PEOPLE", "fact_type": "fact"}
    for name in ("Mukesh", "Makesh"):
        said = fact(f"{name} sings", subject=name, entities=[{"type": "person", "name": name}], **usual)
        talk.provider.script(Behaviour(do="answer", on="messages", when=f"{name} sings", text=judgement(said)))
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda one: one.judged(), (talk, other)))
    ((kept, merged, state),) = states(talk)
    assert ({kept, merged}, state) == ({"person:mukesh", "person:makesh"}, "proposed")


def test_a_person_proposes_and_accepts_a_merge(talk):
    person(talk, "Maggie", "Maggie sings.")
    person(talk, "Mum", "Mum is tall.", message="m2", fact_type="habit")
    proposed = answer_of(
        talk.store,
        propose_merge,
        talk.being,
        ProposedMerge(kept_ref="person:maggie", merged_ref="person:mum", accept=False),
    )
    assert states(talk) == [("person:maggie", "person:mum", "proposed")]
    answer_of(talk.store, merge_entities, talk.being, proposed.merge_id)
    assert {known.entity_refs[0] for known in talk.facts()} == {"person:maggie"}
    with pytest.raises(Refused):
        answer_of(
            talk.store,
            propose_merge,
            talk.being,
            ProposedMerge(kept_ref="person:maggie", merged_ref="person:mum", accept=True),
        )
    answer_of(talk.store, part_entities, talk.being, proposed.merge_id)
    assert (
        answer_of(
            talk.store,
            propose_merge,
            talk.being,
            ProposedMerge(kept_ref="person:mum", merged_ref="person:maggie", accept=True),
        ).state
        == "merged"
    )
    with pytest.raises(NotFound):
        answer_of(
            talk.store,
            propose_merge,
            talk.being,
            ProposedMerge(kept_ref="person:maggie", merged_ref="person:nobody", accept=True),
        )
