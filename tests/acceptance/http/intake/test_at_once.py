"""Concurrent requests of single messages share transactions, and each gets the answer that it would get alone."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic

from memory.accounts import access
from store.accounts import tokens

CLIENTS = 16


def said(number, **changes):
    return {"role": "user", "content": f"Loaf {number}.", "created_at": "2026-03-02T12:00:00Z", **changes}


def at_once(person, *requests):
    with ThreadPoolExecutor(CLIENTS) as pool:
        return [*pool.map(lambda request: person.ask("POST", "/messages", **request), requests)]


def contents(person):
    (session,) = person.ask("GET", "/sessions").json()["sessions"]
    listed = person.ask("GET", f"/sessions/{session['session_id']}/messages?limit=200").json()
    return sorted(message["content"] for message in listed["messages"])


def test_each_message_is_taken_once_and_each_caller_told_its_own_id(person):
    answers = at_once(person, *({"json": said(number, id=f"m{number}")} for number in range(64)))
    assert [answer.status_code for answer in answers] == [202] * 64
    ids = [answer.json()["ids"] for answer in answers]
    assert len({id_ for (id_,) in ids}) == 64
    again = at_once(person, *({"json": said(number, id=f"m{number}")} for number in range(64)))
    assert [answer.json()["duplicates"] for answer in again] == [1] * 64
    assert [answer.json()["ids"] for answer in again] == ids
    assert contents(person) == sorted(f"Loaf {number}." for number in range(64))


def test_of_one_id_at_once_one_message_is_taken(person):
    answers = at_once(person, *({"json": said(number % 2, id="one")} for number in range(32)))
    receipts = [answer.json() for answer in answers]
    assert sum(receipt["accepted"] for receipt in receipts) == 1
    assert sum(receipt["duplicates"] for receipt in receipts) == 15
    assert sum(len(receipt["conflicts"]) for receipt in receipts) == 16
    assert len(contents(person)) == 1


def test_a_key_is_applied_once_however_many_requests_have_it(person):
    answers = at_once(person, *({"json": said(0), "headers": {"Idempotency-Key": "k"}} for _ in range(32)))
    assert len({answer.json()["ids"][0] for answer in answers}) == 1
    assert len(contents(person)) == 1


def test_an_invalid_message_is_refused_to_its_own_caller(person, problem):
    requests = [{"json": said(number) if number % 3 else said(number, role="nobody")} for number in range(30)]
    answers = at_once(person, *requests, {"json": []})
    assert "at least one item" in problem(answers.pop(), 422)["detail"]
    for number, answer in enumerate(answers):
        if number % 3:
            assert answer.json()["accepted"] == 1
        else:
            assert "role" in problem(answer, 422)["detail"]
    assert len(contents(person)) == 20


def test_a_token_that_was_revoked_opens_nothing_while_other_requests_are_authenticated(person):
    secret, token = access.issue_token(
        person.ledger, person.user.user_id, being_id=None, scopes=["ingest"], lifetime=None
    )
    clients = [person.with_secret(secret) for _ in range(8)]
    enough, revoked = Event(), Event()

    def ask(client):
        asked = monotonic()
        return asked, client.post("/v1/beings/mira/messages", json=said(0, id="m")).status_code

    def keep_asking(client):
        seen = []
        while not revoked.is_set():
            seen.append(ask(client))
            if len(seen) > 5:
                enough.set()
        return [*seen, ask(client)]

    with ThreadPoolExecutor(8) as pool:
        asking = [pool.submit(keep_asking, client) for client in clients]
        assert enough.wait(60)
        with person.ledger.transaction() as tx:
            tokens.revoke_token(tx, person.user.user_id, token.token_id)
        at = monotonic()
        revoked.set()
        seen = [answer for one in asking for answer in one.result()]
    assert {status for asked, status in seen if asked > at} == {401}
    assert {status for _, status in seen} == {202, 401}
