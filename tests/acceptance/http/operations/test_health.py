"""Health needs no token: readiness concerns the process, and `/health/work` the progress of each queue."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import httpx2
import pytest
from celery import Celery

from schemas.ledger.kinds import QUEUES, TICK_QUEUE
from tests.acceptance.conftest import PATIENCE, answers, api_process, people
from tests.acceptance.http.intake.scenes import scene
from workers.embedded.supervisor import Supervisor


def test_it_is_green_without_a_token(stack, wait_until):
    wait_until(lambda: answers(stack.url, "/health/work"))  # earlier tests may have left work
    for path in ("/health/live", "/health/ready", "/health/work"):
        answer = httpx2.get(stack.url + path, timeout=PATIENCE)
        assert (answer.status_code, answer.json()["status"]) == (200, "ok")
        # Uptime monitors and `wget --spider` ask so.
        answer = httpx2.head(stack.url + path, timeout=PATIENCE)
        assert (answer.status_code, answer.content) == (200, b"")


@pytest.mark.parametrize(("kind", "check"), [("upkeep.curate", "due work"), ("nobody.hears", "kinds of work")])
def test_it_turns_red_when_due_work_is_left_lying(stack, ledger, problem, wait_until, kind, check):
    with ledger.transaction() as tx:
        # The sweep takes the message for sent, so that no worker hears of it.
        tx.execute(
            "insert into memory.work (owner_id, kind, key, queue, next_at, dispatched_at) values"
            " (uuidv7(), %s, 'left lying', 'upkeep', clock_timestamp() - interval '1 hour',"
            " clock_timestamp() + interval '1 hour')",
            [kind],
        )
    try:
        expected = {
            "database": True,
            "due work": True,
            "work in hand": True,
            "beat": True,
            "kinds of work": True,
            "daily budgets": True,
            "providers of language models": True,
            "redis": True,
            "row-level security": True,
        } | {check: False}

        def told():
            return problem(httpx2.get(stack.url + "/health/work", timeout=PATIENCE), 503)

        assert f"{check}: " in told()["detail"]
        if check == "due work":
            assert "`upkeep`" in told()["detail"]
        # Other tests may have left dead work, and talk in other languages, which turn nothing red.
        left = {"dead work", "languages"}
        wait_until(
            lambda: {one["name"]: one["good"] for one in told()["checks"] if one["name"] not in left} == expected
        )
        for path in ("/health/live", "/health/ready"):
            assert httpx2.get(stack.url + path, timeout=PATIENCE).status_code == 200
    finally:
        with ledger.transaction() as tx:
            tx.execute("delete from memory.work where key = 'left lying'")
    wait_until(lambda: httpx2.get(stack.url + "/health/work", timeout=PATIENCE).status_code == 200)


@pytest.mark.long
def test_a_worker_that_answers_and_takes_nothing_turns_it_red(stack, person, problem, wait_until, tmp_path, launch):
    url, strict = api_process(
        "strict",
        {**stack.environment, "PATROL_DUE_LIMIT": "PT1S"},
    )
    celery = Celery(broker=stack.broker_url)

    def working():
        return httpx2.get(f"{url}/health/work", timeout=PATIENCE).status_code

    with Supervisor(tmp_path, launch=launch) as supervisor:
        supervisor.start([strict])
        wait_until(lambda: working() == 200)
        try:
            for queue in (*QUEUES, TICK_QUEUE):
                celery.control.cancel_consumer(queue, reply=True)
            wait_until(lambda: [*(celery.control.inspect().active_queues() or {}).values()] == [[]])
            person.ask("POST", "/patrols")
            # The worker is alive, and says so.
            wait_until(lambda: celery.control.ping(timeout=1.0))
            wait_until(lambda: working() == 503)
            told = problem(httpx2.get(f"{url}/health/work", timeout=PATIENCE), 503)["detail"]
            assert "no worker takes the due work of the queues" in told
        finally:
            for queue in (*QUEUES, TICK_QUEUE):
                celery.control.add_consumer(queue, reply=True)
        wait_until(lambda: working() == 200)
    celery.close()


@pytest.fixture(scope="module")
def deaf(stack, tmp_path_factory, launch):
    """An API like the stack's whose Celery messages reach no worker, and which refuses a third waiting note."""
    url, process = api_process(
        "deaf",
        {
            **stack.environment,
            "REDIS_URL": "redis://127.0.0.1:1/0",
            "PATROL_MOST_PENDING": "2",
            "PATROL_MOST_UNJUDGED": "2",
            # Used by no worker, but messages that no key can pay for count for no limit.
            "ANTHROPIC_API_KEY": "sk-ant-of-these-tests",
        },
    )
    with Supervisor(tmp_path_factory.mktemp("deaf"), launch=launch) as supervisor:
        supervisor.start([process])
        yield replace(stack, url=url, redis_url="", broker_url="", logs=supervisor.logs, supervisor=supervisor)


@pytest.fixture
def unheard(deaf, ledger):
    with people(ledger) as make:
        yield make(deaf)


def test_without_redis_work_is_red_and_the_process_is_ready_and_takes_notes(unheard, problem, wait_until):
    assert "redis: unreachable" in problem(unheard.client.get("/health/work"), 503)["detail"]
    assert unheard.client.get("/health/ready").status_code == 200
    assert unheard.ask("POST", "/notes", json=scene()).json()["accepted"] == 1
    # The patrol's message reached no worker either: the sweep finds it in the ledger, and the stack's worker runs it.
    assert unheard.patrol()["counts"]["nodes"] == 1
    wait_until(lambda: unheard.ask("GET", "/nodes").json()["nodes"] != [])


def test_a_full_door_says_when_to_come_again(unheard, problem):
    for number in range(2):
        assert unheard.ask("POST", "/notes", json=scene(f"{number}")).status_code == 202
    answer = unheard.ask("POST", "/notes", json=scene())
    assert "2 notes" in problem(answer, 429)["detail"]
    assert int(answer.headers["retry-after"]) > 0


def test_messages_that_would_wait_too_long_are_refused_as_notes_are(unheard, problem):
    said = {"role": "user", "content": "It rains."}
    assert unheard.ask("POST", "/messages", json=[said, said]).status_code == 202
    for path, body in (("/messages", said), ("/turns", {"messages": [said], "process": "externalDialog"})):
        answer = unheard.ask("POST", path, json=body)
        assert "2 messages" in problem(answer, 429)["detail"]
        assert int(answer.headers["retry-after"]) > 0


def test_many_at_once_are_all_answered(person):
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda number: person.ask("POST", "/notes", json=scene(f"{number}.")), range(64)))
    assert {answer.status_code for answer in answers} == {202}
    assert len(person.ask("GET", "/notes", params={"limit": 200}).json()["notes"]) == 64
