"""Commands on real pseudo-terminals, many of them from one process that has imported the commands before.

Run as a script it is that process: it reads a request a line, forks for each, and answers with what the command wrote.
"""

import base64
import json
import os
import pty
import subprocess
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[3]
COMMAND, CRASHED = 0, 70
# By commands that send work to workers, and by `patrol mcp`: each fork would spend up to a second on it.
IMPORTED_WHEN_CALLED = (
    "api.mcp",
    "celery.app.amqp",
    "celery.app.control",
    "celery.app.events",
    "celery.app.task",
    "celery.app.trace",
    "celery.backends.redis",
    "celery.fixups.django",
    "celery.loaders.app",
    "cli.__main__",
    "kombu.transport.redis",
    "mcp.server.stdio",
)


@dataclass(frozen=True)
class Ran:
    """A command's outcome; on a terminal all that it wrote is in `out`, unless its errors were kept apart."""

    code: int
    out: bytes
    err: bytes


class Runner:
    """Runs commands, each in a process of its own.

    Args:
        environment: The environment of the commands.
        folder: Where they work.
    """

    def __init__(self, environment, folder):
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Threads of numpy's would spin for the processors that all processes share.
            env={**environment, "PYTHONPATH": str(CHECKOUT), "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"},
            cwd=folder,
        )

    def __call__(self, *arguments, terminal, apart=False, given=b""):
        """Run a command to its end, on a terminal or with pipes; also on a terminal its errors can be kept `apart`."""
        asked = {
            "argv": [str(one) for one in arguments],
            "terminal": terminal,
            "apart": apart,
            "given": base64.b64encode(given).decode(),
        }
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        code, out, err = json.loads(self._process.stdout.readline())
        return Ran(code, base64.b64decode(out), base64.b64decode(err))

    def close(self):
        """End the process."""
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


def on_a_terminal(command, *arguments):
    """Start a command on a terminal; returns the process and the terminal's other end."""
    near, far = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), far)
    process = subprocess.Popen(
        [command.program, *map(str, arguments)],
        cwd=command.home,
        env=command.environment,
        start_new_session=True,
        **streams,
    )
    os.close(far)
    return process, near


def read_all(descriptor, *, seen=None):
    """All that is written to a terminal until it is closed at the other end; `seen` is given all of it so far."""
    read = b""
    with suppress(OSError):
        while part := os.read(descriptor, 65536):
            read += part
            if seen is not None:
                seen[:] = [read]
    return read


def serve():
    """Answer requests until there are no more."""
    import cli.commands  # noqa: PLC0415  # the runner's own process imports none of it
    from providers.local.minilm import open_minilm  # noqa: PLC0415  # likewise
    from tests.processes.preloaded import use_huge_pages  # noqa: PLC0415  # likewise
    from workers.runtime import collector  # noqa: PLC0415  # likewise

    open_minilm()
    for entry in cli.commands.COMMANDS.values():
        entry.load()
    for module in IMPORTED_WHEN_CALLED:
        import_module(module)
    collector.keep_out_of_it()
    use_huge_pages()
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        asked = json.loads(line)
        with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            given.write(base64.b64decode(asked["given"]))
            given.seek(0)
            near, far = pty.openpty() if asked["terminal"] else (None, None)
            child = os.fork()
            if child == 0:
                errors = far if asked["terminal"] and not asked["apart"] else err.fileno()
                become_command(asked["argv"], given.fileno(), far if asked["terminal"] else out.fileno(), errors)
            shown = b""
            if asked["terminal"]:
                os.close(far)
                shown = read_all(near)
                os.close(near)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            for file in (out, err):
                file.seek(0)
            parts = (shown or out.read(), err.read())
        answers.write(json.dumps([code, *(base64.b64encode(part).decode() for part in parts)]) + "\n")
        answers.flush()


def become_command(argv, given, out, err):
    """Be the `patrol` command, in a forked process."""
    os.setsid()
    for number, descriptor in enumerate((given, out, err)):
        os.dup2(descriptor, number)
    sys.stdin, sys.stdout, sys.stderr = (os.fdopen(number, mode) for number, mode in enumerate("rww"))
    sys.argv = ["patrol", *argv]
    code = CRASHED
    try:
        from cli.__main__ import main  # noqa: PLC0415  # as above

        main()
        code = COMMAND
    except SystemExit as end:
        if isinstance(end.code, str):
            sys.stderr.write(f"{end.code}\n")
        code = 1 if isinstance(end.code, str) else end.code or COMMAND
    except BaseException:  # noqa: BLE001  # as the interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
        os._exit(code)


if __name__ == "__main__":
    serve()
