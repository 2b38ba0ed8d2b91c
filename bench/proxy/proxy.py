"""Measures the proxy: the time to the first byte beyond the upstream's own, and the memory of many open streams.

The Being has 10,000 nodes and 10,000 messages, and the local embedder embeds every turn. A chat grows to twenty
exchanges, as frontends resend it, then another begins.
"""

import asyncio
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any
from uuid import UUID

import httpx2

from bench.figures import Figure, Times
from bench.ground import Ground
from bench.memories import new_filled_being
from bench.proxy.alignment import alignment
from bench.proxy.upstream import StreamingUpstream, streaming_upstream
from bench.search.told import tell
from cli.demo import canned
from cli.operations import stack
from providers.embedders import Embedders
from schemas.settings import Settings
from workers.embedded.processes import wait_until
from workers.embedded.supervisor import Supervisor

NODES = MESSAGES = 10_000
DIMENSIONS = 384
TIMES = 100
WARM_UP = 5
EXCHANGES = 20
P50_MS, P95_MS = 50.0, 90.0
STREAMS = 500
# One user alone would use more than a user's share of database time while they are opened.
USERS = 50
# So many requests at a time while the streams are opened: one user may not have more in preparation.
OPENING = 4
PULSES = 200
PATIENCE = 300.0
SYSTEM = {"role": "system", "content": "You are Mira, who keeps a harbour light. " * 20}
ANSWER = "Tell me more of that. "


def proxy(ground: Ground) -> Iterator[Figure]:
    """The time to the first byte at 10,000 nodes and messages, 500 open streams, and alignments of long transcripts."""
    yield from alignment()
    being_id = _being(ground)
    token = ground.token(being_id)
    with streaming_upstream() as upstream, _api(ground, upstream) as (url, pid):
        yield from _first_bytes(url, upstream, token)
        tokens = [ground.token(ground.new_being()) for _ in range(USERS)]
        yield from asyncio.run(_open_streams(url, pid, upstream, tokens))


def _being(ground: Ground) -> UUID:
    """Make a Being with nodes and messages, whose vectors are as the local embedder's."""
    model = Embedders(Settings(embedder="minilm")).serving(None).model
    being_id = new_filled_being(ground, NODES, DIMENSIONS, model)
    tell(ground, being_id, MESSAGES, model)
    return being_id


@contextmanager
def _api(ground: Ground, upstream: StreamingUpstream) -> Iterator[tuple[str, int]]:
    """Run the API in one process; yields its URL and the id of the process that serves."""
    port = canned.free_port()
    process = stack.api(canned.HOST, port, 1, lambda _: None)
    environment = {
        **(process.env or os.environ),
        "PATROL_EMBEDDER": "minilm",
        "PATROL_PROXY_UPSTREAMS": json.dumps({"measured": {"base_url": upstream.url}}),
        "PATROL_PROXY_REQUESTS": str(2 * STREAMS),
        "PATROL_LOG_LEVEL": "WARNING",
    }
    logs = ground.home / "proxy-logs"
    with Supervisor(logs) as supervisor:
        supervisor.start([replace(process, env=environment)], patience=PATIENCE)
        yield f"http://{canned.HOST}:{port}", _serving(port)


def _first_bytes(url: str, upstream: StreamingUpstream, token: str) -> Iterator[Figure]:
    """Alternate the same requests through the proxy and without it."""
    beyond: list[float] = []
    included = 0
    with httpx2.Client(timeout=PATIENCE) as client:
        for number, messages in zip(range(WARM_UP + TIMES), _chats(), strict=False):
            body = {"model": "any", "stream": True, "messages": messages}
            direct, _ = _first_byte(client, f"{upstream.url}/chat/completions", token, body)
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
        said = [SYSTEM]
        for _ in range(EXCHANGES):
            number += 1
            word = f"word{number % 400} and word{number * 7 % 4000}"
            said.append({"role": "user", "content": f"What of {word} at the fish market, for the {number}th time?"})
            yield [*said]
            said.append({"role": "assistant", "content": ANSWER})


async def _open_streams(url: str, pid: int, upstream: StreamingUpstream, tokens: Sequence[str]) -> list[Figure]:
    """Hold streams open, and send words on all of them; the memory of the API before, with, and later with them."""
    upstream.holding = True
    before = _kilobytes(pid)
    slots, opened = asyncio.Semaphore(OPENING), asyncio.Semaphore(0)

    async def stream(client: httpx2.AsyncClient, number: int) -> int:
        body = {
            "model": "any",
            "stream": True,
            "messages": [{"role": "user", "content": f"What of the tortoise, stream {number}?"}],
        }
        token = tokens[number % len(tokens)]
        headers = {"Authorization": f"Bearer {token}", "X-Memory-Conversation": f"stream {number}"}
        async with AsyncExitStack() as stack:
            async with slots:
                request = client.stream("POST", f"{url}/openai/v1/chat/completions", json=body, headers=headers)
                answer = await stack.enter_async_context(request)
                answer.raise_for_status()
                chunks = answer.aiter_raw()
                received = len(await anext(chunks))
            opened.release()
            async for chunk in chunks:
                received += len(chunk)
        return received

    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None)
    async with httpx2.AsyncClient(timeout=PATIENCE, limits=limits) as client:
        streams = [asyncio.create_task(stream(client, number)) for number in range(STREAMS)]
        everything_opened = asyncio.create_task(_acquired(opened, STREAMS))
        # A stream that ends before has failed.
        await asyncio.wait([everything_opened, *streams], return_when=asyncio.FIRST_COMPLETED)
        for ended in streams:
            if ended.done():
                everything_opened.cancel()
                ended.result()
        with_streams = _kilobytes(pid)
        samples = []
        for _ in range(PULSES):
            await asyncio.to_thread(upstream.pulse)
            samples.append(_kilobytes(pid))
        upstream.let_go()
        received = await asyncio.gather(*streams)
    if min(received) != max(received):
        raise RuntimeError("The streams did not all get the same bytes.")
    early, late = median(samples[: PULSES // 4]), median(samples[-PULSES // 4 :])
    return [
        Figure(what=f"kilobytes of an open stream, of {STREAMS}", measured=(with_streams - before) / STREAMS, unit=""),
        Figure(
            what=f"megabytes of the API with {STREAMS} open streams, after {PULSES} events on each",
            measured=late / 1024,
            unit="",
            limit=early / 1024,
            against=f"the same after the first {PULSES // 4}",
        ),
    ]


async def _acquired(semaphore: asyncio.Semaphore, times: int) -> None:
    for _ in range(times):
        await semaphore.acquire()


def _serving(port: int) -> int:
    """The process that listens on a port: the API's parent process starts it."""
    found: list[int] = []

    def listening() -> bool:
        sockets = {
            fields[9]
            for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]
            if (fields := line.split())[1].endswith(f":{port:04X}") and fields[3] == "0A"
        }
        found[:] = [pid for pid in _processes() if _sockets(pid) & sockets]
        return bool(found)

    if not wait_until(listening, PATIENCE):
        raise TimeoutError("The API does not listen.")
    return max(found, key=_kilobytes)


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdecimal()]


def _sockets(pid: int) -> set[str]:
    """The inodes of a process's sockets."""
    try:
        names = [str(entry.readlink()) for entry in Path(f"/proc/{pid}/fd").iterdir()]
    except OSError:
        return set()
    return {name[len("socket:[") : -1] for name in names if name.startswith("socket:[")}


def _kilobytes(pid: int) -> int:
    """The resident memory of a process."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0
