"""While a worker has a message, Redis keeps it only if nothing else would send it again."""

import gc

import kombu.transport
import pytest
from kombu import Connection, Queue

from schemas.ledger.kinds import JUDGE, SWEEP
from tests.acceptance.ledger.conftest import BAKERY
from tests.fakes.provider import Behaviour
from workers.runtime.celery.deliveries import Transport

QUEUE = Queue("shadow")
SENT_AGAIN = [JUDGE.name, SWEEP.name]
ONLY_COPIES = ["ingest.notes", "ingest.messages", "shadow.of_another_program", None]


@pytest.fixture
def connect(redis, monkeypatch):
    """Open a connection as a worker's; returns it."""
    # Kombu looks a scheme's transport up once, and another test may have connected first.
    monkeypatch.setitem(kombu.transport._transport_cache, "redis", Transport)  # noqa: SLF001
    opened = []

    def connection():
        opened.append(Connection(redis.broker_url))
        return opened[-1]

    yield connection
    for one in opened:
        one.release()


@pytest.fixture
def send(connect):
    """Send messages for tasks of these names."""

    def to_queue(*tasks):
        with connect() as connection, connection.Producer() as producer:
            for task in tasks:
                producer.publish([], routing_key=QUEUE.name, declare=[QUEUE], headers={"task": task} if task else {})

    return to_queue


@pytest.fixture
def take(connect):
    """Take up to `limit` messages on a new connection; returns it with them."""

    def messages(count, limit=0):
        connection, taken = connect(), []
        consumer = connection.Consumer([QUEUE], callbacks=[lambda _, message: taken.append(message)])
        consumer.qos(prefetch_count=limit)
        consumer.consume()
        while len(taken) < count:
            connection.drain_events(timeout=60)
        return connection, taken

    return messages


@pytest.mark.parametrize("task", SENT_AGAIN)
def test_what_is_sent_again_is_not_recorded(redis_client, send, take, task):
    send(task)
    _, (message,) = take(1)
    assert not redis_client.exists("unacked", "unacked_index", QUEUE.name)
    message.ack()
    assert not redis_client.exists("unacked", "unacked_index", QUEUE.name)


@pytest.mark.parametrize("task", ONLY_COPIES)
def test_an_only_copy_is_recorded_until_it_is_acknowledged(redis_client, send, take, task):
    send(task)
    _, (message,) = take(1)
    assert redis_client.hlen("unacked") == redis_client.zcard("unacked_index") == 1
    message.ack()
    assert not redis_client.exists("unacked", "unacked_index", QUEUE.name)


@pytest.mark.parametrize("task", [*SENT_AGAIN, *ONLY_COPIES])
def test_a_rejected_message_returns_to_its_queue_once(redis_client, send, take, task):
    send(task)
    connection, (message,) = take(1)
    message.reject(requeue=True)
    connection.release()
    assert redis_client.llen(QUEUE.name) == 1
    _, (again,) = take(1)
    assert again.headers.get("task") == task
    assert again.headers["redelivered"]
    again.reject()
    assert not redis_client.exists("unacked", "unacked_index", QUEUE.name)


def test_what_a_closing_connection_has_returns_to_its_queue(redis_client, send, take):
    send(*SENT_AGAIN, *ONLY_COPIES)
    connection, taken = take(6)
    finished = [taken[0], taken[2]]
    for message in finished:
        message.ack()
    connection.release()
    gc.collect()
    assert not redis_client.exists("unacked", "unacked_index")
    _, again = take(4)
    assert {one.headers.get("task") for one in again} == {SENT_AGAIN[1], *ONLY_COPIES[1:]}


def test_all_count_towards_the_prefetch_limit(redis_client, send, take):
    send(*SENT_AGAIN, *ONLY_COPIES)
    connection, taken = take(2, limit=2)
    with pytest.raises(TimeoutError):
        connection.drain_events(timeout=0.1)
    assert redis_client.llen(QUEUE.name) == 4
    taken[0].ack()
    connection.drain_events(timeout=60)
    assert len(taken) == 3


def test_a_worker_takes_messages_so(life, redis_client, wait_until):
    life.provider.script(Behaviour(do="hang", seconds=600))
    life.worker()
    life.remember(*BAKERY)
    life.demand()
    life.provider.wait_for_requests(1)
    assert not redis_client.exists("unacked", "unacked_index")
    life.provider.release()
    wait_until(life.settled)
