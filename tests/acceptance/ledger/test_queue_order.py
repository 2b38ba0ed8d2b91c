"""Of the queues that one worker serves, judging comes first, and none starves."""

from collections import Counter
from itertools import pairwise

import pytest
from kombu import Connection, Queue

from schemas.ledger.kinds import LLM_QUEUES, QUEUES, SHARES, TICK_QUEUE

ROUNDS = 3
OTHERS = tuple(name for name in (*QUEUES, TICK_QUEUE) if name not in LLM_QUEUES)


@pytest.fixture
def options(redis, monkeypatch):
    """The configured options of the transport."""
    monkeypatch.setenv("DATABASE_URL", "postgresql://not-asked")
    monkeypatch.setenv("REDIS_URL", redis.broker_url)
    import celeryconfig  # noqa: PLC0415  # it reads where the servers are

    return celeryconfig.broker_transport_options


@pytest.fixture
def served():
    """The queues that one worker serves."""
    return LLM_QUEUES


@pytest.fixture
def taken(redis, options, served):
    """Send messages to queues, and take them as a worker's connection does; returns the queues in that order."""
    queues = [Queue(name) for name in served]
    order = []

    def take(queue, message):
        order.append(queue)
        message.ack()

    def send_and_take(sent):
        for name in sent:
            producer.publish(name, routing_key=name, declare=queues)
        while len(order) < len(sent):
            connection.drain_events(timeout=60)
        found = order.copy()
        order.clear()
        return found

    with (
        Connection(redis.broker_url, transport_options=options) as connection,
        connection.Producer() as producer,
        connection.Consumer(queues, callbacks=[take]),
    ):
        yield send_and_take


@pytest.mark.parametrize("served", [LLM_QUEUES, OTHERS])
def test_each_round_takes_as_many_messages_of_a_queue_as_its_share(taken, served):
    in_a_round = {name: SHARES.get(name, 1) for name in served}
    order = taken([name for name in served for _ in range(ROUNDS * max(in_a_round.values()))])
    length = sum(in_a_round.values())
    assert [Counter(order[length * at : length * (at + 1)]) for at in range(ROUNDS)] == [in_a_round] * ROUNDS
    assert len(set(in_a_round.values())) > 1


@pytest.mark.parametrize("served", [OTHERS])
def test_ticks_wait_for_one_round_at_most_however_much_work_waits(taken, served):
    others = sum(SHARES.get(name, 1) for name in served if name != TICK_QUEUE)
    order = taken([name for name in served for _ in range(40)])
    ticks = [place for place, name in enumerate(order) if name == TICK_QUEUE]
    assert max(after - before for before, after in pairwise([-1, *ticks])) <= others + 1


def test_a_queue_saves_up_no_turns_while_it_is_empty(taken):
    alone = ["session-close"] * 30
    assert taken(alone) == alone
    order = taken([name for name in ("session-close", "shadow") for _ in range(15)])
    a_round = sum(SHARES.get(name, 1) for name in LLM_QUEUES)
    assert order[: 2 * a_round].count("session-close") >= 2
