"""The ledger is there again as soon as its server is, however long that was away."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from schemas.errors import Unavailable
from store.database import Store
from tests.processes import clusters
from workers.embedded.postgres import EmbeddedPostgres
from workers.embedded.processes import wait_until

# Long enough for waits that double to have grown past the patience below.
AWAY = 8.0
PATIENCE = 5.0


@pytest.mark.long
def test_a_request_succeeds_as_soon_as_the_server_is_back(tmp_path_factory):
    home = tmp_path_factory.mktemp("pg")
    clusters.lay(home / "data", clusters.migrated)
    with (
        EmbeddedPostgres(home / "data", home, durable=False) as server,
        ThreadPoolExecutor() as pool,
        Store(server.url) as store,
    ):
        store.ping()
        server.crash()
        over = threading.Event()

        def keeps_asking():
            while not over.is_set():
                try:
                    store.ping()
                except Unavailable:
                    continue

        asking = [pool.submit(keeps_asking) for _ in range(3)]
        try:
            assert not wait_until(over.is_set, AWAY)
            server.start()
            with store.transaction(patience=PATIENCE) as tx:
                assert tx.execute("select 1 as one").fetchone() == {"one": 1}
        finally:
            over.set()
        for asker in asking:
            asker.result()
