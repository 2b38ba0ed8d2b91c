"""With PATROL_POOLED=on the ledger relies on no state of a session: it works through PgBouncer in transaction mode."""

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from schemas.errors import Refused, StatementTimeout
from schemas.ledger.allowance import Allowance, allowed
from schemas.settings import Settings
from store.accounts import beings
from store.database import DatabaseAccess, Store
from store.migrate import await_migrated, migrate, missing
from store.shares import Limits
from tests.processes.pooler import pgbouncer
from workers.runtime.addresses import NothingRunsError, direct_url

REPEATED = 12


@pytest.fixture
def pooled(url):
    with pgbouncer(url, sessions=2) as through:
        yield through


@pytest.fixture
def ledger(pooled, url):
    with Store(
        pooled, limits=Limits(statement_seconds=7), access=DatabaseAccess(pooled=True, direct_url=url)
    ) as opened:
        yield opened


def test_each_transaction_has_the_parameters_of_the_process_and_leaves_no_trace(ledger, pooled, being):
    def parameters(tx):
        names = ("search_path", "statement_timeout", "idle_in_transaction_session_timeout", "random_page_cost")
        return [tx.value("select current_setting(%s)", [name]) for name in names]

    def once(_):
        with ledger.transaction() as tx:
            assert beings.get_being(tx, being.being_id) == being
            return parameters(tx)

    with ThreadPoolExecutor(4) as pool:
        seen = list(pool.map(once, range(REPEATED)))
    assert {tuple(each) for each in seen} == {("memory, public", "7s", "15s", "1.1")}
    with allowed(Allowance(statement_seconds=0.05)), pytest.raises(StatementTimeout), ledger.transaction() as tx:
        tx.execute("select pg_sleep(5)")
    with psycopg.connect(pooled, autocommit=True, prepare_threshold=None) as session:
        for _ in range(4):
            left = session.execute(
                """
                select (select count(*) from pg_prepared_statements), current_setting('search_path'),
                    current_setting('statement_timeout'), (select count(*) from pg_locks where locktype = 'advisory')
                """
            ).fetchone()
            assert left == (0, '"$user", public', "0", 0)


def test_a_database_is_migrated_and_awaited_through_it(new_database):
    with new_database(template="empty") as empty, pgbouncer(empty, sessions=2) as through:
        assert migrate(through)
        assert migrate(through) == []
        assert await_migrated(through)
        with Store(through, access=DatabaseAccess(pooled=True)) as ledger:
            for _ in range(REPEATED):
                with ledger.transaction() as tx:
                    assert missing(tx) == []


def test_what_needs_a_session_goes_to_the_database_itself_or_says_that_it_can_not(ledger, pooled, url):
    with ledger.maintenance() as session:
        session.execute("set maintenance_work_mem = '32MB'")
        assert session.info.port != int(pooled.rpartition(":")[2].partition("/")[0])
    with (
        Store(pooled, access=DatabaseAccess(pooled=True)) as alone,
        pytest.raises(Refused, match="set PATROL_DIRECT_URL"),
        alone.maintenance(),
    ):
        pass
    through = {"DATABASE_URL": pooled, "REDIS_URL": "redis://127.0.0.1:1", "pooled": True}
    with pytest.raises(NothingRunsError, match=r"PATROL_POOLED is on\): set PATROL_DIRECT_URL"):
        direct_url(Settings(**through))
    assert direct_url(Settings(**through, direct_url=url)) == url
    assert direct_url(Settings(**through | {"pooled": False})) == pooled
