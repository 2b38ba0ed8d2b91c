"""Programs that some tests need and that pip does not install, such as Chromium and Node.

`.ci/run` installs them from Debian's packages and sets `TESTS_NEED_PROGRAMS=1`; elsewhere a test whose program is
missing is skipped.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

# The Debian package, and the names of its program here and elsewhere, of which the first that is found is used.
# Chromium without windows takes a third less processor time in the tests of the page.
NAMES = {
    "chromium-headless-shell": ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"),
    "nodejs": ("node", "nodejs"),
    "npm": ("npm",),
    "prometheus": ("prometheus",),
    "pgbouncer": ("pgbouncer",),
    "nginx": ("nginx",),
    "systemd": ("systemd-analyze",),
}


def program(package: str) -> str:
    """Return the path of a program, named by its Debian package: one of `NAMES`.

    Without it, the calling test is skipped; or it fails, if `TESTS_NEED_PROGRAMS` is set.
    """
    # Debian keeps servers where an ordinary user's PATH does not lead.
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin"])
    for name in NAMES[package]:
        if found := shutil.which(name, path=path):
            return found
    missing = f"There is no {NAMES[package][0]} here; on Debian: apt-get install {package}"
    if os.environ.get("TESTS_NEED_PROGRAMS"):
        pytest.fail(missing, pytrace=False)
    pytest.skip(missing)


def npm(*arguments: str | Path, folder: Path) -> None:
    """Run npm in a folder; skips or fails like `program`."""
    told = {**os.environ, "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_loglevel": "error"}
    done = subprocess.run(
        [program("npm"), *arguments], cwd=folder, env=told, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
