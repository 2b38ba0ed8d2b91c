"""Measures the proxy: the time to the first byte beyond the upstream's own.

The Being has 10,000 nodes and 10,000 messages, and the local embedder embeds every turn. A chat grows to twenty
exchanges, as frontends resend it, then another begins.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import perf_counter
from typing import Any
from uuid import UUID

import httpx2

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.memories import filled_being
from bench.proxy.upstream import streaming_upstream
from bench.search.handing_in import tell
from cli.demo import canned
from cli.operations import stack
from providers.embedders import Embedders
from schemas.settings import Settings
from workers.embedded.supervisor import Supervisor

NODES = MESSAGES = 10_000
DIMENSIONS = 384
TIMES = 100
WARM_UP = 5
EXCHANGES = 20
P50_MS, P95_MS = 50.0, 90.0
PATIENCE = 300.0
SYSTEM = {"role": "system", "content": "You are Mira, who keeps a harbour light. " * 20}
ANSWER = "Tell me more of that. "


def proxy(ground: Ground) -> Iterator[Figure]:
    """The time to the first byte at 10,000 nodes and messages."""
    being_id = _being(ground)
    with streaming_upstream() as upstream_url, _api(ground, upstream_url) as url:
        yield from _first_bytes(url, upstream_url, ground.token(being_id))


def _being(ground: Ground) -> UUID:
    """Make a Being with nodes and messages, whose vectors are as the local embedder's."""
    model = Embedders(Settings(embedder="minilm")).serving(None).model
    being_id = filled_being(ground, NODES, DIMENSIONS, model)
    tell(ground, being_id, MESSAGES, model)
    return being_id


@contextmanager
def _api(ground: Ground, upstream_url: str) -> Iterator[str]:
    """Run the API in one process; yields its URL."""
    port = canned.free_port()
    process = stack.api(canned.HOST, port, 1, lambda _: None)
    environment = {
        **(process.env or os.environ),
        "PATROL_EMBEDDER": "minilm",
        "PATROL_PROXY_UPSTREAMS": json.dumps({"measured": {"base_url": upstream_url}}),
        "PATROL_LOG_LEVEL": "WARNING",
    }
    logs = ground.home / "proxy-logs"
    with Supervisor(logs) as supervisor:
        supervisor.start([replace(process, env=environment)], patience=PATIENCE)
        yield f"http://{canned.HOST}:{port}"


def _first_bytes(url: str, upstream_url: str, token: str) -> Iterator[Figure]:
    """Alternate the same requests through the proxy and without it."""
    beyond: list[float] = []
    included = 0
    with httpx2.Client(timeout=PATIENCE) as client:
        for number, messages in zip(range(WARM_UP + TIMES), _chats(), strict=False):
            body = {"model": "any", "stream": True, "messages": messages}
            direct, _ = _first_byte(client, f"{upstream_url}/chat/completions", token, body)
            proxied, recalled = _first_byte(client, f"{url}/openai/v1/chat/completions", token, body)
            if number >= WARM_UP:
                beyond.append(proxied - direct)
                included += recalled == "included"
    took = Times(beyond)
    what = f"first byte beyond the upstream's, {NODES:,} nodes and {MESSAGES:,} messages"
    remark = f"with memories: {included} of {TIMES}"
    yield Figure(what=f"{what}, p50", measured=took.p50, unit="ms", limit=P50_MS, against="the goal", remark=remark)
    yield Figure(what=f"{what}, p95", measured=took.p95, unit="ms", limit=P95_MS, against="the goal")


def _first_byte(client: httpx2.Client, url: str, token: str, body: dict[str, Any]) -> tuple[float, str]:
    """Return the seconds to the first byte of the body, and whether memories were in the prompt."""
    begun = perf_counter()
    with client.stream("POST", url, json=body, headers={"Authorization": f"Bearer {token}"}) as answer:
        answer.raise_for_status()
        chunks = answer.iter_raw()
        next(chunks)
        took = perf_counter() - begun
        for _ in chunks:
            pass
    return took, answer.headers.get("x-memory-recall", "")


def _chats() -> Iterator[list[dict[str, str]]]:
    """Yield transcripts as a frontend sends them: each with one exchange more than the one before it."""
    number = 0
    while True:
        transcript = [SYSTEM]
        for _ in range(EXCHANGES):
            number += 1
            word = f"word{number % 400} and word{number * 7 % 4000}"
            transcript.append(
                {"role": "user", "content": f"What of {word} at the fish market, for the {number}th time?"}
            )
            yield [*transcript]
            transcript.append({"role": "assistant", "content": ANSWER})
