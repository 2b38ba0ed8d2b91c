"""Python programs that start in milliseconds: forked from a process that has imported what they import.

A `patrol` command spends 1.2 s of processor time on imports and 0.1 s on its work, an API process 3.5 s, and a
Celery worker 2 to 4 s before its first task. The tests start some five hundred of them. So the test processes share one
preloaded process and ask it to fork. The fork is an operating system process of its own: it has its own pid,
session, environment, working directory, standard streams and exit status, can be killed or suspended, and runs the same
`python -m` module and arguments.

What a fork skips is the interpreter's start, the imports and the reading of the local encoder. `pytest --cold` skips
nothing: every process then starts as a user's does. What README pastes, and the tests of `patrol up`, of the compose
file and of the embedded servers always start that way, and so does `make chaos`.

When all tests run, the test processes are forked too, from a preloaded process that has imported the system and what
tests import beside it: each would spend ten seconds of processor time on that.

Run as `python -m tests.processes.preloaded DESCRIPTOR KIND`, this module is the preloaded process, which listens at
that socket. It imports nothing of the system before the first client connects.
"""

import atexit
import ctypes
import json
import os
import pkgutil
import runpy
import selectors
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, NoReturn, cast

from api.server import PRELOADED
from cli.operations.environments import environment
from memory.patrol.root_examples import TEXTS
from providers.embedders import Embedders
from schemas.settings import Settings
from tests.processes import forked_program
from workers.embedded import processes
from workers.embedded.launch import PR_SET_PDEATHSIG
from workers.embedded.log_files import set_aside
from workers.embedded.processes import Child
from workers.runtime import collector

PACKAGES = ("api", "cli", "memory", "operations", "providers", "samples", "schemas", "store", "tasks", "workers")
# What programs and tests import beside the system: a second or so of processor time each.
LIBRARIES = {
    "programs": (
        *("anthropic", "openai", "celery.__main__", "celery.apps.beat", "celery.apps.worker", "celery.bin.beat"),
        *("celery.bin.worker", "celery.concurrency.prefork", "celery.fixups.django", "kombu.transport.redis"),
    ),
    "tests": (
        *("agents", "anthropic", "fastapi", "hypothesis", "kubernetes_validate", "langgraph.graph"),
        *("mcp.client.client", "openai", "playwright.sync_api", "pydantic_ai.models.function", "pytest"),
    ),
}
# The largest request: arguments and environment.
REQUEST = 1 << 17
# <linux/mman.h>
MADV_COLLAPSE = 25
HUGE_PAGE = 2 << 20
# Where the preloaded process listens that parallel test processes share.
SHARED = "TESTS_PRELOADED"


class Forked:
    """A forked process, with the part of `subprocess.Popen`'s interface that tests use."""

    def __init__(self, status: socket.socket) -> None:
        self._status = status
        self._said = b""
        self.returncode: int | None = None
        while b"\n" not in self._said:
            if not (received := status.recv(64)):
                raise AssertionError("the preloaded process has ended")
            self._said += received
        number, _, self._said = self._said.partition(b"\n")
        self.pid = int(number)

    def poll(self) -> int | None:
        """Return the exit status, negative for a signal; None while the process runs."""
        return self._await(0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the exit status.

        Raises:
            subprocess.TimeoutExpired: The process still runs after `timeout` seconds.
        """
        status = self._await(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        return status

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _await(self, timeout: float | None) -> int | None:
        if self.returncode is None:
            self._status.settimeout(timeout)
            with suppress(TimeoutError, BlockingIOError):
                while not self._said.endswith(b"\n"):
                    if not (received := self._status.recv(64)):
                        # The preloaded process has ended, and the kernel kills its children.
                        self._said = b"%d\n" % -signal.SIGKILL
                    self._said += received
                self.returncode = int(self._said)
                self._status.close()
        return self.returncode


class Preloaded:
    """A client of a preloaded process.

    Args:
        address: The path of the socket at which the process listens.
    """

    def __init__(self, address: str) -> None:
        self.address = address
        self._requests = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests.connect(address)

    def close(self) -> None:
        """Disconnect; what was forked goes on running."""
        self._requests.close()

    def fork(
        self, module: str, arguments: Sequence[str], env: Mapping[str, str], cwd: Path, streams: Sequence[IO[bytes]]
    ) -> Forked:
        """Start `python -m module arguments` as the leader of a session of its own.

        Args:
            module: The module to run.
            arguments: Its arguments.
            env: Its whole environment.
            cwd: Its working directory.
            streams: Its standard input, output and error.
        """
        ours, theirs = socket.socketpair()
        request = json.dumps([module, arguments, dict(env), str(cwd)]).encode()
        with theirs:
            handed = [*(stream.fileno() for stream in streams), theirs.fileno()]
            socket.send_fds(self._requests, [request], handed)
        return Forked(ours)

    def run(
        self, module: str, arguments: Sequence[str], given: bytes, env: Mapping[str, str], cwd: Path, patience: float
    ) -> subprocess.CompletedProcess[bytes]:
        """Run `python -m module arguments` to its end, as `subprocess.run` does.

        Args:
            module: The module to run.
            arguments: Its arguments.
            given: Its standard input.
            env: Its whole environment.
            cwd: Its working directory.
            patience: Seconds that it may take.

        Raises:
            subprocess.TimeoutExpired: It took longer, and was killed.
        """
        with TemporaryFile() as read, TemporaryFile() as output, TemporaryFile() as errors:
            read.write(given)
            read.seek(0)
            forked = self.fork(module, arguments, env, cwd, (read, output, errors))
            try:
                status = forked.wait(patience)
            except subprocess.TimeoutExpired:
                forked.send_signal(signal.SIGKILL)
                forked.wait()
                raise
            for written in (output, errors):
                written.seek(0)
            return subprocess.CompletedProcess([module, *arguments], status, output.read(), errors.read())

    def program(self, path: Path, module: str = "cli") -> Path:
        """Write an executable that shells and SDKs start in place of `python -m module`; it is forked as well."""
        forking = [sys.executable, "-IS", forked_program.__file__, self.address, module]
        path.write_text(f'#!/bin/sh\nexec {shlex.join(forking)} "$@"\n')
        path.chmod(0o755)
        return path

    def child(self, argv: Sequence[str], log: Path, *, env: Mapping[str, str]) -> "ForkedChild":
        """Start a Python program as `workers.embedded.processes.Child` does.

        Args:
            argv: `[python, "-m", module, *arguments]`.
            log: The file for its output and errors.
            env: Its whole environment.
        """
        return ForkedChild(self, argv, log, env)


@contextmanager
def preloaded_process(kind: str = "programs") -> Iterator[str]:
    """Run a preloaded process inside the `with` block; yields its address. What it has forked ends with it.

    Args:
        kind: The processes to fork: `programs` of the system, or processes that run `tests`.
    """
    with (
        TemporaryDirectory(prefix="patrol-") as directory,
        socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener,
    ):
        address, log = f"{directory}/socket", Path(directory, "log")
        listener.bind(address)
        listener.listen()
        command = [sys.executable, "-m", "tests.processes.preloaded", str(listener.fileno()), kind]
        child = Child(command, log, env=environment("worker"), inherit=[listener.fileno()])
        # Only the process listens now: once it has ended, its clients are refused and wait for nothing.
        listener.close()
        try:
            yield address
        finally:
            if not child.alive:
                sys.stderr.write(log.read_text())
            child.kill()


@contextmanager
def preloaded_client() -> Iterator[Preloaded]:
    """A client of the shared preloaded process, or of one that runs inside the `with` block if none is shared."""
    with (
        nullcontext(os.environ[SHARED]) if SHARED in os.environ else preloaded_process() as address,
        closing(Preloaded(address)) as client,
    ):
        yield client


class ForkedChild(Child):
    """A `Child` that is forked from the preloaded process instead of being executed."""

    def __init__(self, preloaded: Preloaded, argv: Sequence[str], log: Path, env: Mapping[str, str]) -> None:
        _, _, module, *arguments = argv
        set_aside(log)
        with Path(os.devnull).open("rb") as nothing, log.open("ab") as output:
            streams = (nothing, output, output)
            forked = preloaded.fork(module, arguments, env, Path.cwd(), streams)
        self._process = forked  # type: ignore[assignment]  # the part of Popen's interface that Child uses
        self._kill = weakref.finalize(self, processes._kill_group, forked, os.getpid())  # type: ignore[arg-type]  # noqa: SLF001  # likewise


class Forks:
    """The processes that the preloaded process has forked, with the pipe that reports each one's exit status."""

    def __init__(self) -> None:
        self.ended, self._wakes = socket.socketpair()
        for end in (self.ended, self._wakes):
            end.setblocking(False)
        self._waiting: dict[int, socket.socket] = {}
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._wakes.fileno())

    def fork(self, status: socket.socket) -> int:
        """Fork, and write the pid to `status`; returns 0 in the fork."""
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for inherited in (self.ended, self._wakes, status, *self._waiting.values()):
                inherited.close()
        else:
            self._waiting[pid] = status
            status.sendall(b"%d\n" % pid)
        return pid

    def reap(self) -> None:
        """Reap the forks that have ended, and report their exit statuses."""
        with suppress(BlockingIOError):
            self.ended.recv(4096)
        for pid in [*self._waiting]:
            found, code = os.waitpid(pid, os.WNOHANG)
            if found:
                with self._waiting.pop(pid) as status, suppress(BrokenPipeError):
                    status.sendall(b"%d\n" % os.waitstatus_to_exitcode(code))


def load(kind: str) -> None:
    """Import the system, and the libraries that its programs or the tests import."""
    if kind == "programs":
        # Prometheus's client decides when it is imported whether processes count together. Where, it asks when the
        # first metric is made, which is in a fork.
        os.environ["PROMETHEUS_MULTIPROC_DIR"] = os.devnull
    for library in LIBRARIES[kind]:
        import_module(library)
    for package in PACKAGES:
        for module in pkgutil.walk_packages(import_module(package).__path__, f"{package}."):
            # What the API's processes share reads the settings, and where they count.
            if not module.name.endswith("__main__") and module.name != PRELOADED:
                import_module(module.name)
    # Each fork would hash the encoder's 90 MB when it first embeds, and each worker the examples of the two roots.
    Embedders(Settings(embedder="minilm")).constants(None, TEXTS)
    # It reads the settings, which must be of the fork's own environment.
    assert "celeryconfig" not in sys.modules


def use_huge_pages() -> None:
    """Collapse this process's memory into pages of 2 MB, where the kernel can (Linux 6.1).

    A fork then copies 120 entries of page tables instead of 60,000: it took 40 ms of processor time, and takes 10.
    """
    madvise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, file, *name = line.split()
        if rights == "rw-p" and file == "0" and name in ([], ["[heap]"]):
            begin, end = (int(address, 16) for address in addresses.split("-"))
            for page in range(-(-begin // HUGE_PAGE) * HUGE_PAGE, end - HUGE_PAGE + 1, HUGE_PAGE):
                madvise(ctypes.c_void_p(page), ctypes.c_size_t(HUGE_PAGE), MADV_COLLAPSE)


def serve(listener: socket.socket, kind: str) -> NoReturn:
    """Fork a process for each request of a client; in each fork, run its module."""
    clients = selectors.DefaultSelector()
    clients.register(listener, selectors.EVENT_READ)
    clients.select()
    load(kind)
    collector.keep_out_of_it()
    use_huge_pages()
    forks = Forks()
    clients.register(forks.ended, selectors.EVENT_READ)
    while True:
        for readable in [cast("socket.socket", key.fileobj) for key, _ in clients.select()]:
            if readable is listener:
                clients.register(listener.accept()[0], selectors.EVENT_READ)
            elif readable is not forks.ended:
                request, descriptors, *_ = socket.recv_fds(readable, REQUEST, 4)
                if not request:
                    clients.unregister(readable)
                    readable.close()
                elif forks.fork(socket.socket(fileno=descriptors.pop())) == 0:
                    inherited = [cast("socket.socket", key.fileobj) for key in clients.get_map().values()]
                    clients.close()
                    for each in inherited:
                        each.close()
                    run(*json.loads(request), descriptors)
                for descriptor in descriptors:
                    os.close(descriptor)
        forks.reap()


def run(module: str, arguments: list[str], env: dict[str, str], cwd: str, streams: list[int]) -> NoReturn:
    """Set up the fork as requested, and run its module."""
    starter = os.getppid()
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ctypes.c_ulong(signal.SIGKILL), *(ctypes.c_ulong(0),) * 3)
    if os.getppid() != starter:
        os._exit(1)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    # Those of the preloaded process remember that they are files, where a terminal may be now.
    sys.stdin, sys.stdout = os.fdopen(0), os.fdopen(1, "w")
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace")
    # As the interpreter does: a program that replaces one goes on using its buffer, and does not close its descriptor.
    sys.__stdin__, sys.__stdout__, sys.__stderr__ = sys.stdin, sys.stdout, sys.stderr  # type: ignore[misc]
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv[1:] = arguments
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as ending:
        if isinstance(ending.code, int | None):
            status = ending.code or 0
        else:
            sys.stderr.write(f"{ending.code}\n")
            status = 1
    # Finalises as the interpreter does, except freeing every object, which would copy all memory of the fork.
    threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001  # no public function does this
    atexit._run_exitfuncs()  # noqa: SLF001  # likewise
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(status & 0xFF)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2])
