"""Drills of a backup, a restore and a return to a point in time: docs/running.md has the steps, and what is lost."""

import os
import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest
from psycopg.rows import scalar_row

from memory.intake.messages import accept_messages
from schemas.ledger.acting import acting_for, crossing
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from store.migrate import migrate
from tests.processes import clusters
from tests.scenes import make_being, make_user
from workers.embedded.postgres import EmbeddedPostgres, as_application, program
from workers.embedded.processes import wait_until

ARCHIVE = "cp %p {}/%f"


def run(name, *arguments):
    """Run one of Postgres's programs."""
    subprocess.run([program(name), *map(str, arguments)], check=True, capture_output=True)


def column(server, query):
    """A column of what the database holds, from behind."""
    with psycopg.connect(server.url, row_factory=scalar_row) as database:
        return database.execute(query).fetchall()


def say(server, being, *words):
    """Hand in messages as the processes do, by the role that policies bind."""
    messages = [{"id": each, "role": "user", "content": each} for each in words]
    with Store(as_application(server.url)) as store, acting_for(being.user_id, being.being_id):
        accept_messages(store, Settings(), being.being_id, messages)


def heard(server, being):
    """The messages that the processes can read."""
    with Store(as_application(server.url)) as store, acting_for(being.user_id), store.transaction() as tx:
        return {row["content"] for row in tx.execute("select content from memory.messages")}


def server_in(folder):
    """A server whose data are in a folder; its socket is where paths are short."""
    folder.mkdir(parents=True, exist_ok=True)
    sockets = Path(os.environ["XDG_RUNTIME_DIR"]) / folder.name
    sockets.mkdir()
    return EmbeddedPostgres(folder / "data", sockets, durable=False)


@pytest.fixture
def server(home):
    """A server with a Being."""
    clusters.lay(home / "data", clusters.migrated)
    with server_in(home) as running:
        yield running


@pytest.fixture
def being(server):
    with Store(as_application(server.url)) as store, crossing("command"), store.transaction() as tx:
        return make_being(tx, make_user(tx))


def test_a_dump_is_restored_on_a_new_server(server, being, home):
    say(server, being, "before the dump")
    dump = home / "memory.dump"
    run("pg_dump", "--format=custom", "--schema=memory", "--file", dump, server.url)
    say(server, being, "after the dump")

    with server_in(home / "new") as new:
        with psycopg.connect(new.url, autocommit=True) as database:
            database.execute("create extension vector")
            # The roles of the policies, which no dump of a database holds.
            database.execute("create role patrol login; create role patrol_across; grant patrol_across to patrol")
        run("pg_restore", "--no-owner", "--dbname", new.url, dump)

        assert migrate(new.url, as_application(new.url)) == []
        # What was accepted after the dump is lost, and the newest row says since when.
        assert heard(new, being) == {"before the dump"}
        say(new, being, "before the dump", "after the dump")
        assert heard(new, being) == {"before the dump", "after the dump"}, "producers may send all again"


@pytest.mark.long
def test_a_mistake_is_undone_by_returning_to_the_moment_before_it(server, being, home):
    archive = server.data / "archive"
    archive.mkdir()
    owner = server.cluster.stat()
    os.chown(archive, owner.st_uid, owner.st_gid)
    with psycopg.connect(server.url, autocommit=True) as database:
        database.execute("alter system set archive_mode = on")
        database.execute(f"alter system set archive_command = '{ARCHIVE.format(archive)}'")
    server.stop()
    server.launch()
    server.await_ready()

    say(server, being, "before the backup")
    backup = home / "backup"
    run("pg_basebackup", "--pgdata", backup, "--checkpoint=fast", "--dbname", server.url)
    say(server, being, "after the backup")
    (moment,) = column(server, "select clock_timestamp()::text")
    with Store(as_application(server.url)) as store, crossing("command"), store.transaction() as tx:
        users.erase_user(tx, being.user_id)
    assert heard(server, being) == set()
    column(server, "select pg_switch_wal()")
    server.stop()

    restored = server_in(home / "restored")
    restored.data.mkdir()
    shutil.move(backup, restored.cluster)
    settings = {
        "restore_command": f"cp {archive}/%f %p",
        "recovery_target_time": moment,
        "recovery_target_action": "promote",
        "archive_mode": "off",
    }
    with (restored.cluster / "postgresql.auto.conf").open("a") as file:
        file.writelines(f"{name} = '{given}'\n" for name, given in settings.items())
    (restored.cluster / "recovery.signal").touch()
    for path in (restored.cluster, *restored.cluster.rglob("*")):
        os.chown(path, owner.st_uid, owner.st_gid)
    with restored:
        assert heard(restored, being) == {"before the backup", "after the backup"}
        # It can be read before it has been promoted, and not yet written.
        assert wait_until(lambda: column(restored, "select pg_is_in_recovery()::text") == ["false"], 60.0)
        assert migrate(restored.url, as_application(restored.url)) == []
        with Store(as_application(restored.url)) as store, crossing("command"), store.transaction() as tx:
            assert beings.get_being(tx, being.being_id) == being
