"""A test finds its database as if no test had used it before."""

from datetime import UTC, datetime

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.rows import scalar_row

from store.transaction import Transaction
from tests.databases import Databases
from tests.scenes import make_being, make_user


@pytest.fixture
def databases(new_database):
    """Databases that no other test uses."""
    made = Databases(new_database)
    yield made
    made.close()


def contents(url):
    """How many rows each table has, the clock's shift and the next number of each sequence."""
    with psycopg.connect(url, row_factory=scalar_row) as session:
        names = "select relname from pg_class where relnamespace = 'memory'::regnamespace and relkind = %s order by 1"
        tables = session.execute(names, ["r"]).fetchall()
        sequences = session.execute(names, ["S"]).fetchall()
        assert tables
        assert sequences
        return (
            {name: session.execute(f"select count(*) from memory.{name}").fetchone() for name in tables},  # noqa: S608
            session.execute("select * from memory.clock").fetchall(),
            [
                session.execute("select nextval(%s::text::regclass)", [f"memory.{name}"]).fetchone()
                for name in sequences
            ],
        )


def test_what_a_test_writes_is_gone_for_the_next(databases):
    sent = []
    with databases.one() as database:
        before = contents(database.url)
    with databases.one() as again:
        assert again is database
        with again.ledger(sent.extend) as store, store.transaction() as tx:
            make_being(tx, make_user(tx))
            tx.execute("update memory.clock set shift = interval '1 day'")
        assert contents(again.url) != before
    used = datetime.now(UTC)
    with databases.one() as again:
        assert again is database
        assert contents(again.url) == before
        with again.ledger(sent.extend) as store, store.transaction() as tx:
            (server,) = tx.execute("select backend_start from pg_stat_activity where pid = pg_backend_pid()")
            assert server["backend_start"] < used


@pytest.mark.parametrize(
    "change",
    [
        "create table memory.more (id int)",
        "drop index memory.messages_by_words",
        "drop function memory.now() cascade",
        "alter table memory.facts disable trigger user",
        "create or replace function memory.now() returns timestamptz language sql as 'select now()'",
        "analyze memory.users",
        "delete from memory.migrations",
        "insert into memory.users (name, time_zone) select n::text, 'UTC' from generate_series(1, 6000) as n",
    ],
)
def test_a_database_that_was_changed_otherwise_is_used_by_no_other_test(databases, change):
    with databases.one() as database, Transaction.connect(database.url) as session:
        make_user(session)
        session.execute(change)
    with databases.one() as another:
        assert another is not database


def test_a_connection_that_a_test_leaves_open_is_closed(databases):
    with databases.one() as database:
        left = Transaction.connect(database.url)
        make_user(left)
        left.commit()
    with left, pytest.raises(psycopg.OperationalError):
        left.execute("select 1")
    with databases.one() as again:
        assert again is database


def test_a_database_that_a_test_closes_to_all_is_used_by_no_other(databases, postgres):
    with databases.one() as database, psycopg.connect(postgres.url, autocommit=True) as server:
        name = conninfo_to_dict(database.url)["dbname"]
        server.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", [name])
    with databases.one() as another:
        assert another is not database


def test_a_new_one_can_be_asked_for(databases):
    with databases.one() as database:
        pass
    with databases.one(new=True) as another:
        assert another is not database
