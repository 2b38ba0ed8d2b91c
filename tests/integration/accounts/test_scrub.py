"""Scrubbing the database's files as a role with fewer rights than a superuser: what it could not do is said."""

from datetime import timedelta
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql

from store.accounts.scrub import scrub
from tests.databases import as_superuser

PATIENCE = timedelta(seconds=10)


@pytest.fixture
def as_role(url):
    """Make a role that may log in and do nothing else, with some statements; returns the URL by which it logs in."""
    name = f"plain_{uuid4().hex[:8]}"
    role = sql.Identifier(name)
    with psycopg.connect(as_superuser(url), autocommit=True) as server:
        server.execute(sql.SQL("create role {} login").format(role))

        def logged_in(*statements):
            for statement in statements:
                server.execute(sql.SQL(statement).format(role))
            return psycopg.conninfo.make_conninfo(url, user=name)

        yield logged_in
        server.execute(sql.SQL("reassign owned by {} to current_user").format(role))
        server.execute(sql.SQL("drop owned by {}").format(role))
        server.execute(sql.SQL("drop role {}").format(role))


OWNING = """
    do $$ declare v_table regclass; begin
        for v_table in select oid from pg_class where relkind in ('r', 'p') and relnamespace = 'memory'::regnamespace
        loop
            execute format('alter table %s owner to {}', v_table);
        end loop;
    end $$
"""


def test_the_tables_owner_is_told_what_needs_a_superuser(as_role, store):
    done = scrub(as_role("grant usage, create on schema memory to {}", OWNING), patience=PATIENCE)

    with store.transaction() as tx:
        (tables,) = tx.execute(
            "select count(*) from pg_class where relkind = 'r' and relnamespace = 'memory'::regnamespace"
        )
    assert done.tables == tables["count"]
    assert (done.statistics, done.log) == (False, False)
    assert len(done.left) == 2
    assert "pg_catalog.pg_statistic was not rewritten" in done.left[0]
    assert "write-ahead log" in done.left[1]


def test_a_role_that_owns_no_table_is_told_of_each(as_role):
    done = scrub(as_role("grant usage on schema memory to {}"), patience=PATIENCE)

    assert (done.tables, done.statistics, done.log) == (0, False, False)
    assert any("memory.messages was not rewritten" in one for one in done.left)
