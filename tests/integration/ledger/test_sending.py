"""Messages are sent after the commit, by the store alone: what is accepted stays accepted, whatever becomes of them."""

from datetime import timedelta

import pytest
import structlog

from memory.intake.notes import accept_notes
from memory.upkeep import periodic
from schemas.ledger.kinds import CURATE, PATROL_DUE, STEPS
from schemas.settings import Settings
from store.database import Store
from store.ledger import work
from store.patrol import runs

EAGER = Settings(embedder="minilm", pending_notes=1)
SCENE = {"type": "scene", "content": {"action": "It rained.", "actors": ["Mira"], "when": ["2026-03-02"]}}


@pytest.fixture
def sending(url):
    """Open another ledger over the same database, that sends in this way, with one connection."""
    opened = []

    def make(send):
        opened.append(Store(url, connections=1, send=send).__enter__())
        return opened[-1]

    yield make
    for store in opened:
        store.__exit__(None, None, None)


def test_a_message_is_sent_when_its_row_can_be_seen_and_the_connection_is_free(store, sending, owner):
    seen = []

    def look(messages):
        for message in messages:
            with store.transaction() as other:
                seen.append(work.state(other, message.owner_id, message.kind, message.key))
            with sender.transaction(patience=1.0) as own:
                seen.append(work.state(own, message.owner_id, message.kind, message.key))

    sender = sending(look)
    with sender.transaction() as tx:
        work.ask(tx, owner, CURATE)
        assert seen == []
    assert seen == ["ready", "ready"]


def test_a_transaction_that_fails_sends_nothing_and_leaves_nothing_for_the_next(sending, sent, owner):
    store = sending(sent.extend)

    def fail():
        with store.transaction() as tx:
            work.ask(tx, owner, CURATE, "rolled back")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert sent == []
    with store.transaction() as tx:
        work.ask(tx, owner, CURATE, "committed")
    assert [message.key for message in sent] == ["committed"]


def test_messages_leave_together_in_the_order_in_which_they_were_asked_for(sending, owner):
    batches = []
    with sending(batches.append).transaction() as tx:
        for key in "abc":
            work.ask(tx, owner, CURATE, key)
    assert [[message.key for message in batch] for batch in batches] == [["a", "b", "c"]]


def test_a_sender_that_fails_leaves_the_input_accepted_and_the_sweep_sends_again(store, sending, being, sent):
    def broken(_):
        raise ConnectionError

    with structlog.testing.capture_logs() as logs:
        receipt = accept_notes(sending(broken), EAGER, being.being_id, [SCENE])
    assert receipt.accepted == 1
    assert {"event": "dispatch.failed", "messages": 1, "error": "ConnectionError", "log_level": "warning"} in logs

    with store.transaction() as tx:
        tx.execute(
            "update memory.work set dispatched_at = dispatched_at - %s", [work.LOST_AFTER + timedelta(seconds=1)]
        )
    periodic.sweep(store, EAGER, queued={PATROL_DUE.queue: 0})
    assert [message.kind for message in sent] == [STEPS["embed"].name]


def test_work_that_was_wanted_while_it_ran_is_sent_as_it_ends(store, ask, claim, row, sent):
    ask()
    held = claim()
    assert ask() == []
    assert [message.key for message in sent.by(lambda: finish(store, held))] == [held.key]
    assert row()["dispatched_at"] is not None
    assert sent.by(lambda: finish(store, claim())) == []
    assert row()["state"] == "done"


def test_work_that_was_wanted_for_later_is_not_sent_as_it_ends(store, ask, claim, row, sent):
    ask()
    held = claim()
    ask(after=timedelta(hours=1))
    assert sent.by(lambda: finish(store, held)) == []
    assert row()["dispatched_at"] is None


def test_work_that_is_handed_back_is_sent_at_once(store, ask, claim, sent):
    ask()
    held = claim()
    with store.transaction() as tx:
        work.hand_back(tx, held)
    assert [message.key for message in sent] == [held.key]
    with store.transaction() as tx:
        assert work.take_due(tx, limit=10) == []


def test_the_end_of_a_patrol_sends_the_one_that_waited(store, being, sent):
    with store.transaction() as tx:
        first = runs.want(tx, being.being_id, demanded=True, notes=1)
        second = runs.want(tx, being.being_id, demanded=True, notes=1)
    assert [message.key for message in sent.take()] == [str(first)]
    with store.transaction() as tx:
        assert runs.end(tx, being.being_id, first, notes=1) == second
    assert [(message.kind, message.key) for message in sent] == [(STEPS["embed"].name, str(second))]


def test_the_next_link_of_a_chain_is_left_to_the_chain(store, owner, sent):
    with store.transaction() as tx:
        assert work.ask(tx, owner, STEPS["assign"], in_chain=True)
    assert sent == []
    with store.transaction() as tx:
        assert work.take_due(tx, limit=10) == [], "the chain's message counts as sent"


def finish(store, held):
    with store.finishing(held):
        pass
