"""Upstreams on raw sockets: what they send beyond an answer, and answers that are none."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from providers.chat.upstream import MOST_LIST_BYTES, UpstreamClient, UpstreamFailed
from schemas.proxy.upstreams import Upstream
from schemas.settings import Settings

OTHERS = b"HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nothers"


@asynccontextmanager
async def upstream(*answers):
    """A server that sends the next of these bytes for each request, and a client of it."""
    left, connections = list(answers), []

    async def serve(reader, writer):
        connections.append(writer)
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length: ")]
                if lengths:
                    await reader.readexactly(int(lengths[0].split()[1]))
                writer.write(left.pop(0))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    client = UpstreamClient(Settings())
    port = server.sockets[0].getsockname()[1]
    try:
        yield client, Upstream(base_url=f"http://127.0.0.1:{port}/v1"), connections
    finally:
        await client.close()
        for writer in connections:
            writer.close()
        server.close()


async def asked(client, where):
    async with client.send("chat", where, None, "POST", "/chat/completions", b"{}", {}) as answer:
        return answer.status, b"".join([chunk async for chunk in answer.chunks])


def whole(body, head=b"HTTP/1.1 200 OK"):
    return head + b"\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body)


@pytest.mark.parametrize(
    "first",
    [
        whole(b"first") + OTHERS,
        whole(b"first") + OTHERS[:30],
        whole(b"first") + b"x",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n0\r\n\r\n" + OTHERS,
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nfirst\r\n00\r\nx: y\r\n\r\n" + OTHERS,
        b"HTTP/1.1 100 Continue\r\n\r\n" + whole(b"first") + OTHERS,
    ],
)
def test_what_an_upstream_sends_beyond_its_answer_is_no_answer_to_the_next_request(first):
    async def run():
        async with upstream(first, whole(b"second")) as (client, where, _):
            assert [await asked(client, where) for _ in range(2)] == [(200, b"first"), (200, b"second")]

    asyncio.run(run())


def test_nor_is_it_when_a_list_of_models_had_it_behind():
    async def run():
        async with upstream(whole(b"{}") + OTHERS, whole(b"second")) as (client, where, _):
            assert await client.models("chat", where, None, 10.0) == (200, b"{}")
            assert await asked(client, where) == (200, b"second")

    asyncio.run(run())


@pytest.mark.parametrize("status", [101, 204, 205, 300, 301, 302, 304, 307, 308, 600, 700, 999])
def test_a_status_that_no_answer_to_a_chat_has_is_a_failure(status):
    async def run():
        head = b"HTTP/1.1 %d Status\r\nlocation: /elsewhere" % status
        async with upstream(whole(b"", head), whole(b"second")) as (client, where, _):
            with pytest.raises(UpstreamFailed) as failed:
                await asked(client, where)
            assert failed.value.perhaps_paid
            assert await asked(client, where) == (200, b"second")

    asyncio.run(run())


@pytest.mark.parametrize("status", [200, 201, 400, 401, 404, 418, 429, 500, 503, 529, 599])
def test_successes_and_errors_pass(status):
    async def run():
        async with upstream(whole(b"said", b"HTTP/1.1 %d Status" % status)) as (client, where, _):
            assert await asked(client, where) == (status, b"said")

    asyncio.run(run())


def test_a_list_of_models_without_end_is_not_held():
    async def run():
        async with upstream(whole(b" " * (MOST_LIST_BYTES + 1))) as (client, where, _):
            with pytest.raises(UpstreamFailed, match="longer than"):
                await client.models("chat", where, None, 10.0)

    asyncio.run(run())
