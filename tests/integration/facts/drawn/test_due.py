"""Due facts are listed, noticed once for each time, and delivered to a webhook that can tell each delivery."""

import base64
import hmac
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from pydantic import SecretStr

from memory.accounts import webhooks
from memory.due import webhook_delivery
from memory.intake.notes import accept_notes
from operations.facts.due import list_due, list_due_notices
from providers.webhooks import Undelivered
from schemas.intake.notes import NoteChanges
from schemas.ledger import kinds
from store.accounts import webhooks as stored_webhooks
from store.facts import todos
from store.intake import kept_notes
from store.ledger import work
from tests.conversations import ATTEMPTS, LEASE, todo
from tests.databases import answer_of
from tests.processes.webhooks import Receiver, running_receiver

SECRET_KEY = SecretStr("a secret of thirty-two characters")


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with running_receiver() as running:
        yield running


@pytest.fixture
def settings(settings):
    return settings.model_copy(update={"secret_key": SECRET_KEY, "webhook_private": True})


def now(talk):
    with talk.store.transaction() as tx:
        return tx.value("select memory.now()", [])


def remind(talk, content, due_at, **more):
    note = {"type": "reminder", "content": content, "due_at": due_at.isoformat(), **more}
    (id_,) = accept_notes(talk.store, talk.settings, talk.being.being_id, [note]).ids
    return id_


def listed(talk, **options):
    found = answer_of(talk.store, list_due, talk.being, **options)
    return [(one.kind, one.content) for one in found.due]


def webhook_of(talk):
    with talk.store.transaction() as tx:
        return stored_webhooks.get(tx, talk.being.user_id)


def noticed(talk, cursor=None):
    webhook_delivery.notice(talk.store)
    return answer_of(talk.store, list_due_notices, talk.being, cursor=cursor, limit=50)


def says_tomorrow(talk):
    talk.hears("I'll call Mum tomorrow.", todos=[todo("I'll call Mum tomorrow", "Call Mum.", due="tomorrow")])


def deliveries(talk):
    with talk.store.transaction() as tx:
        return [
            row["key"]
            for row in tx.execute(
                "select key from memory.work where owner_id = %s and kind = %s and state = 'ready'",
                [talk.being.being_id, kinds.DELIVER_DUE.name],
            )
        ]


@contextmanager
def delivering(talk):
    (key,) = deliveries(talk)
    with talk.store.transaction() as tx:
        claim = work.claim(tx, talk.being.being_id, kinds.DELIVER_DUE.name, key, lease=LEASE, attempts=ATTEMPTS)
    yield claim


def deliver(talk):
    with delivering(talk) as claim:
        webhook_delivery.deliver(talk.store, talk.settings, claim)


def test_what_is_due_by_a_time_is_listed_earliest_first(talk, clock):
    says_tomorrow(talk)
    remind(talk, "Water the ferns.", now(talk) - timedelta(hours=1))
    remind(talk, "Renew the passport.", now(talk) + timedelta(days=300))
    assert listed(talk) == [("reminder", "Water the ferns.")]
    in_two_days = now(talk) + timedelta(days=2)
    assert listed(talk, until=in_two_days) == [("reminder", "Water the ferns."), ("todo", "Call Mum.")]
    first = answer_of(talk.store, list_due, talk.being, until=in_two_days, limit=1)
    assert listed(talk, until=in_two_days, cursor=first.cursor) == [("todo", "Call Mum.")]
    clock.advance(days=2)
    assert ("todo", "Call Mum.") in listed(talk)


def test_the_companions_promises_are_due_as_promises(talk, clock):
    talk.says("Thanks.", {"role": "assistant", "content": "I'll ask you about it tomorrow."}, "Fine.")
    promise = todo("I'll ask you about it tomorrow", "Ask about it.", kind="promise", speaker="companion", message="m2")
    talk.answers(todos=[promise | {"due": "tomorrow"}])
    talk.judged()
    clock.advance(days=2)
    assert listed(talk) == [("promise", "Ask about it.")]


def test_each_time_is_noticed_once_whoever_looks_at_once(talk, clock):
    says_tomorrow(talk)
    note_id = remind(talk, "Water the ferns.", now(talk) + timedelta(hours=1))
    assert noticed(talk).notices == []
    clock.advance(days=2)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda _: webhook_delivery.notice(talk.store), range(8)))
    first = noticed(talk)
    assert sorted(one.content for one in first.notices) == ["Call Mum.", "Water the ferns."]
    with talk.store.transaction() as tx:
        left = "select count(*) from memory.{} where due_at <= memory.now() and noticed_due_at is distinct from due_at"
        assert [tx.value(left.format(table), []) for table in ("todos", "notes")] == [0, 0], "none is looked at again"
    assert noticed(talk, first.cursor).notices == []
    with talk.store.transaction() as tx:
        kept_notes.change(
            tx, talk.being.being_id, note_id, NoteChanges(due_at=now(talk) + timedelta(hours=1)).model_dump()
        )
    assert noticed(talk, first.cursor).notices == []
    clock.advance(days=1)
    assert [one.content for one in noticed(talk, first.cursor).notices] == ["Water the ferns."]


def test_a_notice_survives_the_transaction_that_failed_to_make_it(talk):
    remind(talk, "Water the ferns.", now(talk))
    with talk.store.transaction() as tx:
        tx.execute("select * from memory.notice_due(10, '7 days')")
        tx.rollback()
    assert [one.content for one in noticed(talk).notices] == ["Water the ferns."]


def test_nothing_is_noticed_of_what_is_closed_or_was_due_long_ago(talk, clock):
    says_tomorrow(talk)
    remind(talk, "Pay the rent of 2019.", datetime(2019, 1, 1, tzinfo=UTC))
    with talk.store.transaction() as tx:
        (open_,) = todos.page(tx, talk.being.being_id, limit=1)
        todos.change(tx, talk.being.being_id, open_.todo_id, {"status": "DONE"})
    clock.advance(days=2)
    assert noticed(talk).notices == []
    assert [content for _, content in listed(talk)] == ["Pay the rent of 2019."]


def test_what_is_due_is_found_by_index(talk):
    with talk.store.transaction() as tx:
        tx.execute("set local enable_seqscan = off")
        for table, also in (("todos", "status = 'OPEN'"), ("notes", "type = 'reminder' and read_at is null")):
            plan = tx.execute(
                f"explain select 1 from memory.{table} where {also} and due_at is not null"  # noqa: S608  # constants
                " and noticed_due_at is distinct from due_at and due_at <= memory.now() order by due_at limit 500"
            )
            assert f"{table}_to_notice" in "\n".join(row["QUERY PLAN"] for row in plan)


def test_a_delivery_is_signed_and_holds_what_is_due(talk, receiver):
    secret = webhooks.put(talk.store, talk.settings, talk.being.user_id, f"{receiver.url}/hook?for=me").secret
    remind(talk, "Water the ferns.", now(talk))
    (notice,) = noticed(talk).notices
    deliver(talk)
    ((path, headers, body),) = receiver.took
    told = json.loads(body)
    assert (path, told["type"], told["notice"]["content"]) == ("/hook?for=me", "due", "Water the ferns.")
    assert (told["being_id"], headers["Webhook-Id"]) == (str(talk.being.being_id), str(notice.notice_id))
    signed = f"{headers['Webhook-Id']}.{headers['Webhook-Timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    expected = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    assert headers["Webhook-Signature"] == f"v1,{expected}"
    assert webhook_of(talk).delivered_at is not None
    with talk.store.transaction() as tx:
        stored = tx.value("select sealed from memory.webhooks", [])
    assert secret.encode() not in bytes(stored)


def test_a_delivery_that_a_kill_repeats_has_the_same_id_and_one_that_was_recorded_is_not_repeated(
    talk, receiver, monkeypatch
):
    webhooks.put(talk.store, talk.settings, talk.being.user_id, receiver.url)
    remind(talk, "Water the ferns.", now(talk))
    noticed(talk)

    def killed(*_, **__):
        raise KeyboardInterrupt

    with delivering(talk) as claim:
        with monkeypatch.context() as patch:
            patch.setattr(talk.store, "finishing", killed)
            with pytest.raises(KeyboardInterrupt):
                webhook_delivery.deliver(talk.store, talk.settings, claim)
        webhook_delivery.deliver(talk.store, talk.settings, claim)
    assert len({headers["Webhook-Id"] for _, headers, _ in receiver.took}) == 1
    assert len(receiver.took) == 2
    with talk.store.transaction() as tx:
        work.ask(tx, talk.being.being_id, kinds.DELIVER_DUE, claim.key)
    deliver(talk)
    assert len(receiver.took) == 2


@pytest.mark.parametrize("status", [500, 429, 302, 410])
def test_a_webhook_that_does_not_take_a_delivery_gets_it_again(talk, receiver, status):
    webhooks.put(talk.store, talk.settings, talk.being.user_id, receiver.url)
    remind(talk, "Water the ferns.", now(talk))
    noticed(talk)
    receiver.statuses = [status]
    with delivering(talk) as claim:
        with pytest.raises(Undelivered, match=str(status)):
            webhook_delivery.deliver(talk.store, talk.settings, claim)
        assert len(receiver.took) == 1, "redirects are not followed"
        assert str(status) in (webhook_of(talk).failure or "")
        webhook_delivery.deliver(talk.store, talk.settings, claim)
    assert len(receiver.took) == 2


def test_what_is_closed_or_older_than_the_patience_is_not_delivered(talk, receiver, clock):
    webhooks.put(talk.store, talk.settings, talk.being.user_id, receiver.url)
    note_id = remind(talk, "Water the ferns.", now(talk))
    noticed(talk)
    with talk.store.transaction() as tx:
        kept_notes.remove(tx, talk.being.being_id, note_id)
    deliver(talk)
    remind(talk, "Feed the cat.", now(talk))
    noticed(talk)
    clock.advance(days=4)
    deliver(talk)
    assert receiver.took == []


def test_a_user_without_a_webhook_causes_no_delivery(talk):
    remind(talk, "Water the ferns.", now(talk))
    assert len(noticed(talk).notices) == 1
    assert deliveries(talk) == []
