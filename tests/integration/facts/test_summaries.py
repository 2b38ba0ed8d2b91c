"""Talk is summed up: lately, by conversation, and in the long line of all conversations."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory.accounts import erasure
from memory.talk import judging, rolling, session_summary, spine
from memory.talk import sessions as conversation
from memory.upkeep import periodic
from operations.talk.sessions import list_rolling_summaries, show_session
from providers.errors import Transient
from providers.thinkers import Thinkers
from schemas.errors import BudgetSpent, Withdrawn
from schemas.ledger import kinds
from schemas.limits import ROLLING_CHARACTERS
from store.ledger import work
from store.llm import drops
from store.talk import rolling as kept_rolling
from store.talk import session_summaries
from tests.conversations import LEASE
from tests.databases import answer_of
from tests.fakes.provider import Behaviour

NOON = "2026-03-02T12:{:02}:00Z"
CLOSED = {
    "one_liner": "They spoke of tea.",
    "what_mattered": ["tea"],
    "open_loops": ["which tea?"],
    "commitments": ["the user buys tea"],
    "people": [],
    "tone": "calm",
}


def answers(talk, said, when):
    talk.provider.script(Behaviour(do="answer", on="messages", when=when, text=json.dumps(said)))


def at(minute, content="I love tea.", role="user"):
    return {"role": role, "content": content, "created_at": NOON.format(minute)}


def state_of(talk):
    return conversation.state(talk.store, talk.being.being_id)


def versions(talk):
    page = answer_of(talk.store, list_rolling_summaries, talk.being, limit=100)
    return [version.content for version in page.versions][::-1]


def sessions(talk):
    with talk.store.transaction() as tx:
        rows = tx.execute(
            "select session_id from memory.sessions where being_id = %s order by started_at", [talk.being.being_id]
        ).fetchall()
    return [answer_of(talk.store, show_session, talk.being, row["session_id"]) for row in rows]


def asked(talk, purpose):
    return talk.provider.asked(purpose)


def keyless(talk):
    return Thinkers(talk.settings.model_copy(update={"thinker": "none"}))


def claimed_closing(talk, tx):
    (row,) = tx.execute("select key from memory.work where kind = %s", [kinds.SESSION_SUMMARY.name]).fetchall()
    claim = work.claim(tx, talk.being.being_id, kinds.SESSION_SUMMARY.name, row["key"], lease=LEASE, attempts=5)
    assert claim is not None
    return claim


def waiting_work(talk):
    with talk.store.transaction() as tx:
        rows = tx.execute(
            "select kind from memory.work where state in ('ready', 'running') and kind <> 'shadow.judge' order by kind"
        ).fetchall()
    return [row["kind"] for row in rows]


def test_every_fourth_message_rewrites_the_summary_and_is_given_the_one_before(talk):
    for number in range(3):
        talk.says(f"This is message {number}.")
    talk.summed_up()
    assert asked(talk, "RollingSummary") == []
    answers(talk, {"summary": "They began to count."}, "message 3")
    talk.says({"role": "assistant", "content": "This is message 3."})
    talk.summed_up()
    for number in range(4, 8):
        talk.says(f"This is message {number}.")
    talk.summed_up()
    first, second = asked(talk, "RollingSummary")
    assert "so-far" not in first.material
    assert "They began to count." in second.material
    assert "message 3" not in second.material
    assert versions(talk)[0] == "They began to count."
    assert versions(talk)[1] == state_of(talk).rolling_summary


def test_a_burst_is_summed_up_in_one_call(talk):
    for number in range(40):
        talk.says(f"This is message {number}.")
    talk.summed_up()
    assert len(asked(talk, "RollingSummary")) == 1
    assert len(versions(talk)) == 1


def test_what_others_in_the_room_say_is_not_counted(talk):
    talk.says(*({"role": "other", "speaker": "Noor", "content": f"Number {number}."} for number in range(8)))
    talk.summed_up()
    assert asked(talk, "RollingSummary") == []
    assert state_of(talk).state.message_count == 0


def test_a_summary_that_is_too_long_is_asked_for_again(talk):
    answers(talk, {"summary": "x" * (ROLLING_CHARACTERS + 1)}, "This is it.")
    talk.says(*["This is it."] * 4)
    talk.summed_up()
    first, second = asked(talk, "RollingSummary")
    assert f"has {ROLLING_CHARACTERS + 1} characters" in second.material
    assert f"has {ROLLING_CHARACTERS + 1} characters" not in first.material
    assert len(state_of(talk).rolling_summary) <= ROLLING_CHARACTERS


def test_a_message_that_spoils_a_summary_is_passed_over_alone(talk):
    talk.provider.script(Behaviour(do="refuse", on="messages", when="Spoilt.", times=None))
    talk.says("I live in Austin.", "I love tea.", "Spoilt.", "Ana is here.", "It rains.")
    talk.summed_up()
    summary = state_of(talk).rolling_summary
    assert "Austin" in summary
    assert "It rains." in summary
    assert state_of(talk).state.last_rolling_error.reason == "bad_answer"
    assert waiting_work(talk) == []


def test_the_state_tells_how_the_last_attempt_went(talk, clock):
    talk.provider.script(Behaviour(do="fail", on="messages", status=529))
    talk.says("I love tea.", "Green tea.", "And cake.", {"role": "assistant", "content": "x" * 5}, "y" * 300)
    with pytest.raises(Transient):
        talk.summed_up()
    failed = state_of(talk).state
    assert failed.last_rolling_attempt_at is not None
    assert failed.last_rolling_success_at is None
    assert failed.last_rolling_error.reason == "provider_unavailable"
    assert failed.last_user_message == "y" * 200
    assert failed.message_count == 5
    clock.advance(seconds=11)
    with talk.store.transaction() as tx:
        tx.execute("update memory.work set state = 'ready', lease_until = null")
    talk.summed_up()
    done = state_of(talk).state
    assert done.last_rolling_error is None
    assert done.last_rolling_success_at is not None


def test_the_state_is_told_in_the_seeds_words(talk):
    talk.says("I love tea.")
    told = state_of(talk).model_dump(mode="json")
    assert set(told) == {"state", "rollingSummary"}
    assert set(told["state"]) == {
        "messageCount",
        "lastInteraction",
        "lastUserMessage",
        "curator",
        "lastRollingAttemptAt",
        "lastRollingSuccessAt",
        "lastRollingError",
    }
    assert told["state"]["curator"] == {"lastRunAt": None, "lastMemoryCountAtRun": 0}


def test_a_late_message_does_not_become_the_last(talk):
    talk.says(at(20, "The newest."))
    talk.says(at(10, "An older one."))
    assert state_of(talk).state.last_user_message == "The newest."


def test_versions_are_read_page_by_page(talk, store):
    with store.transaction() as tx:
        for version in (1, 2, 3):
            tx.execute(
                "insert into memory.rolling_summaries (being_id, version, content, message_count)"
                " values (%s, %s, 'x', 4)",
                [talk.being.being_id, version],
            )
    first = answer_of(store, list_rolling_summaries, talk.being, limit=2)
    rest = answer_of(store, list_rolling_summaries, talk.being, cursor=first.cursor, limit=2)
    assert [[one.version for one in page.versions] for page in (first, rest)] == [[3, 2], [1]]
    assert rest.cursor is None


@pytest.mark.parametrize("by", ["the clock", "the next message's own time"])
def test_a_closed_conversation_is_summed_up(talk, clock, by):
    talk.says(at(0), at(1, "What tea?", "assistant"))
    talk.summed_up()
    assert asked(talk, "ClosedSession") == []
    answers(talk, CLOSED, "What tea?")
    if by == "the clock":
        clock.advance(minutes=31)
        periodic.end_idle_sessions(talk.store, talk.settings)
    else:
        talk.says(at(40))
    talk.summed_up()
    summary = sessions(talk)[0].summary
    assert {name: getattr(summary, name) for name in CLOSED} == CLOSED
    assert (summary.version, summary.turn_count) == (1, 2)
    assert len(asked(talk, "ClosedSession")) == 1


def test_a_summary_keeps_no_line_with_a_name_or_number_that_was_not_said_and_its_tone_is_not_checked(talk, clock):
    said = CLOSED | {
        "one_liner": "They spoke of tea. The user starts at Seattle Aquarium.",
        "what_mattered": ["tea", "300 walnuts"],
        "people": ["Ludmila", "the user's mother"],
        "tone": "like Vienna in 1900",
    }
    talk.says(at(0), at(1, "What tea?", "assistant"))
    answers(talk, said, "What tea?")
    clock.advance(minutes=31)
    periodic.end_idle_sessions(talk.store, talk.settings)
    talk.summed_up()
    summary = sessions(talk)[0].summary
    kept = {"one_liner": "They spoke of tea.", "what_mattered": ["tea"], "people": ["the user's mother"]}
    assert {name: getattr(summary, name) for name in kept} == kept
    assert summary.tone == said["tone"]
    with talk.store.transaction() as tx:
        found = drops.of_being(tx, talk.being.being_id)
    assert {(one.purpose, one.items) for one in found.dropped} == {("summaries", 2), ("summaries", 1)}


def test_a_late_message_has_a_closed_conversation_summed_up_anew(talk):
    talk.says(at(0), at(50))
    talk.summed_up()
    talk.says(at(20, "And I forgot the cake."))
    talk.summed_up()
    first, second = asked(talk, "ClosedSession")
    assert "cake" not in first.material
    assert "cake" in second.material
    assert (sessions(talk)[0].summary.version, sessions(talk)[0].summary.turn_count) == (2, 2)
    assert sessions(talk)[1].summary is None


def test_a_message_that_comes_while_its_conversation_is_summed_up_is_in_the_next_version(talk):
    talk.says(at(0), at(50))
    with talk.store.transaction() as tx:
        (row,) = tx.execute("select key from memory.work where kind = %s", [kinds.SESSION_SUMMARY.name]).fetchall()
        claim = work.claim(tx, talk.being.being_id, kinds.SESSION_SUMMARY.name, row["key"], lease=LEASE, attempts=5)
    talk.says(at(20, "And I forgot the cake."))
    session_summary.summarise(talk.store, talk.thinkers, talk.settings, claim)
    assert sessions(talk)[0].summary.turn_count == 1
    talk.summed_up()
    assert sessions(talk)[0].summary.turn_count == 2


def test_a_long_conversation_is_summed_up_portion_by_portion(talk):
    talk.says(*(at(number // 5, f"This is number {number}.") for number in range(120)), at(59))
    talk.summed_up()
    assert len(asked(talk, "ClosedSession")) == 3
    assert sessions(talk)[0].summary.turn_count == 120


def test_the_spine_is_written_of_what_was_judged_and_not_said_in_confidence(talk, other):
    secret = {"role": "user", "content": "I love Ana.", "metadata": {"in_confidence": True}}
    talk.says(*(f"I like number {number}." for number in range(10)), secret)
    talk.says({"role": "assistant", "content": "So you love Ana!"})
    other.says(*(f"I hate number {number}." for number in range(9)))
    talk.summed_up()
    assert talk.spine() is None
    talk.judged()
    talk.summed_up()
    assert talk.spine() is None
    other.judged()
    talk.summed_up()
    (question,) = asked(talk, "SummarySpine")
    assert "I like number 8." in question.material
    assert "I hate number 8." in question.material
    assert "Ana" not in question.material
    assert (talk.spine().version, talk.spine().message_count) == (1, 20)


def test_each_twenty_messages_make_a_version_that_carries_on_the_last(talk):
    for lot in range(2):
        talk.says(*(f"I like number {number}." for number in range(20 * lot, 20 * lot + 20)))
        talk.judged()
        talk.summed_up()
    _, second = asked(talk, "SummarySpine")
    assert '"PROFILE"' in second.material
    assert "I like number 19." in second.material
    assert talk.spine().version == 2


def test_without_a_key_one_task_finds_out_and_the_first_key_wakes_everything(talk, clock, sent):
    with_key, talk.thinkers = talk.thinkers, keyless(talk)
    for number in range(30):
        talk.says(f"I like number {number}.")
        talk.summed_up()
        clock.advance(minutes=31)
        periodic.end_idle_sessions(talk.store, talk.settings)
        talk.summed_up()
    assert waiting_work(talk) == []
    with talk.store.transaction() as tx:
        (row,) = tx.execute(
            "select count(*) as n from memory.work where kind = %s", [kinds.SESSION_SUMMARY.name]
        ).fetchall()
    assert row["n"] == 1
    assert sent.by(lambda: conversation.request_waiting(talk.store, talk.thinkers)) == []
    talk.thinkers = with_key
    assert sent.by(lambda: conversation.request_waiting(talk.store, with_key)) != []
    talk.judged()
    talk.summed_up()
    assert all(session.summary for session in sessions(talk))
    assert state_of(talk).rolling_summary


def test_words_that_come_in_while_a_summary_is_kept_wait_for_it_and_not_in_a_circle(talk, wait_until):
    talk.says(*(f"This is message {number}." for number in range(4)))
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.being_id, kinds.ROLLING_SUMMARY.name, "", lease=LEASE, attempts=5)

    with ThreadPoolExecutor(1) as pool:
        with talk.store.finishing(claim) as tx:
            said = pool.submit(talk.says, *(f"This is message {number}." for number in range(4, 8)))
            wait_until(talk.a_transaction_waits)
            kept_rolling.note_error(tx, talk.being.being_id, "no_key", "no key")
        assert len(said.result()) == 4
    assert kinds.ROLLING_SUMMARY.name in waiting_work(talk)


def test_a_spine_waits_for_a_key_as_well(talk, sent):
    talk.says(*(f"I like number {number}." for number in range(20)))
    talk.judged()
    with_key, talk.thinkers = talk.thinkers, keyless(talk)
    talk.summed_up()
    talk.thinkers = with_key
    assert kinds.SPINE.name not in waiting_work(talk)
    woken = sent.by(lambda: conversation.request_waiting(talk.store, with_key))
    assert kinds.SPINE.name in {message.kind for message in woken}
    talk.summed_up()
    assert talk.spine().version == 1


def test_a_spent_budget_leaves_everything_for_the_next_day(talk):
    talk.settings = talk.settings.model_copy(update={"daily_tokens": 1})
    talk.says(*["I love tea."] * 4)
    with pytest.raises(BudgetSpent):
        talk.summed_up()
    assert state_of(talk).state.last_rolling_error.reason == "budget_spent"
    assert asked(talk, "RollingSummary") == []


def test_what_a_context_showed_is_not_summed_up_again(talk):
    shown = "<recalled_memory>\nThe secret of the shown memory.\n</recalled_memory>"
    talk.says(*(f"{shown} And number {number}." for number in range(4)))
    talk.summed_up()
    (question,) = asked(talk, "RollingSummary")
    assert "number 3" in question.material
    assert "shown memory" not in question.material


def test_no_summary_outlives_the_words_that_it_was_made_of(talk):
    said = talk.says(*(at(0, f"I like number {number}.") for number in range(19)), at(0, "I like wintergreen."), at(50))
    talk.judged()
    talk.summed_up()
    assert "wintergreen" in state_of(talk).rolling_summary
    assert sessions(talk)[0].summary
    assert "I like wintergreen." in talk.spine().content.PROFILE
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [said[19]])
    assert sessions(talk)[0].summary is None
    assert talk.spine() is None
    assert versions(talk) == []
    with talk.store.transaction() as tx:
        kept = tx.execute(
            "select completion from memory.model_responses where completion like '%wintergreen%'"
        ).fetchall()
    assert [row for row in kept if "wintergreen" in row["completion"]] == []
    talk.summed_up()
    assert sessions(talk)[0].summary.version == 1
    assert "number 18" in state_of(talk).rolling_summary


class Erasing(Thinkers):
    """Another transaction erases a message while a model is asked."""

    def __init__(self, talk, message_id) -> None:
        super().__init__(talk.settings)
        self._talk, self._message_id = talk, message_id

    def platform(self):
        """Find a thinker that is interrupted before it answers."""
        thinker, talk, gone = super().platform(), self._talk, self._message_id

        class Slow:
            provider, model = thinker.provider, thinker.model

            def ask(self, question):
                erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [gone])
                return thinker.ask(question)

        return Slow()


def test_a_summary_of_words_that_were_erased_meanwhile_is_not_kept(talk):
    said = talk.says(*(at(0, f"I like number {number}.") for number in range(5)))
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.being_id, kinds.ROLLING_SUMMARY.name, "", lease=LEASE, attempts=5)
    with pytest.raises(Withdrawn):
        rolling.summarise(talk.store, Erasing(talk, said[0]), talk.settings, claim)
    assert versions(talk) == []
    with talk.store.transaction() as tx:
        work.hand_back(tx, claim)
    talk.summed_up()
    assert "number 4" in versions(talk)[0]
    assert "number 0" not in versions(talk)[0]


def test_a_summary_of_words_that_were_erased_after_the_answer_is_not_kept(talk, erased_before_the_finish):
    said = talk.says(*(at(0, f"I like number {number}.") for number in range(5)))
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.being_id, kinds.ROLLING_SUMMARY.name, "", lease=LEASE, attempts=5)
    erased_before_the_finish(said[0])
    rolling.summarise(talk.store, talk.thinkers, talk.settings, claim)
    assert versions(talk) == []
    talk.summed_up()
    assert "number 4" in versions(talk)[0]
    assert "number 0" not in versions(talk)[0]


def test_a_summary_that_went_on_from_words_that_were_erased_meanwhile_is_not_kept(talk):
    said = talk.says(*(at(0, f"I like number {number}.") for number in range(4)))
    talk.summed_up()
    assert "number 0" in state_of(talk).rolling_summary
    talk.says(*(at(0, f"I like number {number}.") for number in range(4, 8)))
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.being_id, kinds.ROLLING_SUMMARY.name, "", lease=LEASE, attempts=5)
    with pytest.raises(Withdrawn):
        rolling.summarise(talk.store, Erasing(talk, said[0]), talk.settings, claim)
    assert versions(talk) == []
    with talk.store.transaction() as tx:
        work.hand_back(tx, claim)
    talk.summed_up()
    assert "number 7" in state_of(talk).rolling_summary
    assert "number 0" not in state_of(talk).rolling_summary


def test_a_spine_that_went_on_from_words_that_were_erased_meanwhile_is_not_kept(talk):
    said = talk.says(*(at(0, f"I like number {number}.") for number in range(20)))
    talk.judged()
    talk.summed_up()
    assert "I like number 0." in talk.spine().content.PROFILE
    talk.says(*(at(1, f"I like number {number}.") for number in range(20, 40)))
    talk.judged()
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.user_id, kinds.SPINE.name, "", lease=LEASE, attempts=5)
    with pytest.raises(Withdrawn):
        spine.write(talk.store, Erasing(talk, said[0]), talk.settings, claim)
    assert talk.spine() is None
    with talk.store.transaction() as tx:
        work.hand_back(tx, claim)
    talk.summed_up()
    assert "I like number 39." in talk.spine().content.PROFILE
    assert "I like number 0." not in talk.spine().content.PROFILE


def test_words_that_are_erased_while_a_summary_is_kept_wait_for_it_and_not_in_a_circle(talk, wait_until):
    said = talk.says(at(0, "I love tea."), at(0, "And cake."), at(50))
    with talk.store.transaction() as tx:
        claim = claimed_closing(talk, tx)
    with ThreadPoolExecutor(1) as pool:
        with talk.store.transaction() as tx:
            # As an erasure does, which has the messages first and asks for a new summary in the end.
            tx.execute("select memory.forget_in_summaries(%s, %s)", [talk.being.being_id, said[:1]])
            closed = pool.submit(session_summary.summarise, talk.store, talk.thinkers, talk.settings, claim)
            wait_until(talk.a_transaction_waits)
            session_summary.request_due(tx, talk.being.being_id)
        closed.result()
    talk.summed_up()
    assert sessions(talk)[0].summary


def test_words_that_are_erased_while_others_come_in_wait_for_them_and_not_in_a_circle(talk, wait_until):
    said = talk.says(at(0), at(1))
    with ThreadPoolExecutor(1) as pool:
        with talk.store.transaction() as tx:
            # As messages do on their way in, which have the Being's state first and then find their session.
            tx.execute("select from memory.session_states where being_id = %s for update", [talk.being.being_id])
            erased = pool.submit(
                erasure.erase_messages, talk.store, talk.settings, talk.embedders, [talk.being], said[:1]
            )
            wait_until(talk.a_transaction_waits)
            tx.execute("update memory.sessions set summary_due = true where being_id = %s", [talk.being.being_id])
        assert erased.result().messages == 1


@pytest.mark.parametrize(
    ("kind", "do"), [(kinds.SESSION_SUMMARY, session_summary.summarise), (kinds.JUDGE, judging.judge)]
)
def test_words_that_come_in_without_a_model_wait_for_one_without_a_loop(talk, wait_until, kind, do):
    talk.says(at(0), at(50))
    with talk.store.transaction() as tx:
        key = str(tx.execute("select session_id from memory.sessions order by started_at").fetchone()["session_id"])
        claim = work.claim(tx, talk.being.being_id, kind.name, key, lease=LEASE, attempts=5)
    with ThreadPoolExecutor(1) as pool:
        with talk.store.transaction() as tx:
            # As messages do on their way in: the Being's state, their session, and then what is asked for.
            tx.execute("select from memory.session_states where being_id = %s for update", [talk.being.being_id])
            tx.execute("update memory.sessions set summary_due = true where being_id = %s", [talk.being.being_id])
            done = pool.submit(do, talk.store, keyless(talk), talk.settings, claim)
            wait_until(talk.a_transaction_waits)
            work.ask(tx, talk.being.being_id, kind, key)
        done.result()
    with talk.store.transaction() as tx:
        assert work.state(tx, talk.being.being_id, kind.name, key) == "ready"


def test_words_that_came_in_while_a_worker_reached_for_the_summary_are_in_it(talk):
    talk.says(at(0), at(50))
    with talk.store.transaction() as tx:
        # The worker's transaction has begun, and its claim comes after these.
        talk.says(at(1, "It rains."))
        claim = claimed_closing(talk, tx)
    session_summary.summarise(talk.store, talk.thinkers, talk.settings, claim)
    (question,) = asked(talk, "ClosedSession")
    assert "It rains." in question.material
    assert waiting_work(talk) == []


def test_what_is_being_closed_by_another_is_left_to_it(talk, store):
    talk.says(at(0))
    with store.transaction() as tx:
        tx.execute("update memory.sessions set ended_at = last_activity_at")
    with store.transaction() as one, store.transaction() as two:
        assert len(session_summaries.take_due(one, talk.being.being_id, 10)) == 1
        assert session_summaries.take_due(two, talk.being.being_id, 10) == []
