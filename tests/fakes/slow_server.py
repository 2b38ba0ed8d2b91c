"""A way to a server that takes longer: whatever a client sends arrives so much later. The server itself is real."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

CHUNK = 64 * 1024


class SlowWay:
    """A Unix socket that passes on to another, with a delay for each message of a client.

    Args:
        target: The server's socket.
        path: The socket to make.
    """

    def __init__(self, target: Path, path: Path) -> None:
        self.seconds = 0.0
        self._target = target
        self._path = path
        self._loop = asyncio.new_event_loop()

    def run(self, started: threading.Event) -> None:
        """Serve until stopped."""
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(asyncio.start_unix_server(self._serve, str(self._path)))
        started.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        # Closed connections are let go in the loop's next turn.
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()

    def stop(self) -> None:
        """End it."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            from_server, to_server = await asyncio.open_unix_connection(str(self._target))
            await asyncio.gather(self._pass(reader, to_server, late=True), self._pass(from_server, writer, late=False))

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, late: bool) -> None:
        try:
            while data := await reader.read(CHUNK):
                if late and self.seconds:
                    await asyncio.sleep(self.seconds)
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()


@contextmanager
def slow_way(target: Path, path: Path) -> Iterator[SlowWay]:
    """Run a way to a server; its thread and connections are gone at the end."""
    way, started = SlowWay(target, path), threading.Event()
    thread = threading.Thread(target=way.run, args=[started])
    thread.start()
    started.wait()
    try:
        yield way
    finally:
        way.stop()
        thread.join()
