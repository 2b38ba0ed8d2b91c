"""Bounds the size and number of log files that running programs hold open.

A program that holds its log open can't be made to reopen it. So a log that is too large is copied to `NAME.1` and
truncated in place (copytruncate), which is safe because it is open for appending. Older logs are renamed to `NAME.2`
and so on. Lines written between the end of the copy and the truncation are lost; the copy is repeated until it has
caught up.
"""

import os
import shutil
from pathlib import Path

LOG_BYTES = 10 * 1024 * 1024
# Including the current one.
LOG_FILES = 5
# How often a copy is continued with lines that were written meanwhile.
CONTINUED = 10


def set_aside(log: Path) -> None:
    """Rename the log of an earlier run to `NAME.1`, after renaming the older ones."""
    if log.exists():
        _move_on(log)
        log.replace(_numbered(log, 1))


def rotate(log: Path, most_bytes: int) -> bool:
    """Copy a log to `NAME.1` and truncate it, if it is too large, while its program goes on writing.

    Args:
        log: The log, which its program has open for appending.
        most_bytes: A log of more bytes is rotated.

    Returns:
        Whether it was rotated.

    Raises:
        OSError: The disk has no room for the copy; the log is unchanged.
    """
    try:
        if log.stat().st_size <= most_bytes:
            return False
    except FileNotFoundError:
        return False
    copied = log.with_name(f"{log.name}.copy")
    descriptor = os.open(copied, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with log.open("rb") as source, os.fdopen(descriptor, "wb") as copy:
        for _ in range(CONTINUED):
            shutil.copyfileobj(source, copy)
            if os.fstat(source.fileno()).st_size == source.tell():
                break
        copy.flush()
        os.truncate(log, 0)
    # After the copy, so that a full disk costs no older log.
    _move_on(log)
    copied.replace(_numbered(log, 1))
    return True


def _move_on(log: Path) -> None:
    for number in range(LOG_FILES - 2, 0, -1):
        older = _numbered(log, number)
        if older.exists():
            older.replace(_numbered(log, number + 1))


def _numbered(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
