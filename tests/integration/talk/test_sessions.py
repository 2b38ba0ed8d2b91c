"""Messages find the sessions that their own times put them in, however they come in."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.intake.messages import accept_messages
from memory.llm import keys
from memory.talk import judging
from memory.talk import sessions as conversation
from providers.thinkers import Thinkers
from schemas.settings import Settings
from store.talk import messages
from tests.scenes import make_being, make_user

NOON = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
IDLE = 30
SETTINGS = Settings()
KEYLESS = Settings(thinker="auto", anthropic_api_key=None, openai_api_key=None, secret_key="s" * 32)
# Minutes since noon at which something is said, in batches as they come in.
BATCHES = st.lists(st.lists(st.integers(0, 400), min_size=1, max_size=8), min_size=1, max_size=6)


def said(minute, number):
    moment = (NOON + timedelta(minutes=minute)).isoformat()
    return {"id": f"m{number}", "role": "user", "content": f"{minute}", "created_at": moment}


@dataclass
class PlainSession:
    """A session as the plain rule keeps it, in minutes since noon."""

    first: int
    last: int
    minutes: list[int] = field(default_factory=list)


def plainly(batches):
    """The rule, message by message: the earliest session within 30 minutes of whose span it falls, or a new one."""
    sessions = []
    for batch in batches:
        for minute in sorted(batch):
            near = [session for session in sessions if session.first - IDLE <= minute <= session.last + IDLE]
            session = min(near, key=lambda session: session.first, default=None)
            if session is None:
                session = PlainSession(minute, minute)
                sessions.append(session)
            session.first, session.last = min(session.first, minute), max(session.last, minute)
            session.minutes.append(minute)
    return sorted(sorted(session.minutes) for session in sessions)


def as_kept(tx, being_id):
    listed = messages.sessions(tx, being_id, before=None, limit=1000)
    for session in listed:
        said_in = messages.of_session(tx, being_id, session.session_id)
        assert session.turn_count == len(said_in)
        assert (session.started_at, session.last_activity_at) == (said_in[0].created_at, said_in[-1].created_at)
    return sorted(
        [int(message.content) for message in messages.of_session(tx, being_id, session.session_id)]
        for session in listed
    )


@settings(max_examples=settings.default.max_examples // 3)
@given(batches=BATCHES)
def test_batches_are_placed_as_single_messages_would_be(store, batches):
    with store.transaction() as tx:
        being_id = make_being(tx, make_user(tx)).being_id
    number = 0
    for batch in batches:
        accept_messages(store, SETTINGS, being_id, [said(minute, number := number + 1) for minute in batch])
    with store.transaction() as tx:
        assert as_kept(tx, being_id) == plainly(batches)


def test_two_sessions_that_a_message_would_bridge_stay_apart(store, being):
    for number, minute in enumerate([0, 50, 25]):
        accept_messages(store, SETTINGS, being.being_id, [said(minute, number)])
    with store.transaction() as tx:
        assert as_kept(tx, being.being_id) == [[0, 25], [50]]


def test_a_late_message_extends_a_session_that_has_ended(store, being):
    for number, minute in enumerate([0, 100, 20]):
        accept_messages(store, SETTINGS, being.being_id, [said(minute, number)])
    with store.transaction() as tx:
        later, earlier = messages.sessions(tx, being.being_id, before=None, limit=10)
    assert earlier.ended_at == NOON + timedelta(minutes=20)
    assert later.ended_at is None


@pytest.mark.parametrize(("idle", "ended"), [(29, 0), (31, 1)])
def test_half_an_idle_hour_of_the_domains_time_ends_a_session(store, being, clock, idle, ended):
    accept_messages(store, SETTINGS, being.being_id, [{"role": "user", "content": "Hello."}])
    clock.advance(minutes=idle)
    with store.transaction() as tx:
        assert len(messages.end_idle_sessions(tx, 10)) == ended


def test_messages_cost_no_task_without_a_model(store, being, sent):
    def asked() -> set[str]:
        said = [{"role": "user", "content": f"Words {n}."} for n in range(8)]
        accept_messages(store, KEYLESS, being.being_id, said)
        return {message.kind for message in sent.take()}

    assert asked() == set()
    with store.transaction() as tx:
        assert tx.value("select count(*) from memory.work") == 0

    keys.add(store, KEYLESS, being.user_id, "anthropic", "sk-ant-of-the-user")
    judging.request_waiting(store, Thinkers(KEYLESS))
    conversation.request_waiting(store, Thinkers(KEYLESS))
    assert {message.kind for message in sent} == {"shadow.judge", "rolling.summarise"}


def test_a_message_from_the_future_is_refused_by_its_place_and_stops_no_other(store, being):
    late = {**said(0, 1), "created_at": (datetime.now(UTC) + timedelta(minutes=61)).isoformat()}
    soon = {**said(0, 2), "created_at": (datetime.now(UTC) + timedelta(minutes=59)).isoformat()}

    receipt = accept_messages(store, SETTINGS, being.being_id, [late, {"role": "user"}, soon, late])

    assert [(trouble.position, trouble.reason) for trouble in receipt.rejected] == [
        (0, "created_at: is more than 60 minutes in the future"),
        (1, "content: Field required"),
        (3, "created_at: is more than 60 minutes in the future"),
    ]
    assert [id_ is None for id_ in receipt.ids] == [True, True, False, True]
