"""An API process whose proxy passes to a fake upstream, beside the shared system."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import anthropic
import openai
import pytest

from memory.accounts import access
from tests.acceptance.conftest import ALL_SCOPES, ENVIRONMENT, PATIENCE, Person, api_process
from tests.databases import of_processes
from tests.fakes.upstream import FakeUpstream, Received, Reply, running_upstream
from tests.fakes.wire_answers import message, response, streamed_message, streamed_response

KEYS_SECRET = "k" * 40
OPEN_REQUESTS = 8
# Small, since tests send the largest bodies that are taken: more than the server holds of a body before it reads on.
BATCH_BYTES = 1 << 20
BODY_BYTES = 4 << 20
PRICES = {
    "fake-1": {"input": 1, "output": 2},
    "dear": {"input": 1, "output": 300},
    "vendor@7": {"input": 1},
    "free/big": {"input": 1},
    "main/odd": {"input": 1},
}


@dataclass(frozen=True)
class ProxyUnderTest:
    """The address of the proxy, and its upstream."""

    url: str
    upstream: FakeUpstream

    @property
    def base_url(self) -> str:
        """A frontend's answer."""
        return f"{self.url}/openai/v1"


@pytest.fixture(scope="package")
def proxy_process(stack, tmp_path_factory) -> Iterator[ProxyUnderTest]:
    """The proxy, with a patience that a loaded machine keeps."""
    with running_upstream() as upstream:
        upstream.answers |= {"/v1/responses": answered_response, "/v1/messages": answered_message}
        upstreams = {
            "main": {
                "base_url": upstream.url,
                "wires": ["chat", "responses", "messages"],
                "provider": "openai",
                "key": "sk-platform",
            },
            # Another server by its address.
            "free": {"base_url": upstream.url.replace("127.0.0.1", "localhost"), "models": ["local"]},
        }
        environment = {
            **ENVIRONMENT,
            "PATROL_HOME": str(tmp_path_factory.mktemp("proxy")),
            **of_processes(stack.database_url),
            "REDIS_URL": stack.redis_url,
            "PATROL_SECRET_KEY": KEYS_SECRET,
            "PATROL_PROXY_UPSTREAMS": json.dumps(upstreams),
            "PATROL_PROXY_PATIENCE": "60",
            "PATROL_PROXY_DAILY_COST": "1",
            "PATROL_PROXY_REQUESTS": str(OPEN_REQUESTS),
            "PATROL_PROXY_BODY_BYTES": str(BODY_BYTES),
            "PATROL_API_BATCH_BYTES": str(BATCH_BYTES),
            "PATROL_API_IMPORT_BYTES": str(BATCH_BYTES),
            "PATROL_PROXY_PASS_PATHS": json.dumps(["embeddings", "files*"]),
            "PATROL_PRICES": json.dumps(PRICES),
        }
        url, api = api_process("proxy", environment)
        stack.supervisor.start([api], patience=PATIENCE)
        yield ProxyUnderTest(url, upstream)


@pytest.fixture
def proxy(proxy_process) -> ProxyUnderTest:
    """The proxy, whose upstream has seen nothing yet."""
    proxy_process.upstream.replies.clear()
    proxy_process.upstream.requests.clear()
    proxy_process.upstream.hung_up = 0
    return proxy_process


def answered_response(request: Received) -> Reply:
    """An answer to a request for a response."""
    return streamed_response("ok") if request.body.get("stream") else Reply.document(response("ok"))


def answered_message(request: Received) -> Reply:
    """An answer to a request for a message."""
    return streamed_message("ok") if request.body.get("stream") else Reply.document(message("ok"))


@pytest.fixture
def claude(proxy, person) -> Iterator[Callable[..., anthropic.Anthropic]]:
    """Anthropic's own client, told the proxy's address and a token of the person's."""
    made = []

    def make(token: str | None = None, **options: Any) -> anthropic.Anthropic:
        options = {"api_key": token or secret_of(person), **options}
        client = anthropic.Anthropic(base_url=f"{proxy.url}/anthropic", max_retries=0, timeout=PATIENCE, **options)
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()


def secret_of(person: Person, **options: object) -> str:
    """A new token of a person."""
    options = {"being_id": None, "scopes": [*ALL_SCOPES], "lifetime": None, **options}
    return access.issue_token(person.ledger, person.user.user_id, **options)[0]  # type: ignore[arg-type]


@pytest.fixture
def sdk(proxy, person) -> Iterator[Callable[..., openai.OpenAI]]:
    """OpenAI's own client, told the proxy's address and a token of the person's."""
    made = []

    def make(token: str | None = None, **headers: str) -> openai.OpenAI:
        client = openai.OpenAI(
            base_url=proxy.base_url,
            api_key=token or secret_of(person),
            max_retries=0,
            timeout=PATIENCE,
            default_headers={name.replace("_", "-"): value for name, value in headers.items()},
        )
        made.append(client)
        return client

    yield make
    for client in made:
        client.close()
