"""The real `./patrol`, in a home of its own, and a running `patrol up` for the commands that need one."""

import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any
from uuid import uuid4

import pytest

from memory.intake.notes import accept_notes
from schemas.settings import CHECKOUT, Settings
from store.accounts import beings, users
from store.database import Store
from tests.acceptance.cli import forked_up
from tests.ports import free_port
from tests.processes import clusters
from tests.processes.preloaded import Forked, Preloaded
from workers.embedded.processes import wait_until
from workers.embedded.servers import running_servers

PATROL = CHECKOUT / "patrol"
PATIENCE = 120.0


class Command:
    """The `patrol` command with an environment of its own; every process it starts works below its home.

    Args:
        home: The directory that it works in, made when missing.
        preloaded: The process to fork commands from that run to their end; without, `./patrol` is executed.
        environment: The variables to add to its environment.
    """

    def __init__(self, home: Path, preloaded: Preloaded | None = None, **environment: str) -> None:
        self.home = home
        self.preloaded = preloaded
        self.program = PATROL
        self.patience = PATIENCE
        home.mkdir(parents=True, exist_ok=True)
        kept = {name: value for name, value in os.environ.items() if name in {"PATH", "LANG", "TMPDIR"}}
        self.environment = {
            **kept,
            # No settings of the machine, and a place for sockets that no other test knows.
            "HOME": str(home),
            "XDG_RUNTIME_DIR": str(home.parent),
            "PATROL_HOME": str(home),
            "PATROL_EMBEDDER": "minilm",
            **environment,
        }

    def __call__(
        self, *arguments: object, given: bytes = b"", code: int | None = 0
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, which must be `code`."""
        argv = [*map(str, arguments)]
        if self.preloaded and self.program == PATROL:
            done = self.preloaded.run("cli", argv, given, self.environment, self.home, self.patience)
        else:
            done = subprocess.run(
                [self.program, *argv],
                input=given,
                capture_output=True,
                cwd=self.home,
                env=self.environment,
                timeout=self.patience,
                check=False,
            )
        answer = subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
        assert code is None or answer.returncode == code, answer.stdout + answer.stderr
        assert "Traceback" not in answer.stderr
        return answer

    def json(self, *arguments: object, code: int = 0, given: bytes = b"") -> Any:
        """Run a command with `--json`, and read its answer."""
        return json.loads(self(*arguments, "--json", code=code, given=given).stdout)

    def start(self, *arguments: object) -> subprocess.Popen[str]:
        """Start a command in a process group of its own, as a terminal does."""
        return subprocess.Popen(
            [self.program, *map(str, arguments)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=self.home,
            env=self.environment,
            process_group=0,
        )

    def begin(self, *arguments: object, streams: Sequence[IO[bytes]]) -> Forked | subprocess.Popen[bytes]:
        """Start a command as the leader of a session of its own, with its standard input, output and error."""
        argv = [*map(str, arguments)]
        if self.preloaded and self.program == PATROL:
            return self.preloaded.fork("cli", argv, self.environment, self.home, streams)
        given, output, errors = streams
        return subprocess.Popen(
            [self.program, *argv],
            stdin=given,
            stdout=output,
            stderr=errors,
            cwd=self.home,
            env=self.environment,
            start_new_session=True,
        )

    def fork_all(self) -> None:
        """Have what `start` starts forked from the preloaded process, if there is one, and what that supervises."""
        if self.preloaded:
            clusters.lay(self.home / "demo" / "postgres", clusters.new)
            self.environment[forked_up.ADDRESS] = self.preloaded.address
            self.program = self.preloaded.program(self.home / "patrol", forked_up.__name__)

    def up(self, *arguments: object, folder: Path, output: IO[bytes]) -> Forked | subprocess.Popen[bytes]:
        """Start `patrol up` for the tests of other commands, as the leader of a session of its own.

        It and its processes are forked from the preloaded process, if there is one, and its database is migrated.

        Args:
            arguments: Its arguments.
            folder: Its working directory.
            output: The file that it writes to.
        """
        argv = ["up", *map(str, arguments)]
        if self.preloaded:
            clusters.lay(self.home / "postgres", clusters.migrated)
            environment = {**self.environment, forked_up.ADDRESS: self.preloaded.address}
            with Path(os.devnull).open("rb") as nothing:
                streams = (nothing, output, output)
                return self.preloaded.fork(forked_up.__name__, argv, environment, folder, streams)
        return subprocess.Popen(
            [self.program, *argv],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=folder,
            env=self.environment,
            start_new_session=True,
        )

    def living(self) -> list[int]:
        """The processes that work in the home, or in a directory below it."""
        if not Path("/proc/self/cwd").exists():
            pytest.skip("looks into /proc")
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                works_in = (process / "cwd").readlink()
            except OSError:
                continue
            if works_in.is_relative_to(self.home):
                found.append(int(process.name))
        return found


def examined(command: Command, *options: object) -> dict[str, Any]:
    """The doctor's findings, by name; its exit code says whether all is well."""
    done = command("doctor", "--json", *options, code=None)
    found = {finding["name"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert done.returncode == (not all(finding["good"] for finding in found.values()))
    return found


@contextmanager
def made_home() -> Iterator[Path]:
    """A home with a path short enough for sockets; processes left in it are killed at the end."""
    place = Path(tempfile.mkdtemp(prefix="cli-"))
    home = place / "home"
    try:
        yield home
    finally:
        for left_over in Command(home).living():
            with suppress(ProcessLookupError):
                os.kill(left_over, signal.SIGKILL)
        shutil.rmtree(place, ignore_errors=True)


def read_until(process: subprocess.Popen[str], text: str) -> str:
    """Read what a command says until a line holds this text."""
    said = ""
    assert process.stdout is not None
    for line in process.stdout:
        said += line
        if text in line:
            return said
    raise AssertionError(f"it ended without saying {text!r}:\n{said}")


@pytest.fixture
def command(preloaded: Preloaded | None) -> Iterator[Command]:
    """The command with an empty home. What it supervises is started from scratch, as a user's is."""
    with made_home() as home:
        yield Command(home, preloaded)


@pytest.fixture(scope="package")
def patrol(preloaded: Preloaded | None) -> Iterator[Command]:
    """The command over a home where `patrol up` runs, whose work fails at once where it fails."""
    with made_home() as home:
        command = Command(home, preloaded, PATROL_ATTEMPTS="1", PATROL_SWEEP_EVERY="1", PATROL_API_PROCESSES="1")
        port, redis_port = free_port(), free_port()
        (home / "url").write_text(f"http://127.0.0.1:{port}")
        (home / "redis_port").write_text(str(redis_port))
        said = home / "greeting"
        with said.open("wb") as output:
            arguments = ("--port", port, "--concurrency", 2, "--redis-port", redis_port)
            up = command.up(*arguments, folder=home, output=output)
        try:
            assert wait_until(lambda: "Ctrl-C stops everything" in said.read_text() or up.poll() is not None, PATIENCE)
            assert up.poll() is None, said.read_text()
            yield command
        finally:
            os.kill(up.pid, signal.SIGINT)
            code = up.wait(PATIENCE)
        assert code == 0
        assert "Stopped." in said.read_text()
        assert wait_until(lambda: not command.living(), PATIENCE)


@pytest.fixture(scope="package")
def ledger(patrol: Command) -> Iterator[Store]:
    """The database of `patrol up`, from behind."""
    servers = running_servers(patrol.home)
    assert servers is not None
    with Store(servers.database_url) as store:
        yield store


class Account:
    """A user with one Being, who types its commands."""

    def __init__(self, patrol: Command, ledger: Store) -> None:
        self.patrol = patrol
        self.ledger = ledger
        with ledger.transaction() as tx:
            user = users.add_user(tx, f"user-{uuid4()}", "UTC")
            being = beings.add_being(tx, user.user_id, f"b-{uuid4()}", "Mira")
        self.user = user.name
        self.being = being.slug
        self.being_id = being.being_id

    def __call__(self, *arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run a command about the Being."""
        return self.patrol(*arguments, "--being", self.being, **options)

    def json(self, *arguments: object, **options: Any) -> Any:
        """Run a command about the Being, and read its answer."""
        return self.patrol.json(*arguments, "--being", self.being, **options)

    def remembers(self, *actions: str, **scene: Any) -> list[str]:
        """Take a scene for each action, and let a patrol go round; returns the notes' own ids."""
        notes = [
            {
                "id": f"note-{uuid4()}",
                "type": "scene",
                "content": {"action": action, "actors": ["Mira"], "when": ["2026-03-02"], **scene},
            }
            for action in actions
        ]
        accept_notes(self.ledger, Settings(), self.being_id, notes)
        assert self.json("run")["state"] == "done"
        return [str(note["id"]) for note in notes]


@pytest.fixture
def account(patrol: Command, ledger: Store) -> Account:
    """A user with one Being."""
    return Account(patrol, ledger)


@pytest.fixture
def new_account(patrol: Command, ledger: Store) -> Callable[[], Account]:
    """Make one more user with one Being."""
    return lambda: Account(patrol, ledger)
