"""The files of an export: a single file, those of a folder, or those of a ZIP archive as it was downloaded."""

import codecs
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BufferedReader, RawIOBase, TextIOWrapper
from pathlib import Path, PurePath
from typing import IO, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

from memory.intake.importers.entries import ExportFile
from memory.text.errors import InvalidRequest

# The longer ones first: one begins like another.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
LONGEST_MARK = 4
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
        yield ExportFile(path.name, _in_utf8(content), datetime.fromtimestamp(path.stat().st_mtime, UTC))


def _of_folder(path: Path, pattern: re.Pattern[str]) -> Iterator[ExportFile]:
    for file in sorted(path.rglob("*"), key=_branches_last):
        if file.is_file() and pattern.fullmatch(file.name):
            yield from _single(file)


def _of_archive(archive: ZipFile, pattern: re.Pattern[str]) -> Iterator[ExportFile]:
    for name in sorted(archive.namelist(), key=_branches_last):
        if pattern.fullmatch(PurePath(name).name):
            with archive.open(name) as content:
                packed = datetime(*archive.getinfo(name).date_time, tzinfo=UTC)
                yield ExportFile(PurePath(name).name, _in_utf8(content), packed)


def _in_utf8(content: IO[bytes]) -> IO[bytes]:
    """Return a file's bytes in UTF-8 without a mark at the beginning, whichever form of Unicode it is in."""
    buffered = BufferedReader(content)  # type: ignore[type-var]  # it reads from any file of bytes
    begin = buffered.peek(LONGEST_MARK)
    for mark, encoding in _MARKS:
        if begin.startswith(mark):
            buffered.read(len(mark))
            return buffered if encoding == "utf-8" else _recoded(buffered, encoding)
    # JSON begins with a character of one byte, so that NULs tell where the others of its first ones are.
    if len(begin) > 1 and begin[0] and not begin[1]:
        return _recoded(buffered, "utf-16-le")
    if len(begin) > 1 and not begin[0] and begin[1]:
        return _recoded(buffered, "utf-16-be")
    return buffered


def _recoded(content: IO[bytes], encoding: str) -> IO[bytes]:
    return BufferedReader(_Recoded(TextIOWrapper(content, encoding, errors="replace", newline="")))


class _Recoded(RawIOBase):
    """A file of text, read as UTF-8."""

    def __init__(self, text: IO[str]) -> None:
        self._text = text
        self._left = b""

    def readable(self) -> bool:
        """Return that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes into a buffer; returns how many, 0 at the end."""
        into = memoryview(buffer).cast("B")
        if not self._left:
            self._left = self._text.read(max(1, len(into) // 4)).encode(errors="replace")
        part, self._left = self._left[: len(into)], self._left[len(into) :]
        into[: len(part)] = part
        return len(part)


def _branches_last(name: str | Path) -> tuple[bool, str]:
    return _BRANCH.match(PurePath(name).name) is not None, str(name)
