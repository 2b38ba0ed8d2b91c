"""A whole system for a test process: embedded servers, a real worker, beat and API, and people who use it.

It is started once, when the first test asks for it, and ends with the last test of this folder; each test makes its own
person with Beings of their own, so that no test sees another's. `ledger` looks into the system from behind, as an
operator would.
"""

import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from secrets import token_hex
from uuid import UUID, uuid4

import httpx2
import pytest

from cli.operations.stack import api_command
from memory.accounts import access
from schemas.accounts.accounts import Being, Scope, User
from schemas.ledger.kinds import QUEUES
from schemas.settings import CHECKOUT
from store.accounts import beings, users
from store.database import Store
from tests.databases import as_owner, of_processes, url_of
from tests.ports import free_port
from tests.processes import clusters, lock_trace
from workers.embedded.processes import wait_until
from workers.embedded.servers import embedded_servers
from workers.embedded.supervisor import Launch, Process, Supervisor

PATIENCE = 120.0
ALL_SCOPES: list[Scope] = ["ingest", "read", "manage"]

ENVIRONMENT = {
    **os.environ,
    "PYTHONPATH": str(CHECKOUT),
    # All processes share two processors; more threads would only compete.
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "PATROL_EMBEDDER": "minilm",
    # A test that needs a patrol demands it; each note of all others would start one.
    "PATROL_PENDING_WAIT": "PT1H",
    "PATROL_JUDGE_QUIET": "PT1S",
    "PATROL_SWEEP_EVERY": "1",
    "PATROL_LOG_FORMAT": "json",
    # Nothing of the machine's own settings.
    **dict.fromkeys(("DATABASE_URL", "REDIS_URL", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY"), ""),
    # Keys that tests make up are sent to no provider.
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:1",
}


@dataclass(frozen=True)
class Stack:
    """A running system: where its API and its servers are, where its processes log, and their environment."""

    url: str
    database_url: str
    redis_url: str
    broker_url: str
    logs: Path
    supervisor: Supervisor
    environment: Mapping[str, str]


@pytest.fixture(scope="package")
def stack(launch: Launch) -> Iterator[Stack]:
    """The system, ready: beat has ticked, a worker has heard it, and the API says so.

    An ordinary role owns its database, and policies bind the role of its processes. The locks that transactions take
    are recorded, and must have been taken in the documented order.
    """
    with tempfile.TemporaryDirectory(prefix="patrol-") as directory, ExitStack() as context:
        home = Path(directory)
        clusters.lay(home / "postgres", clusters.operated)
        servers = context.enter_context(embedded_servers(home, durable=False))
        database_url = as_owner(url_of(servers.database_url, "migrated"))
        lock_trace.install(database_url)
        supervisor = context.enter_context(Supervisor(home / "logs", launch=launch))
        environment = {
            **ENVIRONMENT,
            "PATROL_HOME": str(home),
            **of_processes(database_url),
            "REDIS_URL": servers.redis_url,
            "PATROL_SECRET_KEY": token_hex(32),
        }
        celery = [sys.executable, "-m", "celery", "-A", "workers.runtime.app"]
        options = ["--pool", "prefork", "--concurrency", "2", "-Q", ",".join(QUEUES)]
        url, api = api_process("api", environment)
        supervisor.start(
            [
                Process(
                    "worker",
                    [*celery, "worker", *options, "--without-gossip", "--without-mingle"],
                    environment,
                ),
                Process("beat", [*celery, "beat", "--schedule", str(home / "beat")], environment),
                Process(api.name, api.argv, api.env, lambda: answers(url, "/health/work")),
            ],
            patience=180.0,
        )
        addresses = (database_url, servers.redis_url, servers.broker_url)
        yield Stack(url, *addresses, home / "logs", supervisor, environment)
        assert lock_trace.inversions(database_url) == []


def api_process(name: str, environment: dict[str, str]) -> tuple[str, Process]:
    """One more API process on a port of its own; returns its URL with it."""
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    return url, Process(name, api_command("127.0.0.1", port, 1), environment, lambda: answers(url, "/health/live"))


def without_passages(context: str) -> str:
    """A context as text, without its passages of other talk."""
    return re.sub("<passage.*?</passage>", "", context, flags=re.DOTALL)


def answers(url: str, path: str) -> bool:
    """Whether an API says that all is well."""
    try:
        return httpx2.get(url + path, timeout=PATIENCE).status_code == 200
    except httpx2.TransportError:
        return False


@pytest.fixture(scope="package")
def ledger(stack: Stack) -> Iterator[Store]:
    """The system's database, from behind."""
    with Store(stack.database_url) as store:
        yield store


def new_address() -> str | None:
    """An address of this machine's that no other client has; None where there is one alone.

    The API delays its answers to an address that keeps sending wrong tokens.
    """
    # On Linux all of 127.0.0.0/8 is this machine.
    parts = random.SystemRandom().choices(range(1, 255), k=3)
    return ".".join(map(str, [127, *parts])) if sys.platform == "linux" else None


class Person:
    """A user with Beings, who speaks to the API; `ask` shows a token for everything."""

    def __init__(self, stack: Stack, ledger: Store) -> None:
        self.ledger = ledger
        self._stack = stack
        self._address = new_address()
        self._clients: list[httpx2.Client] = []
        with ledger.transaction() as tx:
            self.user: User = users.add_user(tx, f"person {uuid4()}", "UTC")
        self.being = self.add_being("mira")
        self.client = self.with_token()

    def add_being(self, slug: str) -> Being:
        """Give them one more Being."""
        with self.ledger.transaction() as tx:
            return beings.add_being(tx, self.user.user_id, slug, slug.title())

    def with_token(
        self,
        scopes: Sequence[Scope] = ALL_SCOPES,
        *,
        being_id: UUID | None = None,
        life: timedelta | None = None,
    ) -> httpx2.Client:
        """A client that shows a new token of theirs."""
        secret, _ = access.issue_token(
            self.ledger, self.user.user_id, being_id=being_id, scopes=[*scopes], lifetime=life
        )
        return self.with_secret(secret)

    def with_secret(self, secret: str | None, address: str | None = None) -> httpx2.Client:
        """A client that shows this token, or none, from an address of this machine's; by default from the person's."""
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        # Without TLS there is nothing to verify, and to load the certificates takes longer than a request.
        way = httpx2.HTTPTransport(verify=False, local_address=address or self._address)
        client = httpx2.Client(base_url=self._stack.url, headers=headers, timeout=PATIENCE, transport=way)
        self._clients.append(client)
        return client

    def with_page_login(self, client: httpx2.Client) -> httpx2.Client:
        """A client that shows no token but the cookie and the proof of a login of the memory page by another's."""
        begun = client.post("/page/session")
        assert begun.status_code == 200, begun.text
        logged_in = self.with_secret(None)
        logged_in.cookies = begun.cookies
        logged_in.headers["X-Memory-Page"] = begun.json()["request_secret"]
        return logged_in

    def ask(self, method: str, path: str, **options: object) -> httpx2.Response:
        """Ask about the first Being: `path` goes on after `/v1/beings/{being}`."""
        return self.client.request(method, f"/v1/beings/{self.being.being_id}{path}", **options)  # type: ignore[arg-type]

    def patrol(self, being: Being | None = None) -> dict[str, object]:
        """Demand a patrol of a Being, and wait until it is over; returns its report."""
        patrols = f"/v1/beings/{(being or self.being).being_id}/patrols"
        demanded = self.client.post(patrols)
        assert demanded.status_code == 202, demanded.text
        report: dict[str, object] = {}

        def over() -> bool:
            report.update(self.client.get(f"{patrols}/{demanded.json()['run_id']}").json())
            return report["state"] in {"done", "failed"}

        assert wait_until(over, PATIENCE, pause=0.2), report
        return report

    def leave(self) -> None:
        """Close every client."""
        for client in self._clients:
            client.close()


@contextmanager
def people(ledger: Store) -> Iterator[Callable[[Stack], Person]]:
    """Make people, each with a Being in a system, who leave at the end of the block."""
    made: list[Person] = []

    def make(stack: Stack) -> Person:
        made.append(Person(stack, ledger))
        return made[-1]

    yield make
    for person in made:
        person.leave()


@pytest.fixture
def newcomer(stack: Stack, ledger: Store) -> Iterator[Callable[[], Person]]:
    """Make a person with a Being."""
    with people(ledger) as make:
        yield partial(make, stack)


@pytest.fixture
def person(newcomer: Callable[[], Person]) -> Person:
    """A user with a Being."""
    return newcomer()
