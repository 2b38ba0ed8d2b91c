"""A model that always errs costs little: what it did not answer is not asked again until the material changes."""

import json

import pytest

from memory.talk.summarising import shortened
from memory.text.sentences import cut_at_sentence
from providers.errors import BadAnswer
from schemas.limits import ROLLING_CHARACTERS, SUMMARY_ITEMS
from schemas.talk.summaries import RollingSummary, SessionSummary
from store.llm import unanswered
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import question
from tests.thinking import thinking_life

WRONG = Behaviour(do="answer", text='{"no": "such field"}', times=None)


def test_a_question_without_a_valid_answer_is_not_asked_again_by_other_work(store, being, provider, mind):
    provider.script(WRONG)
    for _ in range(4):
        with pytest.raises(BadAnswer):
            mind().ask(question())
    assert len(provider.requests) == 3

    with pytest.raises(BadAnswer):
        mind().ask(question("Another sea?"))
    assert len(provider.requests) == 6
    with pytest.raises(BadAnswer):
        mind(small_thinking_model="another-model").ask(question())
    assert len(provider.requests) == 9

    provider.reset()
    with store.transaction() as tx:
        unanswered.forget(tx, being.being_id)
    assert mind().ask(question()).answer.name == "blue"


def test_a_day_of_patrols_with_a_model_that_always_errs_has_a_bounded_cost(store, user, clock):
    with thinking_life(store, user) as life:
        life.provider.script(Behaviour(do="answer", on="messages", text='{"no": "such field"}', times=None))
        life.hand_in('{"action": "broken')
        for hour in range(6):
            life.tell(f"Event {hour}.")
            for _ in range(4):
                life.patrol()
                clock.advance(minutes=15)
        asked = [request.purpose for request in life.provider.requests if request.endpoint == "messages"]
        counted = {purpose: asked.count(purpose) for purpose in sorted(set(asked))}

    # Six changes of the material, each asked about three times at most.
    assert counted["RepairedScene"] == 3
    assert counted["Classification"] <= 18
    assert counted["Consolidation"] <= 18
    assert counted["DiaryPages"] <= 18
    assert sum(counted.values()) <= 75


def test_a_text_is_cut_behind_its_last_whole_sentence():
    assert cut_at_sentence("One. Two! Three?", 9) == "One. Two!"
    assert cut_at_sentence('He said "One." Then two.', 20) == 'He said "One."'
    assert cut_at_sentence("At 3.5 percent of it all", 12) == "At 3.5"
    assert cut_at_sentence("\u4eca\u65e5\u306f\u96e8\u3002\u660e\u65e5\u306f", 7) == "\u4eca\u65e5\u306f\u96e8\u3002"
    assert cut_at_sentence("x" * 20, 7) == "x" * 7
    assert cut_at_sentence(" Short. ", 20) == "Short."


def test_what_is_too_long_in_a_summary_is_cut_and_thirteen_people_are_twelve():
    people = [f"Person {number}" for number in range(13)]
    said = {
        "one_liner": f"{'A sentence. ' * 40}",
        "what_mattered": None,
        "open_loops": None,
        "commitments": ["x" * 400],
        "people": people,
        "tone": None,
    }
    summary = shortened(SessionSummary.model_validate_json(json.dumps(said)), items=SUMMARY_ITEMS)
    assert summary.people == people[:12]
    assert summary.one_liner.endswith("sentence.")
    assert len(summary.one_liner) <= 300
    assert (summary.what_mattered, summary.open_loops, summary.tone) == ([], [], "")
    assert [len(line) for line in summary.commitments] == [300]
    long = RollingSummary(summary="I like tea. " * 60)
    assert len(shortened(long, items=0, characters=ROLLING_CHARACTERS).summary) <= ROLLING_CHARACTERS
