"""The files of an export: a single file, those of a folder, or those of a ZIP archive as it was downloaded."""

import re
import zlib
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path, PureWindowsPath
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_LZMA, ZIP_STORED, BadZipFile, ZipFile, ZipInfo, is_zipfile

from memory.intake.importers.entries import ExportFile
from memory.intake.importers.reading.encodings import encoding_of
from memory.text.errors import InvalidRequest
from schemas.text.recoding import as_utf8, recoded

# The exceptions of reading a damaged part of an archive.
DAMAGES = (BadZipFile, zlib.error, EOFError)
_READABLE = frozenset((ZIP_STORED, ZIP_DEFLATED, ZIP_BZIP2, ZIP_LZMA))
_ENCRYPTED = 1
# How files begin that gzip, 7-Zip, RAR, xz and bzip2 have packed.
_PACKED = (b"\x1f\x8b", b"7z\xbc\xaf", b"Rar!", b"\xfd7zXZ", b"BZh")
_PACKED_BYTES = max(map(len, _PACKED))
_UNPACK = "The archive is encrypted, or packed in a form that is not read: unpack it, and import the folder."
# Files that macOS writes beside others, and an import's `FILE.set-aside.jsonl`, are no files of an export.
_BESIDE = re.compile(r"\._.*|.*\.set-aside\.jsonl", re.IGNORECASE)
# How SillyTavern names chats that begin with the messages of another one, which is to be read first.
_BRANCH = re.compile(r"(Branch|Checkpoint|Bookmark) #")


def export_files(path: Path, pattern: str) -> Iterator[ExportFile]:
    """Open the files of an export one after another, by name.

    Args:
        path: A file of any name; or a folder or ZIP archive, of which the files with matching names are taken, also
            those of archives in it.
        pattern: A regular expression for the name without its folder.

    Raises:
        InvalidRequest: There is no such file in the folder or archive, or the archive can't be read.
    """
    found = 0
    try:
        for file in _files(path, re.compile(pattern, re.IGNORECASE)):
            found += 1
            yield file
    except DAMAGES as fault:
        raise InvalidRequest(f"{path.name} is a damaged archive.") from fault
    if not found:
        raise InvalidRequest(f"{path.name} holds no file of this export: its name would match {pattern}")


def file_of_text(name: str, text: str, modified: datetime | None) -> ExportFile:
    """Return a text that came with a request as the file that it was read from."""
    return ExportFile(name, as_utf8(BytesIO(text.encode())), modified)


def _files(path: Path, pattern: re.Pattern[str]) -> Iterator[ExportFile]:
    if path.is_dir():
        for file in sorted(path.rglob("*"), key=_branches_last):
            if file.is_file() and _is_archive(file.name) and is_zipfile(file):
                with ZipFile(file) as archive:
                    yield from _of_archive(archive, pattern, is_outermost=False)
            # An archive that breaks off is taken as a file, so that it is reported as unreadable.
            elif file.is_file() and (_is_wanted(file.name, pattern) or _is_archive(file.name)):
                yield from _single(file)
    elif is_zipfile(path):
        with ZipFile(path) as archive:
            yield from _of_archive(archive, pattern)
    elif _is_archive(path.name):
        raise InvalidRequest(f"{path.name} is a damaged archive: it breaks off. Download it again.")
    elif _begin(path).startswith(_PACKED):
        raise InvalidRequest(_UNPACK)
    else:
        yield from _single(path)


def _begin(path: Path) -> bytes:
    with path.open("rb") as content:
        return content.read(_PACKED_BYTES)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")


def _is_wanted(name: str, pattern: re.Pattern[str]) -> bool:
    return pattern.fullmatch(name) is not None and not _BESIDE.fullmatch(name)


def _single(path: Path) -> Iterator[ExportFile]:
    with path.open("rb") as content:
        encoding = encoding_of(content)
        text = as_utf8(content) if encoding is None else recoded(content, encoding)
        yield ExportFile(path.name, text, datetime.fromtimestamp(path.stat().st_mtime, UTC), encoding)


def _of_archive(archive: ZipFile, pattern: re.Pattern[str], *, is_outermost: bool = True) -> Iterator[ExportFile]:
    """Open the files of an archive, and of the archives in it."""
    names = {info: _name(info.filename) for info in archive.infolist()}
    inner = [info for info, name in names.items() if is_outermost and _is_archive(name)]
    wanted = [info for info, name in names.items() if _is_wanted(name, pattern)]
    if any(info.flag_bits & _ENCRYPTED or info.compress_type not in _READABLE for info in (*inner, *wanted)):
        raise InvalidRequest(_UNPACK)
    for info in sorted(wanted, key=lambda info: _branches_last(info.filename)):
        with archive.open(info) as content:
            yield ExportFile(names[info], as_utf8(content), _packed(info))
    for info in inner:
        with archive.open(info) as content:
            if is_zipfile(content):
                with ZipFile(content) as within:
                    yield from _of_archive(within, pattern, is_outermost=False)


def _name(path: str) -> str:
    """Return the name of a file without its folder, for paths of any system."""
    return PureWindowsPath(path).name


def _packed(info: ZipInfo) -> datetime | None:
    """When a file of an archive was written; some programs write a month or day of 0."""
    try:
        return datetime(*info.date_time, tzinfo=UTC)
    except ValueError:
        return None


def _branches_last(name: str | Path) -> tuple[bool, str]:
    return _BRANCH.match(_name(str(name))) is not None, str(name)
