"""A server that speaks chat, streams included, for tests of the proxy.

Without a script it answers "ok", as a stream where one is requested. A test lines up replies, each for one request::

    with running_upstream() as upstream:
        upstream.replies.append(Reply.stream("Hello", "there", ending="drop"))
        ...
        assert upstream.requests[0].body["model"] == "gpt"
"""

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

Ending = Literal["end", "drop", "wait"]

USAGE = {"prompt_tokens": 11, "completion_tokens": 3, "total_tokens": 14}


@dataclass
class Reply:
    """An answer to one request.

    `ending`: after the parts the answer is complete (`end`), the connection is closed in its midst (`drop`), or nothing
    comes until the client closes it or the upstream is released (`wait`).
    """

    parts: list[bytes]
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"content-type": "application/json"})
    ending: Ending = "end"
    chunked: bool = False
    silent: bool = False

    @classmethod
    def document(cls, body: Any, status: int = 200, **headers: str) -> "Reply":
        """A whole answer."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls([json.dumps(body).encode()], status, {"content-type": "application/json", **named})

    @classmethod
    def stream(cls, *words: str, ending: Ending = "end", usage: bool = False) -> "Reply":
        """An answer of so many events."""
        deltas = [{"role": "assistant", "content": ""}, *({"content": word} for word in words)]
        return cls.deltas(*deltas, ending=ending, usage=usage)

    @classmethod
    def deltas(
        cls, *deltas: dict[str, Any], finish: str = "stop", ending: Ending = "end", usage: bool = False
    ) -> "Reply":
        """An answer of an event for each delta of its message."""
        events = [_event({"index": 0, "delta": delta, "finish_reason": None}) for delta in deltas]
        if ending == "end":
            events.append(_event({"index": 0, "delta": {}, "finish_reason": finish}))
            if usage:
                events.append(_event(None, usage=USAGE))
            events.append(b"data: [DONE]\n\n")
        return cls(events, headers={"content-type": "text/event-stream; charset=utf-8"}, ending=ending, chunked=True)

    @classmethod
    def silence(cls) -> "Reply":
        """Nothing at all."""
        return cls([], ending="wait", silent=True)

    @property
    def body(self) -> bytes:
        """All bytes of the body."""
        return b"".join(self.parts)


def completion(text: str | None, *, choices: int = 1, **message: Any) -> dict[str, Any]:
    """A whole answer that says a text."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [
            {
                "index": index,
                "message": {"role": "assistant", "content": text, "refusal": None, **message},
                "logprobs": None,
                "finish_reason": "tool_calls" if message.get("tool_calls") else "stop",
            }
            for index in range(choices)
        ],
        "usage": USAGE,
        "unknown_field": {"kept": [1.0, 1e-7, "é\u2028"]},
    }


@dataclass(frozen=True)
class Received:
    """A request as it came in."""

    path: str
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> dict[str, Any]:
        """The parsed body."""
        return dict(json.loads(self.raw))


class FakeUpstream:
    """The upstream, in a thread of its own."""

    def __init__(self) -> None:
        self.replies: deque[Reply] = deque()
        self.requests: list[Received] = []
        self.hung_up = 0
        self.models: list[str] = ["fake-1", "fake-2"]
        self.url = ""
        self.keep_requests = True
        # What is answered at other paths than that of chat completions.
        self.answers: dict[str, Callable[[Received], Reply]] = {}
        self._loop = asyncio.new_event_loop()
        self._changed = threading.Condition()
        self._released = asyncio.Event()
        self._server: asyncio.Server

    def release(self) -> None:
        """Let every reply that waits go on to its end."""
        self._loop.call_soon_threadsafe(self._released.set)

    def wait_for(self, requests: int = 0, hung_up: int = 0, seconds: float = 60.0) -> None:
        """Wait until so many requests came in and so many clients went away in the midst of an answer."""
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.requests) >= requests and self.hung_up >= hung_up, seconds)
        assert came, (len(self.requests), self.hung_up)

    def run(self, started: threading.Event) -> None:
        """Serve until stopped."""
        asyncio.set_event_loop(self._loop)
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024))
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"
        started.set()
        self._loop.run_forever()
        self._server.close()
        for task in asyncio.all_tasks(self._loop):
            task.cancel()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.run_until_complete(self._loop.shutdown_asyncgens())
        self._loop.close()

    def stop(self) -> None:
        """End the server."""
        self._loop.call_soon_threadsafe(self._loop.stop)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
                line, *lines = head.strip().split("\r\n")
                headers = {name.lower(): value for name, _, value in (each.partition(": ") for each in lines)}
                raw = await reader.readexactly(int(headers.get("content-length", 0)))
                method, path, _ = line.split(" ")
                reply = self._reply(method, Received(path, headers, raw))
                if not await self._send(reply, reader, writer):
                    return
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            return
        finally:
            writer.close()

    def _reply(self, method: str, request: Received) -> Reply:
        if method == "GET" and request.path.partition("?")[0] == "/v1/models":
            return Reply.document({"object": "list", "data": [{"id": name, "object": "model"} for name in self.models]})
        with self._changed:
            if self.keep_requests:
                self.requests.append(request)
            self._changed.notify_all()
        if self.replies:
            return self.replies.popleft()
        if answer := self.answers.get(request.path.partition("?")[0]):
            return answer(request)
        return Reply.stream("ok") if request.body.get("stream") else Reply.document(completion("ok"))

    async def _send(self, reply: Reply, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        if reply.silent:
            return await self._waits(reader)
        headers = dict(reply.headers)
        headers |= {"transfer-encoding": "chunked"} if reply.chunked else {"content-length": str(len(reply.body))}
        lines = [f"HTTP/1.1 {reply.status} Status", *(f"{name}: {value}" for name, value in headers.items()), "", ""]
        writer.write("\r\n".join(lines).encode())
        for part in reply.parts:
            writer.write(b"%x\r\n%s\r\n" % (len(part), part) if reply.chunked else part)
            await writer.drain()
        if reply.ending == "drop":
            return False
        if reply.ending == "wait" and not await self._waits(reader):
            return False
        if reply.chunked:
            writer.write(b"0\r\n\r\n")
        await writer.drain()
        return True

    async def _waits(self, reader: asyncio.StreamReader) -> bool:
        """Wait for the release; returns False if the client goes away before."""
        gone, released = asyncio.ensure_future(reader.read(1)), asyncio.ensure_future(self._released.wait())
        await asyncio.wait({gone, released}, return_when=asyncio.FIRST_COMPLETED)
        for each in (gone, released):
            each.cancel()
        if self._released.is_set():
            return True
        with self._changed:
            self.hung_up += 1
            self._changed.notify_all()
        return False


@contextmanager
def running_upstream() -> Iterator[FakeUpstream]:
    """Run an upstream on this machine; its thread and connections are gone at the end."""
    upstream, started = FakeUpstream(), threading.Event()
    thread = threading.Thread(target=upstream.run, args=[started])
    thread.start()
    started.wait()
    try:
        yield upstream
    finally:
        upstream.stop()
        thread.join()


def _event(choice: dict[str, Any] | None, **more: Any) -> bytes:
    event = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1"}
    return b"data: " + json.dumps({**event, "choices": [choice] if choice else [], **more}).encode() + b"\n\n"
