"""A home for a stack, and a way to see which processes live in it."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.processes import clusters
from workers.embedded.processes import wait_until

DRIVER = Path(__file__).with_name("driver.py")
CHECKOUT = Path(__file__).resolve().parents[3]
PATIENCE = 120.0


@pytest.fixture
def home(tmp_path, monkeypatch) -> Iterator[Path]:
    """A home whose sockets lie in a directory of this test alone."""
    sockets = tempfile.mkdtemp(prefix="sockets-")
    monkeypatch.setenv("XDG_RUNTIME_DIR", sockets)
    yield tmp_path / "home"
    shutil.rmtree(sockets)


@pytest.fixture
def started_before(home) -> None:
    """Servers have run in the home before."""
    clusters.lay(home / "postgres", clusters.new)


@pytest.fixture
def living(home) -> Callable[[], list[int]]:
    """The processes that live in the home: it, or a directory below it, is where each of a stack's processes works."""
    if not Path("/proc/self/cwd").exists():
        pytest.skip("looks into /proc")

    def look() -> list[int]:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                works_in = (process / "cwd").readlink()
            except OSError:
                continue
            if works_in.is_relative_to(home):
                found.append(int(process.name))
        return found

    return look


@pytest.fixture
def drive(home, living) -> Iterator[Callable[[], subprocess.Popen[str]]]:
    """Start a whole stack over the home in a process of its own, as `patrol up` does."""
    drivers = []

    def start() -> subprocess.Popen[str]:
        home.mkdir(exist_ok=True)
        driver = subprocess.Popen(
            [sys.executable, DRIVER, home],
            cwd=home,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(CHECKOUT)])},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        drivers.append(driver)
        return driver

    yield start
    for driver in drivers:
        driver.kill()
        driver.communicate()
    assert wait_until(lambda: not living(), PATIENCE)
