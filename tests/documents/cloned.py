"""A clone of the checkout as it stands, without what git does not know: no environment, no data, nothing generated."""

import shutil
import subprocess
from pathlib import Path

from schemas.settings import CHECKOUT


def installed(folder: Path) -> Path:
    """Copy the checkout as `cloned` does, with the environment of the tests in place of `make install`.

    What the tests have compiled comes with it, or the first process of each clone would compile it again.
    """
    environment = cloned(folder) / ".venv"
    environment.mkdir()
    for part in (CHECKOUT / ".venv").iterdir():
        if not part.name.startswith("."):
            (environment / part.name).symlink_to(part)
    # What says to make that everything of the lock files is there.
    (environment / ".runtime").touch()
    for package in {source.parent for source in folder.rglob("*.py")}:
        if (compiled := CHECKOUT / package.relative_to(folder) / "__pycache__").is_dir():
            shutil.copytree(compiled, package / "__pycache__")
    return folder


def cloned(folder: Path, *parts: str) -> Path:
    """Copy the files that git knows, or would add, into a folder; returns the folder.

    Args:
        folder: The folder of the clone.
        parts: Files and folders of the checkout; without any, all.
    """
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *parts]
    known = subprocess.run(listed, cwd=CHECKOUT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, known.split("\0")):
        if (source := CHECKOUT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            # Python compiles anew what is not as old as it was.
            shutil.copy2(source, folder / name)
    return folder
