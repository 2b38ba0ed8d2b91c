"""Redis and Postgres stop at bad moments; when they are back, work goes on without an operator."""

import json

from memory.accounts.erasure import erase_messages
from providers.embedders import Embedders
from store.accounts import beings
from tests.acceptance.ledger.conftest import BAKERY, FAMILY


def is_ready(life, name="worker"):
    return f"{name}@" in life.started.logs(name) and " ready." in life.started.logs(name)


def test_messages_that_a_flush_deleted_are_sent_again_soon(life, redis_client, wait_until):
    life.remember(*BAKERY)
    life.demand()
    redis_client.flushall()
    life.worker()
    wait_until(life.settled)


def test_a_worker_listens_again_when_redis_is_back(life, redis, wait_until):
    workers = [life.worker()]
    wait_until(lambda: is_ready(life))
    redis.crash()
    life.remember(*BAKERY)
    redis.start()
    life.demand()

    def settled():
        # One that held a message when Redis closed ends itself (kombu 5.7), and whatever started it starts it again.
        if not workers[-1].alive:
            workers.append(life.worker(f"worker {len(workers)}"))
        return life.settled()

    wait_until(settled)


def test_what_was_erased_while_redis_was_down_leaves_the_streams_when_it_is_back(life, redis, redis_client, wait_until):
    said = {"being": str(life.being_id), "id": "1", "role": "user", "content": "I bought marzipan."}
    stays = {**said, "id": "2", "content": "I bought nougat."}
    for message in (said, stays):
        redis_client.xadd("patrol:messages", {"data": json.dumps(message)})
    life.say("I bought marzipan.")
    with life.store.transaction() as tx:
        being = beings.get_being(tx, life.being_id)
        (kept,) = tx.execute("select message_id from memory.messages")
    redis.crash()
    erase_messages(life.store, life.settings, Embedders(life.settings), [being], [kept["message_id"]])
    redis.start()
    assert redis_client.xlen("patrol:messages") == 2
    life.worker()
    wait_until(lambda: redis_client.xlen("patrol:messages") == 1)
    ((_, left),) = redis_client.xrange("patrol:messages")
    assert b"nougat" in left[b"data"]


def test_a_worker_that_finds_no_postgres_waits_for_it(life, postgres, wait_until):
    postgres.crash()
    life.worker()
    wait_until(lambda: is_ready(life))
    wait_until(lambda: "error connecting" in life.started.logs("worker"))
    postgres.start()
    life.remember(*BAKERY)
    life.demand()
    wait_until(life.settled)


def test_a_worker_gets_over_a_crash_of_postgres(life, postgres, wait_until, fresh):
    life.worker()
    life.remember(*BAKERY)
    life.demand()
    wait_until(lambda: bool(life.texts_embedded()))
    postgres.crash()
    postgres.start()
    life.remember(*FAMILY)
    life.demand()
    wait_until(life.settled)
    assert life.departs_from_replay(fresh) == []
