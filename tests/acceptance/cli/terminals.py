"""Commands on real pseudo-terminals."""

import os
import pty
import subprocess
from contextlib import ExitStack, suppress
from tempfile import TemporaryFile


def on_a_terminal(command, *arguments, apart=False, given=b""):
    """Run a command of a user's to its end on a terminal, as `Command` does with pipes.

    All that it writes is in `stdout`, unless its errors are kept `apart`.
    """
    near, far = pty.openpty()
    with ExitStack() as opened:
        stdin, errors = (opened.enter_context(TemporaryFile()) for _ in range(2))
        stdin.write(given)
        stdin.seek(0)
        with os.fdopen(far, "wb") as terminal:
            running = command.begin(*arguments, streams=(stdin, terminal, errors if apart else terminal))
        shown = read_all(near)
        os.close(near)
        code = running.wait(command.patience)
        errors.seek(0)
        return subprocess.CompletedProcess([*arguments], code, shown.decode(), errors.read().decode())


def left_on_a_terminal(command, *arguments):
    """Start a command on a terminal; returns the process and the terminal's other end."""
    near, far = pty.openpty()
    with os.fdopen(far, "r+b", buffering=0) as terminal:
        return command.begin(*arguments, streams=(terminal, terminal, terminal)), near


def read_all(descriptor, *, seen=None):
    """All that is written to a terminal until it is closed at the other end; `seen` is given all of it so far."""
    read = b""
    with suppress(OSError):
        while part := os.read(descriptor, 65536):
            read += part
            if seen is not None:
                seen[:] = [read]
    return read
