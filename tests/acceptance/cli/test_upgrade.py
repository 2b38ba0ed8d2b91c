"""Each release's dump, with its rows, becomes this version's schema by `patrol migrate`, and is read through the doors.

`tests/upgrades/make_dump.py` says how a dump is made.
"""

import json
import re
import subprocess

import psycopg
import pytest
from psycopg.rows import scalar_row

from tests.acceptance.cli.conftest import Command, made_home
from tests.databases import as_superuser
from tests.upgrades import statements
from tests.upgrades.catalog import catalog
from tests.upgrades.make_dump import EMPTY, RELEASES, SECRET
from workers.embedded.postgres import APPLICATION, program
from workers.embedded.processes import wait_until

# By name: `baseline` is older than any version.
DUMPS = sorted(RELEASES.glob("*.dump"), key=lambda dump: (dump.stem != "baseline", dump.stem))
PATIENCE = 20.0
# `patrol migrate` reads what was applied. 0375 is older than the rule: it marks what was told in confidence.
READ = {"migrations", "messages", "summary_spines"}
# The roles that policies name, which no dump of a database holds.
ROLES = (
    f"create role {APPLICATION} login; create role {APPLICATION}_across; grant {APPLICATION}_across to {APPLICATION}"
)


@pytest.fixture(scope="module", params=DUMPS, ids=lambda dump: dump.stem)
def dump(request):
    """One release's dump."""
    return request.param


@pytest.fixture(scope="module")
def application(postgres):
    """The role that policies of a release's dump name, on the server."""
    with psycopg.connect(postgres.url, autocommit=True) as server:
        server.execute(ROLES)
        yield APPLICATION
        server.execute(f"drop role {APPLICATION}, {APPLICATION}_across")


@pytest.fixture(scope="module")
def upgraded(dump, application, new_database, preloaded):
    """The command over a database that a release made and `patrol migrate` brought up to date."""
    with new_database(template="empty") as owned, made_home() as home:
        # Functions of the releases set parameters for which they had to belong to a superuser.
        url = as_superuser(owned)
        subprocess.run([program("pg_restore"), "--no-owner", "--dbname", url, dump], check=True)
        # No worker runs, and messages for work that the commands cause are lost: the sweep would send them again.
        bound = url.replace("//postgres@", f"//{application}@")
        servers = {"DATABASE_URL": bound, "PATROL_DIRECT_URL": url, "REDIS_URL": "redis://127.0.0.1:1"}
        command = Command(home, preloaded, **servers, PATROL_SECRET_KEY=SECRET)
        command.described = described(url, dump)
        before = measured(url)
        command("migrate")
        after = measured(url)
        command.rewritten = {table for table, (file, _) in before.items() if after.get(table, (file,))[0] != file}
        command.read = {table: after[table][1] - read for table, (_, read) in before.items() if table in after}
        yield command


@pytest.fixture(scope="module")
def tables(dump):
    """The tables that the dump has."""
    listed = subprocess.run([program("pg_restore"), "--list", dump], check=True, capture_output=True, text=True)
    return re.findall(r" TABLE memory (\w+) ", listed.stdout)


def described(url, dump):
    """The parameters and columns of the statements that processes of the last release send."""
    if dump != DUMPS[-1]:
        return {}
    with psycopg.connect(url) as database:
        return statements.described(database, statements.read(dump.with_suffix(".statements.gz")))


def measured(url):
    """Of each table its file, which is another one after a rewrite, and how many rows were read or written in all."""
    query = """
        select c.relname, c.relfilenode,
            s.seq_tup_read + coalesce(s.idx_tup_fetch, 0) + s.n_tup_ins + s.n_tup_upd + s.n_tup_del
        from pg_class as c
        join pg_stat_user_tables as s on s.relid = c.oid
        where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
    """
    # A session hands its counts in before it is gone.
    others = "select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    with psycopg.connect(url, autocommit=True) as database:
        assert wait_until(lambda: database.execute(others).rowcount == 0, PATIENCE)
        return {table: (file, read) for table, file, read in database.execute(query)}


def column(command, query):
    """One column's values, from behind."""
    with psycopg.connect(command.environment["PATROL_DIRECT_URL"], row_factory=scalar_row) as database:
        return database.execute(query).fetchall()


def test_its_schema_is_that_of_an_empty_database(upgraded, url):
    assert catalog(upgraded.environment["PATROL_DIRECT_URL"]) == catalog(url)


def test_no_table_of_the_last_release_is_rewritten_or_scanned(upgraded, dump):
    """Migrations replace the triggers, and so keep others off the tables: see `-- beside` in `store.migrate`."""
    if dump != DUMPS[-1]:
        pytest.skip("it is upgraded by way of the last release")
    assert upgraded.rewritten == set()
    assert {table for table, rows in upgraded.read.items() if rows} <= READ


def test_statements_of_processes_of_the_last_release_take_and_give_the_same(upgraded, dump):
    if dump != DUMPS[-1]:
        pytest.skip("they have been replaced before")
    now = described(upgraded.environment["PATROL_DIRECT_URL"], dump)
    lost = {statement: before - now.get(statement, set()) for statement, before in upgraded.described.items()}
    assert {statement: what for statement, what in lost.items() if what or statement not in now} == {}
    assert len(lost) > 300


def test_migrating_again_does_nothing(upgraded):
    assert upgraded.json("migrate") == {"applied": []}


def test_the_dump_has_rows_of_everything(upgraded, tables):
    empty = {table for table in tables if not column(upgraded, f"select 1 from memory.{table} limit 1")}  # noqa: S608

    assert empty <= EMPTY


def test_memories_are_recalled(upgraded):
    found = upgraded.json("recall", "Who is Terence the gull?", "--being", "mizzen")

    assert any("Terence" in node["scene"]["action"] for node in found["nodes"])


def test_facts_are_shown_with_the_words_that_they_rest_on(upgraded):
    (bell,) = [
        fact for fact in upgraded.json("facts", "list", "--being", "mizzen")["facts"] if "third bell" in fact["content"]
    ]
    shown = upgraded.json("facts", "show", bell["fact_id"], "--being", "mizzen")

    assert "third bell" in json.dumps(shown["statements"])


def test_the_being_moves_with_all_its_lines(upgraded):
    archive = upgraded("export", "mizzen").stdout

    upgraded("import", "-", "--being", "moved", "--user", "pip", given=archive.encode())
    kinds = [
        [json.loads(line)["kind"] for line in lines.splitlines()]
        for lines in (archive, upgraded("export", "moved").stdout)
    ]
    assert sorted(kinds[0]) == sorted(kinds[1])


def test_sealed_keys_open(upgraded):
    assert "1" in upgraded("key", "rotate").stdout
