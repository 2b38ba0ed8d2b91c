"""The schema is what its files say: nothing unused, nothing missing, the same however often it is made."""

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import chain
from pathlib import Path
from shutil import copytree, rmtree

import psycopg
import pytest
from pgvector import HalfVector
from psycopg.rows import scalar_row

import store
from schemas.errors import MigrationRefused
from store import migrate as migration
from store.database import Store
from store.migrate import await_migrated, migrate
from tests.conftest import PATIENCE
from tests.databases import OWNER, as_bound, as_superuser
from workers.embedded.postgres import program
from workers.embedded.processes import wait_until

# Its processes call them beside newer ones; they go with the next release.
OF_THE_LAST_RELEASE = {"settle_embeddings"}
CALL = re.compile(r"\bmemory\.(\w+)\(")
STORE = Path(store.__file__).parent
# Tables that hold nothing of an owner.
UNOWNED = {"clock", "migrations", "operator_tokens", "heartbeats", "model_call_totals", "provider_breakers"}

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
    with new_database(template="empty") as url:
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


def migrations():
    """The names of the migrations, in order: each is a file, or a folder of files."""
    return sorted(path.stem for path in (migration.SQL / "migrations").glob("from_*/[0-9]*"))


def calls_within(definition):
    """The functions that a definition calls, apart from itself."""
    itself = re.match(r"CREATE OR REPLACE FUNCTION memory\.(\w+)\(", definition)
    return set(CALL.findall(definition)) - ({itself[1]} if itself else set())


@pytest.mark.parametrize(
    ("taken", "named"),
    [
        ("drop extension vector", "create extension vector"),
        ("alter database {} owner to postgres", "grant it CREATE"),
    ],
)
def test_an_ordinary_role_is_told_what_an_administrator_has_to_do(empty, taken, named):
    with psycopg.connect(as_superuser(empty), autocommit=True) as superuser:
        superuser.execute(taken.format(superuser.info.dbname))
        with pytest.raises(MigrationRefused, match=named) as refused:
            migrate(empty)
    assert OWNER in str(refused.value)


def test_every_function_is_called_and_every_call_has_its_function(column):
    functions = set(column("select proname from pg_proc where pronamespace = 'memory'::regnamespace"))
    within = set().union(*(calls_within(definition) for definition in column(DEFINITIONS)))
    from_store = {call for path in STORE.rglob("*.py") for call in CALL.findall(path.read_text())}

    assert within | from_store | OF_THE_LAST_RELEASE == functions


def test_every_view_is_read(column):
    views = set(column("select relname from pg_class where relnamespace = 'memory'::regnamespace and relkind = 'v'"))
    files = [*STORE.rglob("*.py"), *(migration.SQL / "functions").rglob("*.sql")]

    read = {name for path in files for name in re.findall(r"\b(?:from|join)\s+memory\.(\w+)", path.read_text())}
    assert views - read == set()


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
    migrate(empty, as_bound(empty))

    assert dumped(empty) == dumped(url)


def test_migrating_says_what_it_did(empty):
    assert migrate(empty) == migrations()
    assert migrate(empty) == []


def with_functions(sql, text):
    """The files of the schema, with one more file of functions."""
    other = copytree(migration.SQL, sql)
    (other / "functions" / "999_other.sql").write_text(text)
    return other


OF_ANOTHER_RELEASE = """
create function stale() returns integer language sql return 1;
create function stale_needs_stale() returns integer language sql return stale() + 1;
create view stale_view as select stale_needs_stale() as one from memory_nodes;
create function stale_trigger() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger stale_trigger after update on memory_nodes for each statement execute function stale_trigger();
drop function untouched(uuid, jsonb);
create function untouched(p_being_id uuid, p_seen jsonb) returns text language sql stable as $$ select 'yes'; $$;
"""


def test_functions_of_another_release_are_gone_after_migrating(url, tmp_path, monkeypatch):
    before = dumped(url)
    with monkeypatch.context() as other_release:
        other_release.setattr(migration, "SQL", with_functions(tmp_path / "sql", OF_ANOTHER_RELEASE))
        migrate(url)
    assert "stale_trigger" in dumped(url)

    assert migrate(url) == []

    assert dumped(url) == before


def test_two_may_migrate_at_once(empty):
    with ThreadPoolExecutor(2) as pool:
        did = list(pool.map(migrate, [empty, empty]))

    assert sorted(chain.from_iterable(did)) == migrations()


def test_a_process_that_starts_beside_the_migration_waits_for_it(empty):
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(await_migrated, empty)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.2)
        migrate(empty)

        assert waiting.result(timeout=30)


def test_a_connection_that_is_older_than_the_schema_takes_vectors(empty):
    """The API opens its connections while `patrol up` migrates."""
    with Store(empty, connections=1) as store:
        store.ping()
        migrate(empty)
        with store.transaction() as tx:
            assert tx.value("select %s", [HalfVector([1, 2])]) == HalfVector([1, 2])


def test_a_process_that_waited_long_for_a_migration_goes_on_and_says_what_is_missing(empty, capsys):
    assert not await_migrated(empty, patience=0)
    # An earlier test of the process may have turned the log from one stream to the other.
    assert migrations()[0] in "".join(capsys.readouterr())


def test_a_database_out_of_reach_is_not_waited_for(tmp_path):
    assert not await_migrated(f"postgresql:///any?host={tmp_path}")


def test_a_migration_that_was_applied_is_never_reworded(url, tmp_path, monkeypatch):
    reworded = copytree(migration.SQL, tmp_path / "sql")
    (first, *_) = sorted((reworded / "migrations" / "from_0001" / "0001_baseline").glob("*.sql"))
    first.write_text(first.read_text() + "-- One more thought.\n")
    monkeypatch.setattr(migration, "SQL", reworded)
    before = dumped(url)

    with pytest.raises(MigrationRefused, match="0001_baseline"):
        migrate(url)
    assert dumped(url) == before


def test_a_database_with_migrations_that_the_files_lack_is_refused(url):
    with psycopg.connect(url) as connection:
        connection.execute("insert into memory.migrations (name, checksum) values ('0003_thinking', '')")

    with pytest.raises(MigrationRefused, match="0003_thinking"):
        migrate(url)


def test_a_migration_that_has_landed_is_not_changed(column):
    """A database holds the checksums of its migrations: `patrol migrate` refuses one whose text has changed."""
    landed = (migration.SQL / "migrations" / "landed.sha256").read_text().splitlines()
    lines = column("select encode(checksum, 'hex') || '  ' || name from memory.migrations where name <> 'functions'")

    assert sorted(lines) == sorted(landed), "write a new migration, and add its line to sql/migrations/landed.sha256"


def test_names_of_models_stay_in_the_rows_of_their_vectors(column):
    """A row of 3 kB would have them moved out, and a scan would fetch the name again for each vector."""
    moved = column(
        """
        select c.relname || '.' || a.attname
        from pg_attribute as a
        join pg_class as c on c.oid = a.attrelid and c.relkind = 'r' and c.relnamespace = 'memory'::regnamespace
        where a.attstorage <> 'p' and a.attname = 'embedding_model' and c.oid in (
            select attrelid from pg_attribute where atttypid = 'halfvec'::regtype
        )
        """
    )

    assert moved == []


def test_numbers_of_migrations_may_have_gaps(url, tmp_path, monkeypatch):
    later = copytree(migration.SQL, tmp_path / "sql")
    first = later / "migrations" / "from_0001"
    (first / "0108_late.sql").write_text("create table late (being_id uuid primary key);")
    monkeypatch.setattr(migration, "SQL", later)
    assert migrate(url) == ["0108_late"]

    (first / "0104_early.sql").write_text("create table early (being_id uuid primary key);")
    assert migrate(url) == ["0104_early"]


def test_a_migration_that_fails_leaves_nothing_behind(url, tmp_path, monkeypatch):
    broken = copytree(migration.SQL, tmp_path / "sql")
    last = broken / "migrations" / "from_0300"
    (last / "9999_broken.sql").write_text("create table memory.half (made int); select 1 / 0;")
    monkeypatch.setattr(migration, "SQL", broken)
    before = dumped(url)

    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(url)
    assert dumped(url) == before


def test_knowledge_from_before_the_search_found_it_is_queued(empty, tmp_path, monkeypatch):
    before = copytree(migration.SQL, tmp_path / "sql")
    later = ["0144_knowledge_is_found", "0145_queue_knowledge", "0146_knowledge_under_keys"]
    for name in later:
        (before / "migrations" / "from_0120" / f"{name}.sql").unlink()
    # Functions of this version name columns that are not there yet.
    rmtree(before / "functions")
    with monkeypatch.context() as earlier:
        earlier.setattr(migration, "SQL", before)
        migrate(empty)
    with psycopg.connect(empty) as connection:
        connection.execute(
            """
            with person as (insert into memory.users (name) values ('Ada') returning user_id),
                being as (
                    insert into memory.beings (user_id, slug, name) select user_id, 'wren', 'Wren' from person
                    returning being_id
                )
            insert into memory.notes (being_id, note_id, type, content, title, content_hash, state)
            select being_id, gen_random_uuid(), 'knowledge', '"It is lit at four."', 'The oven', '', 'kept' from being
            """
        )

    assert migrate(empty) == later

    with psycopg.connect(empty) as connection:
        assert connection.execute("select kind, stage from memory.search_queue").fetchall() == [("knowledge", "words")]


def test_vectors_stay_in_their_rows(column):
    """Comparing a vector of 1,536 numbers takes 0.45 microseconds, and 1.5 where it is moved out of its row."""
    moved = column(
        "select attrelid::regclass || '.' || attname from pg_attribute join pg_class on pg_class.oid = attrelid"
        " where relnamespace = 'memory'::regnamespace and relkind = 'r' and atttypid = 'halfvec'::regtype"
        " and attstorage not in ('p', 'm')"
    )
    assert moved == []


def test_an_index_is_built_beside_the_processes_that_write(url, tmp_path, monkeypatch):
    later = copytree(migration.SQL, tmp_path / "sql")
    build = (
        "-- beside\ndrop index concurrently if exists late;\ncreate index concurrently late on messages (content);\n"
    )
    (later / "migrations" / "from_0300" / "9999_late.sql").write_text(build)
    monkeypatch.setattr(migration, "SQL", later)
    waiting = "select exists (select from pg_stat_progress_create_index where phase like 'waiting for writers%')"
    with psycopg.connect(url, autocommit=True) as owner, ThreadPoolExecutor(1) as pool:
        with psycopg.connect(url) as writer:
            writer.execute("lock table memory.messages in row exclusive mode")
            migrating = pool.submit(migration.migrate, url)
            assert wait_until(lambda: owner.execute(waiting).fetchone() == (True,), PATIENCE)
            with psycopg.connect(url, options=f"-c lock_timeout={PATIENCE:.0f}s") as other:
                other.execute("lock table memory.messages in row exclusive mode")
            assert not migrating.done()
        assert migrating.result() == ["9999_late"]
        assert migration.migrate(url) == []
        assert owner.execute("select indisvalid from pg_index where indexrelid = 'memory.late'::regclass").fetchone()


def test_a_migration_that_waits_for_a_lock_keeps_no_other_from_the_table(url, monkeypatch):
    monkeypatch.setattr(migration, "LOCK_WAIT", timedelta(milliseconds=200))
    waiting = "select exists (select from pg_locks where relation = 'memory.facts'::regclass and not granted)"
    with psycopg.connect(url, autocommit=True) as owner, ThreadPoolExecutor(1) as pool:
        owner.execute("alter table memory.facts disable row level security")
        with psycopg.connect(url) as slow:
            slow.execute("select from memory.facts")
            migrating = pool.submit(migration.migrate, url)
            assert wait_until(lambda: owner.execute(waiting).fetchone() == (True,), PATIENCE)
            with psycopg.connect(url, options=f"-c lock_timeout={PATIENCE:.0f}s") as other:
                other.execute("select from memory.facts")
            assert not migrating.done()
        migrating.result()
        assert owner.execute("select relrowsecurity from pg_class where relname = 'facts'").fetchone() == (True,)
