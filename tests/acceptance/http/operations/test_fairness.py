"""One user's load is that user's: it is bounded, refused in time, and never in another user's way."""

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace

import pytest

from tests.acceptance.conftest import api_process, people
from tests.acceptance.http.intake.scenes import scene
from workers.embedded.supervisor import Supervisor

BULK = 101
# Four users' concurrent requests have threads; each of five users sends fewer than are handled at a time.
MORE_THAN_THREADS = 150


@pytest.fixture(scope="module")
def apis(stack, tmp_path_factory, launch):
    """More APIs over the stack's servers: an impatient one, one that takes few requests, one with few connections."""
    limits = {
        "impatient": {"PATROL_STATEMENT_TIMEOUT": "0.3", "PATROL_BULK_STATEMENT_TIMEOUT": "0.3"},
        "few requests": {"PATROL_USER_REQUESTS": "2", "PATROL_STATEMENT_TIMEOUT": "60"},
        "few connections": {
            "PATROL_DATABASE_CONNECTIONS": "3",
            "PATROL_STATEMENT_TIMEOUT": "60",
            "PATROL_BULK_WAIT": "0.1",
        },
    }
    environment = {**stack.environment}
    started = {name: api_process(name, {**environment, **own}) for name, own in limits.items()}
    with Supervisor(tmp_path_factory.mktemp("fairness"), launch=launch) as supervisor:
        supervisor.start([process for _, process in started.values()])
        yield {name: replace(stack, url=url) for name, (url, _) in started.items()}


@pytest.fixture
def new_person(apis, ledger):
    """Make a person who speaks to one of the APIs."""
    with people(ledger) as make:
        yield lambda api: make(apis[api])


@contextmanager
def held_up(ledger, *people):
    """Keep everything that is written to these people's Beings waiting while the block runs."""
    with ledger.transaction() as tx:
        # On a busy machine the requests that come meanwhile may take longer than an idle transaction may last.
        tx.execute("set local idle_in_transaction_session_timeout = 0")
        beings = [person.being.being_id for person in people]
        tx.execute("select from memory.beings where being_id = any(%s) for update", [beings])
        yield


def waiting(ledger):
    """How many statements wait for a lock."""
    with ledger.transaction() as tx:
        return tx.execute("select from pg_locks where not granted").rowcount


def notes_of(ledger, person):
    with ledger.transaction() as tx:
        rows = tx.execute("select producer_id from memory.notes where being_id = %s", [person.being.being_id])
        return Counter(row["producer_id"] for row in rows)


@pytest.mark.parametrize("items", [1, BULK])
def test_a_statement_that_takes_too_long_is_stopped_and_nothing_is_lost(new_person, ledger, problem, items):
    person = new_person("impatient")
    notes = [{**scene(), "id": f"mine {number}"} for number in range(items)]
    with held_up(ledger, person):
        answer = person.ask("POST", "/notes", json=notes)
    told = problem(answer, 503)
    assert told["type"].endswith(":timed-out")
    assert "fewer words, a smaller page or batch" in told["detail"]
    assert int(answer.headers["retry-after"]) > 0
    assert notes_of(ledger, person) == {}
    assert person.ask("POST", "/notes", json=notes).json()["accepted"] == items


def test_a_user_with_too_many_requests_is_refused_and_others_are_served(new_person, ledger, problem, wait_until):
    greedy, other = new_person("few requests"), new_person("few requests")
    with ThreadPoolExecutor(2) as pool:
        with held_up(ledger, greedy):
            before = waiting(ledger)
            answers = [pool.submit(greedy.ask, "POST", "/notes", json=scene(f"{number}.")) for number in range(2)]
            wait_until(lambda: waiting(ledger) >= before + 2)
            refused = greedy.client.get("/v1/beings")
            assert "2 concurrent requests" in problem(refused, 429)["detail"]
            assert int(refused.headers["retry-after"]) >= 1
            assert other.client.get("/v1/beings").status_code == 200
            assert other.ask("POST", "/notes", json=scene()).status_code == 202
        assert [answer.result().status_code for answer in answers] == [202, 202]
    assert greedy.client.get("/v1/beings").status_code == 200


def test_no_user_can_drain_the_pool(new_person, ledger, wait_until):
    greedy, other = new_person("few connections"), new_person("few connections")
    with ThreadPoolExecutor(16) as pool:
        with held_up(ledger, greedy):
            before = waiting(ledger)
            answers = [pool.submit(greedy.ask, "POST", "/notes", json=scene(f"{number}.")) for number in range(16)]
            wait_until(lambda: waiting(ledger) >= before + 2)
            for _ in range(5):
                assert other.client.get("/v1/beings").status_code == 200
            assert waiting(ledger) == before + 2
        assert {answer.result().status_code for answer in answers} == {202}
    assert notes_of(ledger, greedy).total() == 16


def test_bulk_is_told_when_to_come_again_while_live_requests_pass(new_person, ledger, problem, wait_until):
    importer, second, live = (new_person("few connections") for _ in range(3))
    with ThreadPoolExecutor(1) as pool:
        with held_up(ledger, importer):
            before = waiting(ledger)
            batch = [scene(f"{number}.") for number in range(BULK)]
            first = pool.submit(importer.ask, "POST", "/notes", json=batch)
            wait_until(lambda: waiting(ledger) >= before + 1)
            for person in (second, importer):
                for sent in (batch, [scene("long. " * 1000)] * 30):
                    answer = person.ask("POST", "/notes", json=sent)
                    assert "Nothing of this batch was taken" in problem(answer, 429)["detail"]
                    assert int(answer.headers["retry-after"]) >= 1
            assert live.ask("POST", "/notes", json=scene()).status_code == 202
            assert second.ask("POST", "/notes", json=scene()).status_code == 202
            assert live.ask("GET", "/notes").status_code == 200
        assert first.result().json()["accepted"] == BULK
    assert notes_of(ledger, second).total() == 1


def test_more_importers_than_threads_behind_a_slow_database_leave_threads_and_connections(
    new_person, ledger, problem, wait_until
):
    importers, reader = [new_person("few connections") for _ in range(5)], new_person("few connections")
    batch = [scene(f"{number}.") for number in range(BULK)]
    with ThreadPoolExecutor(MORE_THAN_THREADS) as pool:
        with held_up(ledger, *importers):
            before = waiting(ledger)
            answers = [
                pool.submit(importers[number % len(importers)].ask, "POST", "/notes", json=batch)
                for number in range(MORE_THAN_THREADS)
            ]
            wait_until(lambda: waiting(ledger) > before)
            for _ in range(5):
                assert reader.ask("GET", "/notes").status_code == 200
            wait_until(lambda: sum(answer.done() for answer in answers) == MORE_THAN_THREADS - 1)
            assert reader.ask("POST", "/notes", json=scene()).status_code == 202
            assert waiting(ledger) == before + 1
        for answer in answers:
            if answer.result().status_code != 202:
                problem(answer.result(), 429)
                assert int(answer.result().headers["retry-after"]) >= 1
    assert sum(notes_of(ledger, person).total() for person in importers) == BULK


def test_importers_that_come_again_when_they_are_told_get_everything_in_once(new_person, ledger):
    people, batches = [new_person("few connections") for _ in range(2)], range(4)
    refusals = []

    def hand_in(number):
        batch = [{**scene(f"{number}, {place}."), "id": f"{number}/{place}"} for place in range(BULK)]
        person = people[number % len(people)]
        while (answer := person.ask("POST", "/notes", json=batch)).status_code == 429:
            refusals.append(number)
            threading.Event().wait(int(answer.headers["retry-after"]))
        return answer.json()["accepted"]

    with ThreadPoolExecutor(len(batches)) as pool:
        assert list(pool.map(hand_in, batches)) == [BULK] * len(batches)
    assert refusals
    for own, person in enumerate(people):
        expected = {f"{number}/{place}" for number in batches[own :: len(people)] for place in range(BULK)}
        assert notes_of(ledger, person) == Counter(expected)
