"""The files of an export: a single file, those of a folder, or those of a ZIP archive as it was downloaded."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePath
from zipfile import BadZipFile, ZipFile, is_zipfile

from memory.intake.importers.entries import ExportFile
from memory.text.errors import InvalidRequest

# How SillyTavern names chats that begin with the messages of another one, which is to be read first.
_BRANCH = re.compile(r"(Branch|Checkpoint|Bookmark) #")


def export_files(path: Path, pattern: str) -> Iterator[ExportFile]:
    """Open the files of an export one after another, by name.

    Args:
        path: A file, which is taken whatever its name; or a folder or ZIP archive, of which the files are taken whose
            names match.
        pattern: A regular expression for the name without its folder.

    Raises:
        InvalidRequest: There is no such file in the folder or archive, or the archive is damaged.
    """
    found = 0
    with _names(path, re.compile(pattern, re.IGNORECASE)) as files:
        for file in files:
            found += 1
            yield file
    if not found:
        raise InvalidRequest(f"{path.name} holds no file of this export: its name would match {pattern}")


@contextmanager
def _names(path: Path, pattern: re.Pattern[str]) -> Iterator[Iterator[ExportFile]]:
    if path.is_dir():
        yield _of_folder(path, pattern)
    elif is_zipfile(path):
        try:
            with ZipFile(path) as archive:
                yield _of_archive(archive, pattern)
        except BadZipFile as fault:
            raise InvalidRequest(f"{path.name} is a damaged archive.") from fault
    else:
        yield _single(path)


def _single(path: Path) -> Iterator[ExportFile]:
    with path.open("rb") as content:
        yield ExportFile(path.name, content)


def _of_folder(path: Path, pattern: re.Pattern[str]) -> Iterator[ExportFile]:
    for file in sorted(path.rglob("*"), key=_branches_last):
        if file.is_file() and pattern.fullmatch(file.name):
            yield from _single(file)


def _of_archive(archive: ZipFile, pattern: re.Pattern[str]) -> Iterator[ExportFile]:
    for name in sorted(archive.namelist(), key=_branches_last):
        if pattern.fullmatch(PurePath(name).name):
            with archive.open(name) as content:
                yield ExportFile(PurePath(name).name, content)


def _branches_last(name: str | Path) -> tuple[bool, str]:
    return _BRANCH.match(PurePath(name).name) is not None, str(name)
