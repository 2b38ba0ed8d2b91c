"""A clone of the checkout as it stands, without what git does not know: no environment, no data, nothing generated."""

import shutil
import subprocess
from pathlib import Path

from schemas.settings import CHECKOUT


def installed(folder: Path) -> Path:
    """Copy the checkout as `cloned` does, with the environment of the tests in place of `make install`."""
    environment = cloned(folder) / ".venv"
    environment.mkdir()
    for part in (CHECKOUT / ".venv").iterdir():
        if not part.name.startswith("."):
            (environment / part.name).symlink_to(part)
    # What says to make that everything of the lock files is there.
    (environment / ".runtime").touch()
    return folder


def cloned(folder: Path, *parts: str) -> Path:
    """Copy the files that git knows, or would add, into a folder; returns the folder.

    Args:
        folder: Where to.
        parts: Files and folders of the checkout; without any, all.
    """
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *parts]
    known = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, known.split("\0")):
        if (source := CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    return folder
