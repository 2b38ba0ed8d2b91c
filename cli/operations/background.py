"""Lets a command go on in the background, once it has said that it is ready."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from cli.console.failures import Failure
from cli.console.output import shown

READY = b"1"


def go_on_behind(log: Path) -> Callable[[], None] | None:
    """Fork: a process of a session of its own goes on with its output in a log, and this one waits until it is ready.

    Must be called before there are threads.

    Args:
        log: The file that the output is appended to, made when missing.

    Returns:
        In the process behind, the function to be called once it is ready; in this one None, after that call.

    Raises:
        Failure: The process behind has ended without being ready.
    """
    log.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    begun = log.stat().st_size
    near, far = os.pipe()
    behind = os.fork()
    if behind == 0:
        os.setsid()
        with Path(os.devnull).open("rb") as nothing:
            os.dup2(nothing.fileno(), 0)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.close(near)
        return lambda: _say_ready(far)
    os.close(far)
    with os.fdopen(near, "rb") as pipe:
        if pipe.read(1) == READY:
            return None
    os.waitpid(behind, 0)
    with log.open("rb") as output_file:
        output_file.seek(begun)
        sys.stderr.write(output_file.read().decode(errors="replace"))
    raise Failure(f"It did not start. Its output is in {shown(log)}.")


def _say_ready(pipe: int) -> None:
    os.write(pipe, READY)
    os.close(pipe)
