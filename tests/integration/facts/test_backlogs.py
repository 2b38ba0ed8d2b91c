"""Of a backlog, such as an import, the rolling summary takes in the newest messages, and each spine a whole prompt."""

from datetime import UTC, datetime, timedelta

from memory.accounts import erasure
from memory.talk import rolling
from memory.talk import sessions as conversation
from memory.text.transcripts import MESSAGES_AT_ONCE
from schemas.limits import ROLLING_BACKLOG
from store.transaction import value

LONG_AGO = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)


def a_session(day, messages, *, role="user"):
    """Messages of one day, which lies so far back that its session has ended."""
    begun = LONG_AGO + timedelta(days=day)
    return [
        {
            "role": role,
            "content": f"On day {day} this is {number}.",
            "created_at": f"{begun:%Y-%m-%dT%H}:{number:02}:00Z",
        }
        for number in range(messages)
    ]


def passed_over(talk):
    with talk.store.transaction() as tx:
        return value(tx, "select count(*) from memory.messages where rolling_version = 0")


def left(talk):
    with talk.store.transaction() as tx:
        return value(tx, "select count(*) from memory.messages where rolling_version is null")


def rolling_versions(talk):
    return conversation.rolling_page(talk.store, talk.being.being_id, cursor=None, limit=100).versions


def shown(talk, purpose):
    """How many messages each request for one purpose showed."""
    return [request.material.count("<message ") for request in talk.provider.asked(purpose)]


def test_of_ended_sessions_the_newest_messages_are_in_the_rolling_summary(talk):
    talk.says(*(message for day in range(6) for message in a_session(day, 40)))
    talk.summed_up()
    assert shown(talk, "RollingSummary") == [MESSAGES_AT_ONCE, ROLLING_BACKLOG - MESSAGES_AT_ONCE]
    assert (passed_over(talk), left(talk)) == (6 * 40 - ROLLING_BACKLOG, 0)
    materials = "".join(request.material for request in talk.provider.asked("RollingSummary"))
    assert "On day 5 this is 39." in materials
    assert "On day 2 this is 39." not in materials
    # The newest ends when the next message or a tick finds it idle.
    assert len(shown(talk, "SessionSummary")) == 5


def test_a_long_backlog_is_passed_over_portion_by_portion(talk, monkeypatch):
    monkeypatch.setattr(rolling, "PASSED_AT_ONCE", 60)
    talk.says(*(message for day in range(6) for message in a_session(day, 40)))
    talk.summed_up()
    assert shown(talk, "RollingSummary") == [MESSAGES_AT_ONCE, ROLLING_BACKLOG - MESSAGES_AT_ONCE]
    assert (passed_over(talk), left(talk)) == (6 * 40 - ROLLING_BACKLOG, 0)


def test_a_session_that_goes_on_is_in_the_rolling_summary_whole(talk):
    talk.says(*(f"Just now this is {number}." for number in range(ROLLING_BACKLOG + MESSAGES_AT_ONCE)))
    talk.summed_up()
    assert sum(shown(talk, "RollingSummary")) == ROLLING_BACKLOG + MESSAGES_AT_ONCE
    assert passed_over(talk) == 0


def test_erasing_what_was_passed_over_leaves_the_rolling_summary(talk):
    first, *_ = talk.says(*(message for day in range(6) for message in a_session(day, 40)))
    talk.summed_up()
    before = rolling_versions(talk)
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, talk.being, [first])
    assert rolling_versions(talk) == before
    talk.summed_up()
    assert rolling_versions(talk) == before


def test_each_spine_takes_in_a_prompt_full_of_what_the_user_said_and_the_answers_between(talk):
    said = [message for day in range(4) for message in a_session(day, 30)]
    answers = [{**message, "role": "assistant"} for message in said]
    talk.says(*said, *answers, *answers)
    talk.judged()
    talk.summed_up()
    assert shown(talk, "SummarySpine") == [MESSAGES_AT_ONCE, MESSAGES_AT_ONCE, 20]
    with talk.store.transaction() as tx:
        assert value(tx, "select count(*) from memory.messages where spine_version is null") == 0
