"""The directory in which API processes count together: removed at the end, and after a kill by the next server."""

import os
import tempfile

import pytest

from api.server import PREFIX, STALE_AFTER_SECONDS, counts_directory, remove_stale_directories


@pytest.fixture(autouse=True)
def _temporary(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def made_long_ago(directory):
    """Set a directory's times back, so that it is old enough to be stale."""
    before = directory.stat().st_mtime - STALE_AFTER_SECONDS - 1
    os.utime(directory, (before, before))


def test_what_a_killed_server_left_is_removed_and_what_others_use_stays(tmp_path):
    stale, new, of_another_program = (tmp_path / name for name in (f"{PREFIX}stale", f"{PREFIX}new", "patrol-cli"))
    for directory in (stale, new, of_another_program):
        directory.mkdir()
        (directory / "counter_1.db").touch()
    for directory in (stale, of_another_program):
        made_long_ago(directory)
    with counts_directory() as used:
        made_long_ago(used)
        remove_stale_directories()
        assert sorted(tmp_path.iterdir()) == sorted([used, new, of_another_program])
    assert not used.exists()
