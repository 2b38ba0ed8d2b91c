"""A model that always errs costs little: what it did not answer is not asked again until the material changes."""

import json

import pytest

from providers.completion import Completion, Usage
from providers.errors import BadAnswer
from providers.thinking import Question, read
from schemas.facts.judgement import Judgement
from schemas.limits import ROLLING_CHARACTERS, SUMMARY_ITEMS
from schemas.patrol.model_answers import DiaryPages, TopicName
from schemas.talk.summaries import RollingSummary, SessionSummary, SummarySpine
from schemas.text.sentences import cut_at_sentence
from store.llm import responses
from tests.conversations import fact, todo
from tests.fakes.provider import Behaviour
from tests.integration.llm.conftest import question

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
        responses.remove_unanswered(tx, being.being_id)
    assert mind().ask(question()).answer.name == "blue"


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
    summary = shortened(SessionSummary, said)
    assert summary.people == people[:SUMMARY_ITEMS]
    assert summary.one_liner.endswith("sentence.")
    assert len(summary.one_liner) <= 300
    assert (summary.what_mattered, summary.open_loops, summary.tone) == ([], [], "")
    assert [len(line) for line in summary.commitments] == [300]
    assert len(shortened(RollingSummary, {"summary": "I like tea. " * 60}).summary) <= ROLLING_CHARACTERS


def shortened(form, said):
    """An answer as it is read after a complaint."""
    asked = Question("any", "small", "", "", "", form, 100)
    return read(asked, Completion(json.dumps(said), "model", Usage()), shorten=True).answer


@pytest.mark.parametrize(
    ("form", "said", "kept"),
    [
        (DiaryPages, {"diary": ["A line. " * 90] * 9, "next_time": ["Ask. " * 200] * 9}, [5, 7]),
        (TopicName, {"name": "The long and winding road that leads to her door, as it was told to Mizzen"}, None),
        (SummarySpine, dict.fromkeys(SummarySpine.model_fields, ["Knows it. " * 50] * 50), [40] * 4),
        (Judgement, {"facts": [fact("tea", "Loves tea. " * 90)], "todos": [todo("tea", "Buy tea. " * 90)]}, None),
    ],
)
def test_each_purpose_has_its_limits_where_its_form_is_declared(form, said, kept):
    limits = {TopicName: 60, SummarySpine: 300}
    answer = shortened(form, said)
    if kept:
        assert [len(lines) for _, lines in answer] == kept

    def texts(value):
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return [value] if isinstance(value, str) else [text for each in inner for text in texts(each)]

    assert max(map(len, texts(answer.model_dump()))) <= limits.get(form, 500)
