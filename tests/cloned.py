"""A clone of the checkout as it stands, without what git does not know: no environment, no data, nothing generated."""

import shutil
import subprocess
from pathlib import Path

from schemas.settings import CHECKOUT


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
