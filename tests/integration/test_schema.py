"""The schema is what its files say: nothing unused, nothing missing, the same however often it is made."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import copytree

import psycopg
import pytest
from psycopg.rows import scalar_row

import store
from store import migrate as migration
from store.errors import MigrationRefused
from store.migrate import migrate
from workers.postgres_server import program

CALL = re.compile(r"\bmemory\.(\w+)\(")
STORE = Path(store.__file__).parent
# Not anybody's: the clock is everybody's, the list of migrations the database's own, and a pulse a process's.
UNOWNED = {"clock", "migrations", "operator_tokens", "pulses"}

# With memory off the search path, whatever Postgres stores as an expression is printed with the schema's name.
DEFINITIONS = """
    select pg_get_functiondef(oid) from pg_proc where pronamespace = 'memory'::regnamespace and prokind = 'f'
    union all select pg_get_viewdef(oid) from pg_class where relnamespace = 'memory'::regnamespace and relkind = 'v'
    union all select pg_get_expr(adbin, adrelid) from pg_attrdef join pg_class on pg_class.oid = adrelid
        where relnamespace = 'memory'::regnamespace
    union all select pg_get_triggerdef(pg_trigger.oid) from pg_trigger join pg_class on pg_class.oid = tgrelid
        where relnamespace = 'memory'::regnamespace and not tgisinternal
"""


@pytest.fixture
def empty(new_database):
    """A database with nothing in it."""
    with new_database(template="template0") as url:
        yield url


@pytest.fixture
def column(url):
    """Ask for one column's values."""
    with psycopg.connect(url, row_factory=scalar_row) as connection:
        yield lambda query: connection.execute(query).fetchall()


def dumped(url):
    """The schema as pg_dump writes it."""
    command = [program("pg_dump"), "--schema-only", "--restrict-key=same", "--dbname", url]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def calls_within(definition):
    """The functions that a definition calls, apart from itself."""
    itself = re.match(r"CREATE OR REPLACE FUNCTION memory\.(\w+)\(", definition)
    return set(CALL.findall(definition)) - ({itself[1]} if itself else set())


def test_every_function_is_called_and_every_call_has_its_function(column):
    functions = set(column("select proname from pg_proc where pronamespace = 'memory'::regnamespace"))
    within = set().union(*(calls_within(definition) for definition in column(DEFINITIONS)))
    from_store = {call for path in STORE.glob("*.py") for call in CALL.findall(path.read_text())}

    assert within | from_store == functions


def test_no_function_has_two_forms(column):
    names = column("select proname from pg_proc where pronamespace = 'memory'::regnamespace")

    assert len(names) == len(set(names))


def test_each_row_is_filed_under_its_owner(column):
    unfiled = column(
        "select relname from pg_index join pg_class on pg_class.oid = indrelid join pg_attribute on attrelid = indrelid"
        " and attnum = indkey[0] where indisprimary and relnamespace = 'memory'::regnamespace"
        " and attname not in ('being_id', 'user_id', 'owner_id')"
    )
    without_key = column(
        "select relname from pg_class where relkind = 'r' and relnamespace = 'memory'::regnamespace"
        " and not exists (select from pg_index where indrelid = pg_class.oid and indisprimary)"
    )

    assert set(unfiled) == UNOWNED
    assert not without_key


def test_migrating_again_changes_nothing(url):
    before = dumped(url)

    assert migrate(url) == []
    assert dumped(url) == before


def test_the_same_files_make_the_same_schema(url, empty):
    migrate(empty)

    assert dumped(empty) == dumped(url)


def test_migrating_says_what_it_did(empty):
    expected = sorted(path.stem for path in (migration.SQL / "migrations").glob("*.sql"))

    assert migrate(empty) == expected
    assert migrate(empty) == []


def test_two_may_migrate_at_once(empty):
    with ThreadPoolExecutor(2) as pool:
        did = list(pool.map(migrate, [empty, empty]))

    assert sorted(did) == sorted([[], sorted(path.stem for path in (migration.SQL / "migrations").glob("*.sql"))])


def test_a_migration_that_was_applied_is_never_reworded(url, tmp_path, monkeypatch):
    reworded = copytree(migration.SQL, tmp_path / "sql")
    (first, *_) = sorted((reworded / "migrations").glob("*.sql"))
    first.write_text(first.read_text() + "-- One more thought.\n")
    monkeypatch.setattr(migration, "SQL", reworded)
    before = dumped(url)

    with pytest.raises(MigrationRefused, match=first.name):
        migrate(url)
    assert dumped(url) == before


def test_a_migration_that_fails_leaves_nothing_behind(url, tmp_path, monkeypatch):
    broken = copytree(migration.SQL, tmp_path / "sql")
    (broken / "migrations" / "9999_broken.sql").write_text("create table memory.half (made int); select 1 / 0;")
    monkeypatch.setattr(migration, "SQL", broken)
    before = dumped(url)

    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(url)
    assert dumped(url) == before
