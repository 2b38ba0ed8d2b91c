"""A whole system for chaos: durable servers, workers, beat and API, each restarted when it has died."""

import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from cli.operations.stack import api_command, beat_command, stream_command, worker_command
from memory.accounts import access
from schemas.ledger.kinds import QUEUES
from schemas.ledger.work import TaskMessage
from schemas.settings import Settings
from store.accounts import beings, users
from store.database import Store
from store.migrate import migrate
from tests.chaos.doors import Door, Http, InProcess, Stream
from tests.chaos.processes import SETTINGS, Processes
from tests.fakes.provider import FakeProvider, running_provider
from tests.ports import free_port
from workers.embedded.postgres import as_application
from workers.embedded.processes import Child
from workers.embedded.servers import EmbeddedServers, embedded_servers

LEASE = timedelta(seconds=3)
HURRIED = {
    "PATROL_LEASE": "PT3S",
    "PATROL_STOP_GRACE": "2",
    "PATROL_PROVIDER_TIMEOUT": "5",
    "PATROL_THINKING_TIMEOUT": "5",
    "PATROL_DATABASE_CONNECTIONS": "6",
    "PATROL_RUN_NOTES": "60",
    "PATROL_STREAM_CLAIM": "PT2S",
    "PATROL_SCENES": "off",
}
WORKERS = ("worker-a", "worker-b")
# Of Ada's talk no scenes are drawn, Bob's messages are never retracted; of Cyd's, which are, scenes are drawn.
BEINGS = ("ada", "bob", "cyd")


class System:
    """The running system.

    Attributes:
        beings: The Beings in it, all of one user.
        steady: Those whose messages are not retracted.
        replayable: Those whose memories are what their patrols made of notes: none is taken out with a message.
        doors: The ways in.
        store: The ledger, from behind.
    """

    def __init__(
        self, servers: EmbeddedServers, provider: FakeProvider, started: Processes, store: Store, port: int
    ) -> None:
        self.servers, self.provider, self.store = servers, provider, store
        self._started = started
        self._children: dict[str, Child] = {}
        self._due: dict[str, float] = {}
        self._commands = {
            **{name: worker_command(name, QUEUES, 2) for name in WORKERS},
            "beat": beat_command(Path(started.settings["PATROL_HOME"])),
            "api": api_command("127.0.0.1", port, processes=2),
            "stream": stream_command(),
        }
        with store.transaction() as tx:
            user = users.add_user(tx, "chaos", "UTC")
            ada, bob, cyd = (beings.add_being(tx, user.user_id, name, name).being_id for name in BEINGS)
            tx.execute("update memory.beings set scenes = 'on' where being_id = any(%s)", [[bob, cyd]])
        self.beings, self.steady, self.replayable = [ada, bob, cyd], [bob], [ada, bob]
        token, _ = access.issue_token(
            store, user.user_id, being_id=None, scopes=["ingest", "read", "manage"], lifetime=None
        )
        self.doors: list[Door] = [
            InProcess(store, Settings()),
            Http(f"http://127.0.0.1:{port}", token),
            Stream(servers.redis_url, store),
        ]

    @property
    def names(self) -> list[str]:
        """The processes that can be killed, by name."""
        return list(self._commands)

    def child(self, name: str) -> Child | None:
        """Return a process, if it runs."""
        child = self._children.get(name)
        return child if child and child.alive else None

    def look_after(self, chance: random.Random) -> None:
        """Restart processes that have died, each after a moment."""
        now = time.monotonic()
        for name, command in self._commands.items():
            if self.child(name):
                self._due.pop(name, None)
            elif now >= self._due.setdefault(name, now + (chance.uniform(0, 0.5) if name in self._children else 0)):
                self._children[name] = self._started.start(name, command)


@contextmanager
def running_system(home: Path, launch: Callable[..., Child] = Child) -> Iterator[System]:
    """Run a system over a home directory; its processes, which `launch` starts, end with the block, its data stay."""
    with running_provider() as provider, embedded_servers(home) as servers:
        port = free_port()
        settings = {"PATROL_HOME": str(home), "OPENAI_BASE_URL": provider.openai_url, **_thinking(provider), **HURRIED}
        # This process is a door too, and needs the same settings.
        os.environ.update({**SETTINGS, **settings})
        migrate(servers.database_url, as_application(servers.database_url))
        started = Processes(home, settings, launch)
        try:
            with Store(servers.database_url, connections=10, send=_send) as store:
                yield System(servers, provider, started, store, port)
        finally:
            provider.reset()
            started.kill()


def _send(messages: Sequence[TaskMessage]) -> None:
    # Its settings read the broker's URL, which is known only now.
    from workers.runtime.app import app  # noqa: PLC0415  # see above
    from workers.runtime.dispatch import send  # noqa: PLC0415  # likewise

    send(app, messages)


def _thinking(provider: FakeProvider) -> dict[str, str]:
    """The provider that all processes use."""
    return {"PATROL_THINKER": "anthropic", "ANTHROPIC_API_KEY": "sk-ant-any", "ANTHROPIC_BASE_URL": provider.url}


def children_of(pid: int) -> list[int]:
    """Return a process's children (on Linux; elsewhere an empty list)."""
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []
