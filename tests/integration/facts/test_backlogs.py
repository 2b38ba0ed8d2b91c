"""Of a backlog, such as an import, the rolling summary takes in the newest messages, and each spine a whole prompt."""

from datetime import UTC, datetime, timedelta

from memory.accounts import erasure
from memory.talk import judging, rolling, spine
from memory.text.transcripts import MESSAGES_AT_ONCE
from operations.talk.sessions import list_rolling_summaries
from schemas.ledger import kinds
from schemas.ledger.kinds import EMBED_FACTS
from schemas.limits import ROLLING_BACKLOG
from store.ledger import work
from tests.conversations import ATTEMPTS, LEASE
from tests.databases import answer_of

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
        return tx.value("select count(*) from memory.messages where rolling_version = 0")


def left(talk):
    with talk.store.transaction() as tx:
        return tx.value("select count(*) from memory.messages where rolling_version is null")


def rolling_versions(talk):
    return answer_of(talk.store, list_rolling_summaries, talk.being, limit=100).versions


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
    assert len(shown(talk, "ClosedSession")) == 5


def test_of_a_batch_the_rolling_summary_never_reads_what_it_will_pass_over(talk):
    talk.says(*(message for day in range(6) for message in a_session(day, 40)))
    assert (passed_over(talk), left(talk)) == (6 * 40 - ROLLING_BACKLOG, ROLLING_BACKLOG)


def test_of_a_batch_only_the_user_and_the_being_count_and_nothing_of_a_session_that_goes_on_is_passed_over(talk):
    now = [{"role": "user", "content": f"Just now this is {number}."} for number in range(10)]
    talk.says(*a_session(0, 50), *a_session(1, 50), *a_session(2, 50, role="other"), *now)
    with talk.store.transaction() as tx:
        rows = tx.execute("select content, role from memory.messages where rolling_version = 0 order by 1").fetchall()
    assert {row["role"] for row in rows} == {"user"}
    assert sorted(row["content"] for row in rows) == sorted(f"On day 0 this is {number}." for number in range(10))


def test_a_long_backlog_is_passed_over_portion_by_portion(talk, monkeypatch):
    monkeypatch.setattr(rolling, "PASSED_AT_ONCE", 60)
    for day in range(6):
        talk.says(*a_session(day, 40))
    assert passed_over(talk) == 0
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
    erasure.erase_messages(talk.store, talk.settings, talk.embedders, [talk.being], [first])
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
        assert tx.value("select count(*) from memory.messages where spine_version is null") == 0


def waits(talk, kind, owner_id):
    """How long the next unit of a kind waits."""
    with talk.store.transaction() as tx:
        return tx.value(
            "select greatest(next_at - clock_timestamp(), interval '0') from memory.work"
            " where owner_id = %s and kind = %s and state = 'ready'",
            [owner_id, kind.name],
        )


def test_facts_of_an_import_are_embedded_when_all_is_judged(talk):
    for day in range(2):
        talk.says(*a_session(day, 4), *a_session(day, 4, role="assistant"))
    user_id = talk.being.user_id
    judge_one(talk)
    assert timedelta(seconds=10) < waits(talk, EMBED_FACTS, user_id) <= spine.BACKLOG_WAIT
    judge_one(talk)
    assert waits(talk, EMBED_FACTS, user_id) == timedelta(0)


def judge_one(talk):
    """Judge the session that is the first to be judged."""
    with talk.store.transaction() as tx:
        key = tx.value("select key from memory.work where kind = %s and state = 'ready' limit 1", [kinds.JUDGE.name])
        claim = work.claim(tx, talk.being.being_id, kinds.JUDGE.name, key, lease=LEASE, attempts=ATTEMPTS)
    judging.judge(talk.store, talk.thinkers, talk.settings, claim)
