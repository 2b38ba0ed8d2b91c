"""Words have the time that they name, and contexts tell it."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.context.filling import current_snapshot
from memory.context.rag_context import fenced_cards, fenced_facts
from memory.facts import todos as todo_editing
from memory.upkeep import dating
from memory.upkeep import periodic as upkeep
from schemas.facts.fact_answers import EntityCard
from schemas.facts.fact_requests import TodoChanges
from schemas.ledger import kinds
from store.context import context as material
from store.ledger import work
from tests.conversations import fact, todo

HOME = {"entities": [{"type": "thing", "name": "home"}]}


def shown(talk):
    """The todos as the snapshot shows them."""
    with talk.store.transaction() as tx:
        block = current_snapshot(tx, talk.being, store=False)
    return block.entries[0].content if block else ""


def at(moment, content):
    return {"role": "user", "content": content, "created_at": moment.isoformat()}


def test_a_todo_is_due_when_its_words_say_and_then_overdue(talk, clock):
    with talk.store.transaction() as tx:
        now, _ = material.local_time(tx, talk.being.user_id)
    tomorrow = (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
    talk.hears(
        "I'll call the vet tomorrow at 9 am.",
        todos=(todo("I'll call the vet tomorrow at 9 am", "Call the vet.", due="tomorrow at 9 am"),),
    )
    (open_,) = talk.todos()
    assert (open_.due, open_.due_at) == ("tomorrow at 9 am", tomorrow.replace(hour=9))
    line = f'due="tomorrow at 9 am" due-on="{tomorrow:%Y-%m-%d} 09:00"'
    assert f'{line} said="{now:%Y-%m-%d}"' in shown(talk)
    clock.advance(days=2)
    assert f'{line} overdue="yes"' in shown(talk)


def test_a_time_that_a_model_made_up_gives_way_to_the_words(talk):
    talk.hears("I'll go tomorrow.", todos=(todo("I'll go tomorrow", "Go.", due="2031-01-01"),))
    (open_,) = talk.todos()
    assert open_.due == "tomorrow"
    assert open_.due_at.year < 2031


def test_a_person_says_when(talk):
    talk.hears("I'll go.", todos=(todo("I'll go", "Go."),))
    (open_,) = talk.todos()
    assert open_.due_at is None
    with talk.store.transaction() as tx:
        todo_editing.change(tx, talk.being, open_.todo_id, TodoChanges(due="3 May 2031"))
    (changed,) = talk.todos()
    assert changed.due_at == datetime(2031, 5, 3, tzinfo=UTC)


def test_an_old_todo_expires_and_what_is_opened_again_does_not(talk, clock):
    talk.hears("I'll call Mum, some day.", todos=(todo("I'll call Mum", "Call Mum."),))
    talk.hears("I swim.", todos=(todo("I swim", "Swim.", kind="habit", message="m2"),))
    clock.advance(days=91)
    upkeep.expire(talk.store, talk.settings)
    assert [one.content for one in talk.todos()] == ["Swim."]
    (old,) = talk.todos("ARCHIVED")
    with talk.store.transaction() as tx:
        todo_editing.change(tx, talk.being, old.todo_id, TodoChanges(status="OPEN"))
    upkeep.expire(talk.store, talk.settings)
    assert [one.content for one in talk.todos()] == ["Call Mum.", "Swim."]


def test_what_was_open_in_a_conversation_of_years_ago_is_not_in_mind_and_expires(talk):
    years_ago = datetime(2021, 3, 1, 12, tzinfo=UTC)
    talk.says(at(years_ago, "I'll buy seeds tomorrow."))
    talk.answers(todos=(todo("I'll buy seeds tomorrow", "Buy seeds.", due="tomorrow"),))
    talk.judged()
    (old,) = talk.todos()
    assert (old.due_at, old.last_told_at) == (datetime(2021, 3, 2, tzinfo=UTC), years_ago)
    assert "seeds" not in shown(talk)
    upkeep.expire(talk.store, talk.settings)
    assert talk.todos() == []


@pytest.mark.parametrize(("words", "first"), [("I move to Bern on 3 May 2031", "2031-05-03"), ("I live in Bern", None)])
def test_a_fact_that_names_a_time_has_it(talk, words, first):
    talk.hears(f"{words}.", fact(words, "Moves to Bern." if first else "Lives in Bern.", **HOME))
    (known,) = talk.facts()
    assert (known.about_from and f"{known.about_from:%Y-%m-%d}") == first


def test_a_context_says_when_a_fact_was_said_and_that_its_time_is_past(talk, clock):
    talk.hears("I go to Bern on 3 May 2031.", fact("I go to Bern on 3 May 2031", "Goes to Bern.", **HOME))
    (known,) = talk.facts()
    now = clock.now()
    (before,) = fenced_facts([known], now)
    (after,) = fenced_facts([known], datetime(2032, 1, 1, tzinfo=UTC))
    assert before.text.startswith(f'<fact said="{known.last_told_at:%Y-%m-%d}" about="2031-05-03">')
    assert after.text.startswith(f'<fact said="{known.last_told_at:%Y-%m-%d}" about="2031-05-03" past="yes">')


def test_each_fact_of_a_card_says_when_it_was_said_and_what_is_past(talk):
    bern = {"entities": [{"type": "person", "name": "Ida"}], "type": "PEOPLE", "importance": 2}
    talk.hears("Ida goes to Bern on 3 May 2031.", fact("Ida goes to Bern on 3 May 2031", "Ida goes to Bern.", **bern))
    (known,) = talk.facts()
    card = EntityCard(entity_ref="person:ida", facts=[known.content], items=[known], text="[person:ida]: any")
    (piece,) = fenced_cards([card], datetime(2032, 1, 1, tzinfo=UTC))
    times = f'said="{known.last_told_at:%Y-%m-%d}" about="2031-05-03" past="yes"'
    assert piece.text.startswith(f'<card of="person:ida" {times}>\nIda goes to Bern.')


def test_what_was_told_before_times_were_kept_is_dated_by_its_words(talk):
    talk.says("I go to Bern on 3 May 2031. I'll pack on 2 May 2031.")
    talk.answers(
        fact("I go to Bern on 3 May 2031", "Goes to Bern.", **HOME),
        todos=(todo("I'll pack on 2 May 2031", "Pack.", due="on 2 May 2031"),),
    )
    talk.judged()

    def times():
        facts = [(one.about_from, one.about_until) for one in talk.facts()]
        return facts + [(one.due_at, one.due_until) for one in talk.todos()]

    at_once = times()
    assert all(all(each) for each in at_once)
    with talk.store.transaction() as tx:
        for table in ("fact_evidence", "facts"):
            tx.execute(f"update memory.{table} set about_from = null, about_until = null")  # noqa: S608  # constants
        for table in ("todo_evidence", "todos"):
            tx.execute(f"update memory.{table} set due_at = null, due_until = null")  # noqa: S608  # constants
        work.ask(tx, talk.being.being_id, kinds.DATE_TOLD)
    assert not any(any(each) for each in times())
    talk.do_due(talk.being.being_id, kinds.DATE_TOLD, lambda store, _, __, claim: dating.date_undated(store, claim))
    assert times() == at_once
