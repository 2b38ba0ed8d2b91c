"""Work that goes portion by portion sends for its next portion as it ends the last; the sweep never runs here."""

from collections.abc import Iterator
from datetime import timedelta

import pytest

from memory.talk import rolling, spine
from memory.talk.spine import MESSAGES_AT_ONCE as SPINE_PORTION
from memory.text.transcripts import MESSAGES_AT_ONCE as ROLLING_PORTION
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.ledger import kinds
from schemas.limits import SPINE_EVERY
from schemas.settings import Settings
from store.ledger import work
from tests.conversations import LEASE, Talk, judging_at_once
from tests.fakes.provider import FakeProvider, running_provider

PORTIONS = 3


@pytest.fixture
def provider() -> Iterator[FakeProvider]:
    """A model provider of the test's own."""
    with running_provider() as running:
        yield running


@pytest.fixture
def talk(store, being, provider) -> Talk:
    """A user who talks to a Being."""
    settings = judging_at_once(provider)
    return Talk(store, provider, being, settings, Thinkers(settings), Embedders(Settings(embedder="minilm")))


def done_by_messages(talk, sent, kind, do):
    """Do the units of a kind for which messages are sent, and no others; returns how many there were."""
    done = 0
    while messages := [message for message in sent.take() if message.kind == kind.name]:
        (message,) = messages
        with talk.store.transaction() as tx:
            claim = work.claim(tx, message.owner_id, message.kind, message.key, lease=LEASE, attempts=1)
        do(talk.store, talk.thinkers, talk.settings, claim)
        done += 1
    return done


def left(talk, column):
    with talk.store.transaction() as tx:
        return tx.value(f"select count(*) from memory.messages where {column} is null")  # noqa: S608  # our own columns


def test_a_rolling_summary_of_so_many_portions_is_sent_for_as_often(talk, sent):
    talk.says(*(f"I like number {number}." for number in range(PORTIONS * ROLLING_PORTION)))
    assert done_by_messages(talk, sent, kinds.ROLLING_SUMMARY, rolling.summarise) == PORTIONS
    assert left(talk, "rolling_version") == 0


def test_a_spine_of_so_many_portions_is_sent_for_as_often(talk, sent):
    talk.says(*(f"I like number {number}." for number in range(PORTIONS * SPINE_PORTION)))
    with talk.store.transaction() as tx:
        tx.execute("update memory.messages set judged = true")
        tx.execute("delete from memory.work")
    with talk.store.transaction() as tx:
        sent.clear()
        spine.request_if_due(tx, talk.being.user_id)
    assert done_by_messages(talk, sent, kinds.SPINE, spine.write) == PORTIONS
    assert left(talk, "spine_version") == 0


def test_a_spine_waits_in_a_backlog_until_all_is_judged(talk, sent):
    talk.says(*(f"I like number {number}." for number in range(SPINE_PORTION)))
    with talk.store.transaction() as tx:
        tx.execute("delete from memory.work")
        tx.execute("update memory.messages set judged = true")
        tx.execute("update memory.messages set judged = false where content = 'I like number 1.'")
        work.ask(tx, talk.being.being_id, kinds.JUDGE, "one session")
        work.ask(tx, talk.being.being_id, kinds.JUDGE, "another session")
    first, last = (judging_of(talk, session) for session in ("one session", "another session"))
    sent.clear()

    ends(talk, first)
    assert sent.take() == []
    ends(talk, last)
    assert [message.kind for message in sent.take()] == [kinds.SPINE.name]


def test_a_full_version_of_the_spine_waits_for_judging_but_not_for_long(talk, sent):
    talk.says(*(f"I like number {number}." for number in range(SPINE_PORTION)))
    with talk.store.transaction() as tx:
        tx.execute("update memory.messages set judged = true")
        work.ask(tx, talk.being.being_id, kinds.JUDGE, "one session")
        work.ask(tx, talk.being.being_id, kinds.JUDGE, "another session")
    claim = judging_of(talk, "one session")
    sent.clear()
    ends(talk, claim)
    assert sent.take() == []
    with talk.store.transaction() as tx:
        wait = tx.value("select next_at - clock_timestamp() from memory.work where kind = %s", [kinds.SPINE.name])
    assert timedelta(0) < wait <= timedelta(seconds=30)


def test_what_is_judged_while_a_version_is_written_waits_for_more_as_ever(talk, sent):
    talk.says(*(f"I like number {number}." for number in range(SPINE_PORTION + SPINE_EVERY)))
    with talk.store.transaction() as tx:
        tx.execute("delete from memory.work")
        tx.execute("update memory.messages set judged = true")
        work.ask(tx, talk.being.being_id, kinds.JUDGE, "one session")
        work.ask(tx, talk.being.being_id, kinds.JUDGE, "another session")
        spine.request_if_due(tx, talk.being.user_id)
    first, last = (judging_of(talk, session) for session in ("one session", "another session"))
    with talk.store.transaction() as tx:
        version = work.claim(tx, talk.being.user_id, kinds.SPINE.name, "", lease=LEASE, attempts=1)
    sent.clear()

    ends(talk, first)
    spine.write(talk.store, talk.thinkers, talk.settings, version)
    assert sent.take() == []
    ends(talk, last)
    assert [message.kind for message in sent.take()] == [kinds.SPINE.name]


def ends(talk, judging):
    """End a judging as the Shadow Judge does."""
    with talk.store.finishing(judging) as tx:
        after = spine.wait_for_more(tx, talk.being.user_id, judging)
        spine.request_after_judging(tx, talk.being.user_id, after=after)


def judging_of(talk, session):
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.being_id, kinds.JUDGE.name, session, lease=LEASE, attempts=1)
    assert claim
    return claim
