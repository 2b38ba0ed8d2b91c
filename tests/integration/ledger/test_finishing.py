"""A failure as work ends, at its last statement or at the commit, leaves nothing behind and the ledger usable."""

import psycopg
import pytest

from schemas.errors import LeaseLost, Unavailable

FINDING = "insert into memory.heartbeats (name) values ('found')"


@pytest.fixture
def found(store):
    """Whether the effect of the work was kept."""

    def looked():
        with store.transaction() as tx:
            return tx.execute("select from memory.heartbeats where name = 'found'").rowcount == 1

    return looked


@pytest.fixture
def finish_with(store, claim):
    """Finish the work with these statements; the test may end the connection before the last."""

    def finish(*statements, gone=False):
        with store.finishing(claim()) as tx:
            for statement in statements:
                tx.execute(statement)
            if gone:
                with store.transaction() as another:
                    another.execute("select pg_terminate_backend(%s, 5000)", [tx.info.backend_pid])

    return finish


def test_the_effects_are_kept_with_the_done_state(ask, finish_with, row, found):
    ask()
    finish_with(FINDING)

    assert found()
    assert row()["state"] == "done"


def test_a_lease_that_is_lost_at_the_last_statement_takes_the_effects_along(ask, finish_with, row, found):
    ask()
    with pytest.raises(LeaseLost):
        finish_with(FINDING, "update memory.work set fence = fence + 1")

    assert not found()
    assert (row()["state"], row()["fence"]) == ("running", 1)


def test_a_rule_that_is_broken_at_the_commit_takes_the_effects_along(store, ask, finish_with, row, found):
    with store.transaction() as tx:
        tx.execute("create table memory.once (number int unique deferrable initially deferred)")
    ask()
    with pytest.raises(psycopg.errors.UniqueViolation):
        finish_with(FINDING, "insert into memory.once values (1), (1)")

    assert not found()
    assert row()["state"] == "running"


def test_a_connection_that_is_lost_before_the_end_takes_the_effects_along(ask, finish_with, row, found):
    ask()
    with pytest.raises(Unavailable):
        finish_with(FINDING, gone=True)

    assert not found()
    assert row()["state"] == "running"
