"""A model whose answers are never valid, or too long: talk costs little, and a long summary is kept."""

import json

from tests.fakes.provider import Behaviour

WRONG = Behaviour(do="answer", on="messages", text='{"no": "such field"}', times=None)


def calls(talk):
    asked = [request.purpose for request in talk.provider.requests if request.endpoint == "messages"]
    return {purpose: asked.count(purpose) for purpose in asked}


def test_a_day_of_talk_with_a_model_that_always_errs_has_a_bounded_cost(talk):
    talk.provider.script(WRONG)
    for hour in range(4):
        talk.says(*(f"Message {hour} {number}." for number in range(10)))
        talk.judged()
        talk.summed_up()
    counted = calls(talk)

    # For each portion at most nine failures in a row, of three calls, in judging, and eight in a summary.
    assert counted["Judgement"] <= 4 * 27
    assert counted["RollingSummary"] <= 4 * 24
    assert talk.unjudged() == 0


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
