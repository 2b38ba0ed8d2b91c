"""A model whose answers are too long, or cut off: what they say is kept, and costs little."""

import json

from tests.conversations import fact, judgement
from tests.fakes.provider import Behaviour


def calls(talk):
    asked = [request.purpose for request in talk.provider.requests if request.endpoint == "messages"]
    return {purpose: asked.count(purpose) for purpose in asked}


def test_a_rolling_summary_that_stays_too_long_is_cut_after_the_second_try(talk):
    long = "She likes tea. " * 42
    talk.says("I love tea.", "Green tea.", "And cake.", "And rain.")
    talk.judged()
    talk.provider.reset()
    talk.provider.script(Behaviour(do="answer", on="messages", text=json.dumps({"summary": long}), times=None))
    talk.summed_up()
    with talk.store.transaction() as tx:
        (row,) = tx.execute("select rolling_summary from memory.session_states").fetchall()
    assert 500 < len(row["rolling_summary"]) <= 600
    assert row["rolling_summary"].endswith("tea.")
    assert calls(talk)["RollingSummary"] == 2


def answered(talk, *texts):
    talk.provider.script(*(Behaviour(do="answer", on="messages", text=text) for text in texts))


def loves(what, message="m1"):
    return fact(f"I love {what}", f"Loves {what}.", message=message, entities=[{"type": "thing", "name": what}])


def cut(text):
    """An answer that stops in the middle of its last item."""
    return text[: text.rindex("Loves")]


def test_of_a_judgement_that_is_cut_off_the_halves_are_asked_about_and_nothing_is_lost(talk):
    loved = ["tea", "cake", "rain", "snow"]
    found = [loves(what, f"m{place}") for place, what in enumerate(loved, 1)]
    talk.says(*(f"I love {what}." for what in loved))
    answered(talk, cut(judgement(*found)), judgement(*found[:2]), judgement(*found[2:]))
    talk.judged()
    assert talk.contents() == [f"Loves {what}." for what in loved]
    assert calls(talk)["Judgement"] == 3
    assert talk.unjudged() == 0


def test_of_one_message_whose_judgement_stays_cut_off_the_whole_items_are_kept(talk):
    said = "I love tea. I love cake."
    talk.says(said)
    answered(talk, *[cut(judgement(loves("tea"), loves("cake")))] * 2)
    talk.judged()
    assert talk.contents() == ["Loves tea."]
    # The end may have named the message as one in confidence.
    assert all(one.being_id == talk.being.being_id for one in talk.facts())
    assert calls(talk)["Judgement"] == 2
