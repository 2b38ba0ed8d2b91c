"""A transaction begins on another connection where its own was lost, and gives its connection back however it ends."""

import psycopg
import pytest

from memory.accounts import access
from memory.accounts.access import PresentedCredentials
from schemas.errors import StatementTimeout, Unavailable
from schemas.ledger.allowance import Allowance, allowed
from store.accounts import users
from store.database import Store

SLOW = "select pg_sleep(30)"


def pid(tx):
    """The server process of a connection."""
    return tx.value("select pg_backend_pid()")


def end(url, process):
    """End a connection, as a restart of the server does."""
    with psycopg.connect(url, autocommit=True) as another:
        another.execute("select pg_terminate_backend(%s, 5000)", [process])


@pytest.fixture
def alone(url):
    """A store with a single connection."""
    with Store(url, 1) as opened:
        yield opened


@pytest.fixture
def lost(alone, url):
    """The server process of the store's connection, which has ended."""
    with alone.transaction() as tx:
        process = pid(tx)
    end(url, process)
    return process


def test_a_transaction_does_not_begin_on_a_lost_connection(alone, lost):
    with alone.transaction() as tx:
        assert pid(tx) != lost


def test_a_request_is_admitted_where_the_connection_was_lost(alone, url):
    with alone.transaction() as tx:
        user = users.add_user(tx, "ada", "UTC")
    secret, _ = access.issue_token(alone, user.user_id, being_id=None, scopes=["read"], lifetime=None)
    with alone.transaction() as tx:
        process = pid(tx)
    end(url, process)
    (admitted,) = access.authenticate_each(alone, [PresentedCredentials(secret)])
    assert admitted.caller.user_id == user.user_id


def test_one_that_loses_its_connection_fails_and_keeps_nothing(alone, url):
    def add_two():
        with alone.transaction() as tx:
            users.add_user(tx, "ada", "UTC")
            end(url, pid(tx))
            users.add_user(tx, "bob", "UTC")

    with pytest.raises(Unavailable):
        add_two()
    with alone.transaction() as tx:
        assert users.all_users(tx) == []


@pytest.mark.parametrize(
    ("fault", "statement"), [(psycopg.errors.DivisionByZero, "select 1 / 0"), (StatementTimeout, SLOW)]
)
def test_one_that_fails_gives_its_connection_back(alone, fault, statement):
    with allowed(Allowance(statement_seconds=0.05)), pytest.raises(fault), alone.transaction() as tx:
        tx.execute(statement)
    with alone.transaction() as tx:
        assert tx.value("select 1") == 1


def test_within_a_joined_one_it_sees_what_that_has_written(alone):
    with alone.joined() as tx:
        user = users.add_user(tx, "ada", "UTC")
        with alone.transaction() as part:
            assert users.get_user(part, user.user_id) == user
