"""Archives whose bytes depend on the names and contents of their files, and on the commit, alone."""

import gzip
import io
import tarfile
from collections.abc import Iterable
from pathlib import Path


def mode(path: Path) -> int:
    """Return a file's permissions of which git keeps only whether it is executable."""
    return 0o755 if path.stat().st_mode & 0o100 else 0o644


def pack(archive: Path, prefix: str, folder: Path, names: Iterable[str], epoch: int) -> None:
    """Write a .tar.gz.

    Args:
        archive: The file to write.
        prefix: The folder that everything in it is in.
        folder: Where the files are.
        names: The files, relative to the folder.
        epoch: The time of all of them, in seconds since 1970.
    """
    with (
        archive.open("wb") as file,
        # Without a name, since gzip would write it into the archive.
        gzip.GzipFile("", "wb", fileobj=file, mtime=epoch) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.GNU_FORMAT) as tar,
    ):
        for name in sorted(names):
            content = (folder / name).read_bytes()
            entry = tarfile.TarInfo(f"{prefix}/{name}")
            entry.size = len(content)
            entry.mtime = epoch
            entry.mode = mode(folder / name)
            tar.addfile(entry, io.BytesIO(content))
