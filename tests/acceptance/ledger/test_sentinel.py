"""Redis behind Sentinel: when the master dies, workers and doors go on with the next one, and nothing is lost."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from celery import Celery
from redis import Redis
from redis.exceptions import RedisError

from tests.acceptance.ledger.conftest import BAKERY, FAMILY
from tests.acceptance.ledger.test_outages import is_ready
from tests.ports import free_port
from workers.embedded.processes import Child
from workers.embedded.redis import program
from workers.runtime.dispatch import send
from workers.runtime.redis_client import open_redis

NAME = "mymaster"


@dataclass(frozen=True)
class Watched:
    """A master, its replica, and a Sentinel that watches both."""

    url: str
    master: Child
    sentinel: Redis

    def master_port(self) -> int:
        """Return where the master is, as the Sentinel sees it."""
        return int(self.sentinel.sentinel_get_master_addr_by_name(NAME)[1])


@pytest.fixture
def watched(tmp_path, wait_until) -> Iterator[Watched]:
    def server(name: str, *options: str) -> Child:
        folder = tmp_path / name
        folder.mkdir()
        common = ["--bind", "127.0.0.1", "--dir", str(folder), "--save", "", "--repl-diskless-sync-delay", "0"]
        return Child([str(program()), *common, *options], folder / "log", env={})

    first, second, third = free_port(), free_port(), free_port()
    running = [
        server("first", "--port", str(first)),
        server("second", "--port", str(second), "--replicaof", "127.0.0.1", str(first)),
    ]

    # A Sentinel asks a master for its replicas at first, and then every ten seconds.
    def replicated() -> bool:
        try:
            with Redis(port=first, decode_responses=True) as master:
                return master.info("replication").get("slave0", {}).get("state") == "online"
        except RedisError:
            return False

    wait_until(replicated)
    configuration = Path(tmp_path / "sentinel.conf")
    configuration.write_text(
        f"port {third}\nbind 127.0.0.1\ndir {tmp_path}\n"
        f"sentinel monitor {NAME} 127.0.0.1 {first} 1\n"
        f"sentinel down-after-milliseconds {NAME} 500\nsentinel failover-timeout {NAME} 2000\n"
    )
    running.append(Child([str(program()), str(configuration), "--sentinel"], tmp_path / "sentinel.log", env={}))
    with Redis(port=third, decode_responses=True) as sentinel:

        def knows_both() -> bool:
            try:
                return [each["port"] for each in sentinel.sentinel_slaves(NAME)] == [second]
            except RedisError:
                return False

        wait_until(knows_both)
        yield Watched(f"sentinel://127.0.0.1:{third}/0", running[0], sentinel)
    for child in running:
        child.kill()


@pytest.fixture
def redis_url(watched) -> str:
    return watched.url


@pytest.fixture
def sender(watched):
    with Celery("sender", broker=watched.url, set_as_current=False) as app:
        app.conf.broker_transport_options = {"master_name": NAME, "max_retries": 1, "interval_start": 0.2}
        yield partial(send, app)


def test_a_failover_loses_nothing(life, watched, wait_until, fresh):
    workers = [life.worker()]
    wait_until(lambda: is_ready(life))
    with open_redis(f"{watched.url}?master={NAME}", socket_timeout=2.0) as client:
        client.set("known", "to both")
        assert client.wait(1, 5000) == 1
        life.remember(*BAKERY)
        life.demand()
        wait_until(lambda: bool(life.texts_embedded()))
        before = watched.master_port()
        watched.master.kill()
        life.remember(*FAMILY)
        life.demand()
        wait_until(lambda: watched.master_port() != before)

        def settled() -> bool:
            # One that held a message when Redis closed ends itself (kombu 5.7), and its supervisor starts it again.
            if not workers[-1].alive:
                workers.append(life.worker(f"worker {len(workers)}"))
            return life.settled()

        wait_until(settled)

        def finds_the_new_master() -> bool:
            try:
                return client.get("known") == b"to both"
            except RedisError:
                return False

        wait_until(finds_the_new_master)
    assert life.departs_from_replay(fresh) == []
