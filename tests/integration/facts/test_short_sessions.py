"""Conversations of one or two short messages are summed up together: one call for many of them."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from memory.accounts import erasure
from memory.talk import joint_summary, session_summary
from memory.talk import sessions as conversation
from operations.talk.sessions import show_session
from providers.errors import Transient
from providers.thinkers import Thinkers
from schemas.ledger import kinds
from schemas.limits import SHORT_SESSION_CHARACTERS, SHORT_SESSIONS_AT_ONCE
from schemas.settings import Settings
from store.context import persona, souls
from store.ledger import work
from tests.conversations import LEASE, Talk
from tests.databases import answer_of
from tests.fakes.provider import Behaviour

BEGIN = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture
def talk(talk: Talk) -> Talk:
    """Short sessions are joined, as without any setting."""
    assert Settings().join_short_sessions
    talk.settings = talk.settings.model_copy(update={"join_short_sessions": True})
    return talk


def said_in(session, content="I love tea.", minutes=0):
    return {
        "role": "user",
        "content": content,
        "created_at": (BEGIN + timedelta(hours=session, minutes=minutes)).isoformat(),
    }


def chat(talk, sessions, first=0):
    """Sessions of one short message each, all closed but the last, which is long."""
    ids = talk.says(*(said_in(number, f"This is number {number}.") for number in range(first, first + sessions)))
    talk.says(said_in(first + sessions, "x" * (SHORT_SESSION_CHARACTERS + 1)))
    return ids


def summaries(talk):
    with talk.store.transaction() as tx:
        rows = tx.execute(
            "select session_id from memory.sessions where being_id = %s order by started_at", [talk.being.being_id]
        ).fetchall()
    return [answer_of(talk.store, show_session, talk.being, row["session_id"]).summary for row in rows]


def joint(talk):
    return talk.provider.asked("ShortSessions")


def alone(talk):
    return talk.provider.asked("ClosedSession")


def closed(talk):
    """Do what closing sessions has made due, and nothing else."""
    for _ in range(2):
        talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
        talk.do_due(talk.being.being_id, kinds.SHORT_SESSIONS, joint_summary.summarise)


def wait_is_over(talk):
    with talk.store.transaction() as tx:
        tx.execute("update memory.work set next_at = clock_timestamp() where kind = %s", [kinds.SHORT_SESSIONS.name])


def claimed(talk):
    with talk.store.transaction() as tx:
        return work.claim(tx, talk.being.being_id, kinds.SHORT_SESSIONS.name, "", lease=LEASE, attempts=5)


def test_a_hundred_sessions_of_one_message_cost_five_calls(talk):
    chat(talk, 100)
    talk.summed_up()
    assert len(joint(talk)) == 100 / SHORT_SESSIONS_AT_ONCE
    assert alone(talk) == []
    *shorts, last = summaries(talk)
    assert [one.one_liner for one in shorts] == [f"This is number {number}." for number in range(100)]
    assert {(one.version, one.turn_count) for one in shorts} == {(1, 1)}
    assert last is None, "it is open"


def test_with_the_setting_off_each_session_has_a_call(talk):
    talk.settings = talk.settings.model_copy(update={"join_short_sessions": False})
    chat(talk, 3)
    talk.summed_up()
    assert (len(joint(talk)), len(alone(talk))) == (0, 3)


def test_a_few_wait_for_others_and_then_no_longer(talk):
    chat(talk, 3)
    talk.summed_up()
    assert summaries(talk) == [None] * 4
    with talk.store.transaction() as tx:
        (row,) = tx.execute(
            "select next_at - clock_timestamp() as wait from memory.work where kind = %s", [kinds.SHORT_SESSIONS.name]
        )
    assert timedelta(hours=23) < row["wait"] <= talk.settings.short_session_wait
    wait_is_over(talk)
    talk.summed_up()
    assert len(joint(talk)) == 1
    assert all(summaries(talk)[:3])


@pytest.mark.parametrize("said", [["a", "b", "c"], ["x" * (SHORT_SESSION_CHARACTERS + 1)]])
def test_three_messages_or_a_long_one_have_a_call_of_their_own(talk, said):
    talk.says(*(said_in(0, one) for one in said), said_in(2))
    talk.summed_up()
    assert (len(joint(talk)), len(alone(talk))) == (0, 1)


def test_a_late_message_makes_a_waiting_session_long(talk):
    chat(talk, 2)
    talk.summed_up()
    talk.says(said_in(0, "And cake.", 1), said_in(0, "And more cake.", 2))
    talk.summed_up()
    (question,) = alone(talk)
    assert "more cake" in question.material
    wait_is_over(talk)
    talk.summed_up()
    (question,) = joint(talk)
    assert "number 1" in question.material
    assert "number 0" not in question.material
    assert [one and (one.version, one.turn_count) for one in summaries(talk)] == [(1, 3), (1, 1), None]


def test_a_late_message_that_leaves_a_session_short_has_it_summed_up_with_others_again(talk):
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    talk.summed_up()
    talk.says(said_in(0, "And cake.", 1))
    talk.summed_up()
    wait_is_over(talk)
    talk.summed_up()
    assert "And cake." in joint(talk)[1].material
    assert (summaries(talk)[0].version, summaries(talk)[0].turn_count) == (2, 2)


@pytest.mark.parametrize("late", [["And cake."], ["And cake.", "And more."]])
def test_words_that_come_while_a_call_is_made_are_in_a_later_one(talk, late):
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
    claim = claimed(talk)

    class Meanwhile(Thinkers):
        """The user says more while a model is asked."""

        said = False

        def platform(self):
            """Say it, have it looked at, and let the thinker be found."""
            if not self.said:
                self.said = True
                talk.says(*(said_in(0, one, 1) for one in late))
                talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
            return super().platform()

    joint_summary.summarise(talk.store, Meanwhile(talk.settings), talk.settings, claim)
    wait_is_over(talk)
    talk.summed_up()
    assert summaries(talk)[0].turn_count == 1 + len(late)
    assert {one.version for one in summaries(talk)[1:-1]} == {1}


def test_a_repeated_unit_asks_nothing_twice(talk):
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
    claim = claimed(talk)

    class Killed(Exception):
        """The process ends before anything is applied."""

    class Dying(type(talk.store)):
        def __init__(self):
            self.__dict__.update(talk.store.__dict__)

        def finishing(self, *_args, **_options):
            raise Killed

    with pytest.raises(Killed):
        joint_summary.summarise(Dying(), talk.thinkers, talk.settings, claim)
    # Sessions that are set aside after the first claim wait for the next call.
    chat(talk, 5, first=100)
    talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
    joint_summary.summarise(talk.store, talk.thinkers, talk.settings, claim)
    assert len(joint(talk)) == 1
    assert sum(one is not None for one in summaries(talk)) == SHORT_SESSIONS_AT_ONCE + 1


def test_a_session_that_spoils_the_call_is_summed_up_alone(talk):
    # Wherever it stands among the others; alone it is in no `conversation`.
    talk.provider.script(
        Behaviour(do="refuse", on="messages", when=r"number 7.\n</message>\n</conversation>", times=None)
    )
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    closed(talk)
    *shorts, _ = summaries(talk)
    assert all(shorts)
    (question,) = alone(talk)
    assert "number 7." in question.material
    talk.says(said_in(7, "Late.", 1))
    talk.summed_up()
    assert len(alone(talk)) == 2, "it stays by itself"


def test_where_nothing_can_be_summed_up_the_unit_fails(talk):
    talk.provider.script(Behaviour(do="refuse", on="messages", times=None))
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
    with pytest.raises(Exception, match=r"refus|declin|answer"):
        joint_summary.summarise(talk.store, talk.thinkers, talk.settings, claimed(talk))


def test_an_answer_that_leaves_a_session_out_is_asked_for_again(talk):
    talk.provider.script(Behaviour(do="answer", on="messages", text=json.dumps({"summaries": []})))
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    closed(talk)
    _, second = joint(talk)
    assert "one item for each of the conversations c1, c2" in second.material
    assert all(summaries(talk)[:-1])


def test_a_provider_that_is_down_leaves_all_as_it_is(talk, clock):
    talk.provider.script(Behaviour(do="fail", on="messages", status=529))
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    with pytest.raises(Transient):
        talk.summed_up()
    clock.advance(seconds=11)
    with talk.store.transaction() as tx:
        tx.execute("update memory.work set state = 'ready', lease_until = null")
    talk.summed_up()
    assert all(summaries(talk)[:-1])


def test_without_a_key_they_wait_for_one(talk):
    chat(talk, SHORT_SESSIONS_AT_ONCE)
    with_key, talk.thinkers = talk.thinkers, Thinkers(talk.settings.model_copy(update={"thinker": "none"}))
    talk.summed_up()
    assert not any(summaries(talk))
    talk.thinkers = with_key
    conversation.request_waiting(talk.store, with_key)
    talk.summed_up()
    assert all(summaries(talk)[:-1])
    assert len(joint(talk)) == 1


def test_what_is_erased_is_in_no_summary_and_in_no_answer(talk):
    said = chat(talk, SHORT_SESSIONS_AT_ONCE)
    talk.summed_up()
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [said[4]])
    assert "This is number 4." not in [one.one_liner for one in summaries(talk) if one]
    with talk.store.transaction() as tx:
        kept = tx.execute("select completion from memory.model_responses where not retained").fetchall()
    assert not [row for row in kept if "number 4." in row["completion"]]
    closed(talk)
    assert len(joint(talk)) == 1


def test_what_is_erased_after_the_answer_is_not_kept(talk, erased_before_the_finish):
    said = chat(talk, SHORT_SESSIONS_AT_ONCE)
    talk.do_due(talk.being.being_id, kinds.SESSION_SUMMARY, session_summary.summarise)
    claim = claimed(talk)
    erased_before_the_finish(said[4])
    joint_summary.summarise(talk.store, talk.thinkers, talk.settings, claim)
    kept = [one.one_liner for one in summaries(talk) if one]
    assert kept == [f"This is number {number}." for number in range(SHORT_SESSIONS_AT_ONCE) if number != 4]


def test_short_sessions_show_what_the_user_is_like(talk):
    talk.says(
        said_in(0, "I get up before everyone and plan with a pencil."),
        said_in(1, "We are rebuilding the greenhouse."),
        said_in(2, "x" * (SHORT_SESSION_CHARACTERS + 1)),
    )
    talk.judged()
    empty = {**{name: [] for name in session_summary.LISTS}, "one_liner": "They spoke.", "tone": "calm"}
    early = {"text": "Gets up before everyone.", "messages": ["u1"]}
    of_another = {"text": "Plans with a pencil.", "messages": ["u1"]}
    greenhouse = {"text": "The greenhouse.", "messages": ["u2"]}
    answer = [
        {**empty, "user_model": [early], "conversation": "c1"},
        {**empty, "user_model": [of_another], "project": greenhouse, "conversation": "c2"},
    ]
    talk.provider.script(Behaviour(do="answer", on="messages", when="own=", text=json.dumps({"summaries": answer})))
    closed(talk)
    wait_is_over(talk)
    closed(talk)

    with talk.store.transaction() as tx:
        found = persona.user_model(tx, talk.being.user_id)
        state = souls.state(tx, talk.being.being_id)
    assert found.content == "- Gets up before everyone."
    assert state.project == "The greenhouse."
