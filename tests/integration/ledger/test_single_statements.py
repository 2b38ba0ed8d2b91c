"""A single statement runs without a transaction around it, and on another connection where its own was lost."""

import psycopg
import pytest

from memory.accounts import access
from memory.accounts.access import Presented
from schemas.errors import StatementTimeout, Unavailable
from schemas.ledger.allowance import Allowance, allowed
from store.accounts import users
from store.database import Store
from store.transaction import value

SLOW = "select pg_sleep(30)"


def pid(tx):
    """The server process of a connection."""
    return value(tx, "select pg_backend_pid()")


@pytest.fixture
def alone(url):
    """A store with a single connection."""
    with Store(url, 1) as opened:
        yield opened


@pytest.fixture
def lose_connection(alone, url):
    """End the store's connection, as a restart of the server does."""

    def lose():
        with psycopg.connect(url, autocommit=True) as another:
            another.execute("select pg_terminate_backend(%s, 5000)", [alone.statement(pid)])

    return lose


def test_it_is_one_message_to_the_server(alone):
    with alone.transaction() as tx:
        assert tx.info.transaction_status == psycopg.pq.TransactionStatus.INTRANS
    assert alone.statement(lambda tx: tx.info.transaction_status) == psycopg.pq.TransactionStatus.IDLE


def test_a_lost_connection_is_replaced_and_the_statement_repeated(alone, lose_connection):
    before = alone.statement(pid)
    lose_connection()
    calls = []

    def look(tx):
        calls.append(tx)
        return pid(tx)

    assert alone.statement(look) != before
    assert len(calls) == 2


def test_a_transaction_does_not_begin_on_a_lost_connection(alone, lose_connection):
    before = alone.statement(pid)
    lose_connection()
    with alone.transaction() as tx:
        assert pid(tx) != before


def test_a_statement_that_fails_is_not_repeated_and_gives_its_connection_back(alone):
    calls = []

    def look(tx):
        calls.append(tx)
        return value(tx, "select 1 / 0")

    with pytest.raises(psycopg.errors.DivisionByZero):
        alone.statement(look)
    assert len(calls) == 1
    assert alone.statement(lambda tx: value(tx, "select 1")) == 1


def test_one_that_may_not_be_repeated_does_not_begin_on_a_lost_connection(alone, lose_connection):
    lose_connection()
    user = alone.statement(lambda tx: users.add_user(tx, "ada", "UTC"), once=True)
    with alone.transaction() as tx:
        assert users.all_users(tx) == [user]


def test_one_that_may_not_be_repeated_fails_where_its_connection_is_lost_meanwhile(alone, url):
    calls = []

    def add(tx):
        calls.append(tx)
        user = users.add_user(tx, "ada", "UTC")
        with psycopg.connect(url, autocommit=True) as another:
            another.execute("select pg_terminate_backend(%s, 5000)", [tx.info.backend_pid])
        return user, pid(tx)

    with pytest.raises(Unavailable):
        alone.statement(add, once=True)
    assert len(calls) == 1
    with alone.transaction() as tx:
        assert [user.name for user in users.all_users(tx)] == ["ada"]


def test_what_it_writes_is_committed(alone, lose_connection):
    lose_connection()
    user = alone.statement(lambda tx: users.add_user(tx, "ada", "UTC"))
    with alone.transaction() as tx:
        assert users.all_users(tx) == [user]


def test_the_allowance_bounds_it(alone):
    with allowed(Allowance(statement_seconds=0.05)), pytest.raises(StatementTimeout):
        alone.statement(lambda tx: value(tx, SLOW))
    assert alone.statement(lambda tx: value(tx, "select 1")) == 1


def test_within_a_joined_transaction_it_sees_what_that_has_written(alone):
    with alone.joined() as tx:
        user = users.add_user(tx, "ada", "UTC")
        assert alone.statement(lambda tx: users.get_user(tx, user.user_id)) == user


def test_a_request_is_admitted_where_the_connection_was_lost(alone, lose_connection):
    with alone.transaction() as tx:
        user = users.add_user(tx, "ada", "UTC")
    secret, _ = access.issue_token(alone, user.user_id, being_id=None, scopes=["read"], lifetime=None)
    lose_connection()
    (admitted,) = access.authenticate_each(alone, [Presented(secret)])
    assert admitted.caller.user_id == user.user_id
