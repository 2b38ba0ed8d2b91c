"""People introduce, correct, pin, archive, restore and erase what is known; and what goes with a message."""

import json

import pytest

from memory.accounts import erasure
from memory.accounts.being_export import export_lines
from memory.facts import seeding
from memory.talk import confidences
from memory.upkeep import periodic
from operations.facts.entities import list_merges, merge_entities
from operations.facts.facts import erase_fact, show_fact
from operations.facts.todos import erase_todo
from schemas.errors import NotFound, Refused
from schemas.facts.fact_requests import FactChanges, Seed, TodoChanges
from schemas.settings import Settings
from store.accounts import users
from store.facts import curator
from tests.conversations import fact, todo
from tests.databases import answer_of

TEA = {"type": "PROFILE", "content": "Drinks tea.", "entity_refs": ["thing:tea"]}


def seed(talk, *seeds):
    return seeding.seed(talk.store, Settings(), talk.being, [Seed.model_validate(one) for one in seeds])


def change(talk, known, **changes):
    return confidences.change_fact(talk.store, talk.being, known.fact_id, FactChanges(**changes))


def erase(talk, *message_ids):
    return erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], message_ids)


def test_an_introduction_is_taken_once(talk, other):
    for repeated in (0, 2):
        seeded = seed(talk, TEA, {"type": "OPEN_LOOP", "content": "Find a flat."})
        assert (seeded.facts, seeded.todos, seeded.repeated) == ((1, 1, 0) if not repeated else (0, 0, 2))
    (known,) = other.facts()
    assert (known.content, known.source, known.memory_key) == (
        "Drinks tea.",
        "seeded_profile",
        "profile|thing|tea|fact",
    )
    assert [(open_.kind, open_.content) for open_ in talk.todos()] == [("thread", "Find a flat.")]
    assert other.todos() == []


def test_events_of_a_fact_are_let_go_apart_from_those_that_explain_it(talk, clock):
    seed(talk, TEA)
    (known,) = talk.facts()
    for pinned in (True, False, True, False):
        change(talk, known, pinned=pinned)
    change(talk, known, status="ARCHIVED")

    def events():
        return [event.event for event in answer_of(talk.store, show_fact, talk.being, True, known.fact_id).history]

    before = events()
    assert before.count("pinned") == before.count("unpinned") == 2
    clock.advance(days=399)
    periodic.expire(talk.store, Settings())
    assert events() == before
    clock.advance(days=2)
    periodic.expire(talk.store, Settings())
    assert events() == [
        event for place, event in enumerate(before) if event == "born" or event not in before[place + 1 :]
    ]
    assert {"born", "pinned", "unpinned", "archived"} <= set(events())


def exported_seeds(talk):
    lines = map(json.loads, b"".join(export_lines(talk.store, talk.being)).splitlines())
    return [(line["content"]["content"], line["of"]) for line in lines if line["kind"] == "seed"]


def test_a_seed_is_of_the_being_that_alone_was_told(talk, other):
    secret, loop = (
        TEA | {"content": "Hates tea.", "in_confidence": True},
        {"type": "OPEN_LOOP", "content": "Find a flat."},
    )
    seed(talk, TEA, secret, loop)

    assert exported_seeds(talk) == [("Drinks tea.", "user"), ("Hates tea.", "being"), ("Find a flat.", "being")]
    assert exported_seeds(other) == [("Drinks tea.", "user")]
    again = seed(other, TEA, secret, loop)
    assert (again.facts, again.todos, again.repeated) == (1, 1, 1), "what it was not told is new to it"
    erasure.erase_being(talk.store, talk.being)
    assert exported_seeds(other) == [("Drinks tea.", "user"), ("Hates tea.", "being"), ("Find a flat.", "being")]


def test_a_correction_keeps_what_was_said(talk):
    talk.hears("I love tea!", fact("I love tea", "Loves tea."))
    (known,) = talk.facts()
    assert change(talk, known, content="Loves green tea.").content == "Loves green tea."
    story = answer_of(talk.store, show_fact, talk.being, True, known.fact_id)
    assert [(one.content, one.source) for one in story.statements] == [
        ("Loves tea.", "shadow_extraction"),
        ("Loves green tea.", "corrected"),
    ]


def test_a_pinned_fact_is_not_archived(talk):
    seed(talk, TEA)
    (known,) = talk.facts()
    change(talk, known, pinned=True)
    with pytest.raises(Refused, match="pinned"):
        change(talk, known, status="ARCHIVED")
    change(talk, known, pinned=False, status="ARCHIVED")
    assert talk.facts() == []
    change(talk, known, status="ACTIVE")
    assert talk.contents() == ["Drinks tea."]


def test_what_was_archived_does_not_push_out_what_was_told_since(talk):
    seed(talk, TEA)
    (known,) = talk.facts()
    change(talk, known, status="ARCHIVED")
    talk.hears("I love tea!", fact("I love tea", "Loves tea.", fact_type="fact"))
    with pytest.raises(Refused, match="newer fact"):
        change(talk, known, status="ACTIVE")


def test_another_beings_confidence_cannot_be_touched(talk, other):
    seed(other, TEA | {"in_confidence": True})
    (known,) = other.facts()
    for attempt in (
        lambda: change(talk, known, pinned=True),
        lambda: answer_of(talk.store, erase_fact, talk.being, known.fact_id),
    ):
        with pytest.raises(NotFound):
            attempt()


def test_an_erased_message_takes_with_it_what_rests_on_it_alone(talk):
    (first,) = talk.says("I love tea, and I'll buy some.")
    talk.answers(fact("I love tea", "Loves tea."), todos=(todo("I'll buy some", "Buy tea."),))
    talk.judged()
    (second,) = talk.says("I love tea!")
    talk.answers(fact("I love tea", "Loves tea.", message="m2"))
    talk.judged()
    (known,), (open_,) = talk.facts(), talk.todos()
    erased = erase(talk, first)
    assert (erased.facts_removed, erased.todos_removed) == ([], [open_.todo_id])
    assert talk.facts()[0].mentions == 1
    assert erase(talk, second).facts_removed == [known.fact_id]
    assert talk.facts() == []
    with pytest.raises(NotFound):
        erase(talk, second)


def test_what_an_erased_message_had_replaced_stands_again(talk):
    home = {"entities": [{"type": "thing", "name": "home"}], "fact_type": "fact"}
    talk.hears("I live in Austin.", fact("I live in Austin", "Lives in Austin.", **home))
    (moved,) = talk.says("I've moved to Berlin.")
    talk.answers(fact("I've moved to Berlin", "Lives in Berlin.", message="m2", **home))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    (known,) = talk.facts()
    assert erase(talk, moved).facts_changed == [known.fact_id]
    assert talk.contents() == ["Lives in Austin."]


def test_a_todo_whose_closing_words_are_erased_is_open_again(talk):
    talk.hears("I'll call Mum.", todos=(todo("I'll call Mum", "Call Mum."),))
    (called,) = talk.says("I called Mum!")
    talk.answers(todos=(todo("I called Mum", message="m2", known="t1", done=True),))
    talk.judged()
    (done,) = talk.todos("DONE")
    assert erase(talk, called).todos_reopened == [done.todo_id]


def test_todos_are_corrected_closed_and_reopened(talk):
    talk.hears("I'll call Mum.", todos=(todo("I'll call Mum", "Call Mum."),))
    (open_,) = talk.todos()
    for changes, kept in (
        ({"content": "Call Mum and Dad.", "pinned": True}, ("Call Mum and Dad.", "OPEN")),
        ({"status": "DONE"}, ("Call Mum and Dad.", "DONE")),
        ({"status": "OPEN"}, ("Call Mum and Dad.", "OPEN")),
    ):
        now = confidences.change_todo(talk.store, talk.being, open_.todo_id, TodoChanges(**changes))
        assert (now.content, now.status) == kept
    with pytest.raises(Refused, match="pinned"):
        confidences.change_todo(talk.store, talk.being, open_.todo_id, TodoChanges(status="ARCHIVED"))
    answer_of(talk.store, erase_todo, talk.being, open_.todo_id)
    assert talk.todos() == []


def test_nothing_is_left_of_a_user_who_is_removed(talk, other):
    home = {"entities": [{"type": "thing", "name": "home"}], "fact_type": "fact"}
    seed(talk, TEA)
    talk.hears("I live in Austin.", fact("I live in Austin", **home), todos=(todo("I live in Austin", "Stay."),))
    talk.says("I've moved to Berlin.")
    talk.answers(fact("I've moved to Berlin", message="m2", **home))
    talk.compares(("n0.1", "contradicts", "e0.0"))
    talk.judged()
    other.hears("Secretly I hate tea.", fact("I hate tea", in_confidence=True))
    with talk.store.transaction() as tx:
        users.erase_user(tx, talk.being.user_id)
        for table in (
            "facts",
            "fact_statements",
            "fact_evidence",
            "entity_aliases",
            "entity_labels",
            "todos",
            "user_seeds",
        ):
            assert tx.execute(f"select from memory.{table}").fetchall() == []  # our own names


def rows(talk):
    """All stored facts and names, of every owner."""
    with talk.store.transaction() as tx:
        return tx.execute(
            "select content from memory.facts union all select label from memory.entity_labels"
        ).fetchall()


def folded(talk):
    """Two messages whose facts were folded into one, which has the words of the first."""
    said = [*talk.says("I love tea."), *talk.says("I adore green tea.")]
    talk.answers(
        fact("I love tea", "Loves tea."),
        fact("I adore green tea", "Adores it.", message="m2", entities=[{"type": "thing", "name": "green tea"}]),
    )
    talk.judged()
    one, another = talk.facts()
    with talk.store.transaction() as tx:
        fold = curator.fold(tx, talk.being.user_id, [one.fact_id, another.fact_id])
    return said, one.fact_id, another.fact_id, fold


def test_what_was_folded_goes_with_its_words(talk):
    said, one, another, fold = folded(talk)
    assert set(erase(talk, said[1]).facts_removed) == {another, fold}
    assert talk.contents() == ["Loves tea."]
    assert erase(talk, said[0]).facts_removed == [one]
    assert rows(talk) == []


def test_a_fold_does_not_keep_the_words_of_a_message_that_is_gone(talk):
    said, one, another, fold = folded(talk)
    talk.answers(fact("I adore green tea", "Adores it.", entities=[{"type": "thing", "name": "green tea"}]))
    assert set(erase(talk, said[0]).facts_removed) == {one, fold}
    talk.judged()
    assert [(known.fact_id, known.content) for known in talk.facts()] == [(another, "Adores it.")]


def test_what_was_merged_leaves_no_words_behind(talk):
    said = []
    for message, name in (("m1", "Mukesh"), ("m2", "Makesh")):
        said += talk.says(f"{name} sings.")
        talk.answers(fact(f"{name} sings", message=message, subject=name, entities=[{"type": "person", "name": name}]))
        talk.judged()
    (proposal,) = answer_of(talk.store, list_merges, talk.being, muted=True, limit=9).proposals
    answer_of(talk.store, merge_entities, talk.being, proposal.merge_id)
    assert talk.contents() == ["Mukesh sings; Makesh sings"]
    assert sorted(row["content"] for row in rows(talk)) == ["", "Makesh", "Mukesh", "Mukesh sings; Makesh sings"]
    erase(talk, *said)
    assert rows(talk) == []
