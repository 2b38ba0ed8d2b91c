"""A server that streams chat completions at once, as the upstream of the proxy that is measured."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_WORDS = b'data: {"choices": [{"index": 0, "delta": {"content": "Tell me more of that. "}, "finish_reason": null}]}\n\n'
_LAST = b'data: {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


class StreamingUpstream:
    """The server. While `holding`, streams stay open: each gets words with every `pulse`, and ends with `let_go`."""

    def __init__(self) -> None:
        self.url = ""
        self.holding = False
        self.open = 0
        self._loop = asyncio.new_event_loop()
        self._writers: set[asyncio.StreamWriter] = set()
        self._released = asyncio.Event()

    def pulse(self) -> None:
        """Send some words on every open stream, and return when all are sent."""
        asyncio.run_coroutine_threadsafe(self._pulse(), self._loop).result()

    def let_go(self) -> None:
        """End every open stream."""
        self._loop.call_soon_threadsafe(self._released.set)

    def run(self, started: threading.Event) -> None:
        """Serve until stopped."""
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024))
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        started.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.close()

    def stop(self) -> None:
        """End the server."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _pulse(self) -> None:
        for writer in [*self._writers]:
            writer.write(_chunk(_WORDS))
        for writer in [*self._writers]:
            await writer.drain()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                await reader.readexactly(int(head.partition(b"content-length: ")[2].partition(b"\r\n")[0]))
                writer.write(_HEAD + _chunk(_WORDS))
                if self.holding:
                    await self._hold(writer)
                writer.write(_chunk(_LAST) + b"0\r\n\r\n")
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def _hold(self, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        self.open += 1
        try:
            await self._released.wait()
        finally:
            self.open -= 1
            self._writers.discard(writer)


@contextmanager
def streaming_upstream() -> Iterator[StreamingUpstream]:
    """Run the server in a thread while the block runs."""
    upstream, started = StreamingUpstream(), threading.Event()
    thread = threading.Thread(target=upstream.run, args=[started])
    thread.start()
    started.wait()
    try:
        yield upstream
    finally:
        upstream.stop()
        thread.join()


def _chunk(part: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(part), part)
