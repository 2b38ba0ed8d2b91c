"""A model provider for tests: speaks OpenAI's and Anthropic's wire formats, so that the real SDKs run, and can fail.

In a test::

    with running_provider() as provider:
        provider.script(Behaviour(do="fail", status=429, headers={"retry-after": "7"}))
        openai.OpenAI(api_key="any", base_url=provider.openai_url) ...
        anthropic.Anthropic(api_key="any", base_url=provider.url) ...
        assert provider.requests[0].endpoint == "embeddings"

From another process: `POST /script` takes a JSON list of behaviours, `GET /requests` tells what was asked,
`POST /release` ends what hangs, `POST /reset` forgets all. By itself: `python -m tests.fakes.provider --port 8009`.

Without a script: embeddings are hashed bags of words; a thinker's answer is the smallest that the wanted JSON schema
allows, else "ok". A key that begins with `wrong` is refused with 401. The real limits of requests hold.
"""

import argparse
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel, PositiveInt, TypeAdapter

from tests.fakes import wire
from tests.fakes.server import Reply, Server
from tests.fakes.wire import Endpoint, Json


class Behaviour(BaseModel, extra="forbid"):
    """What to do with the next request that it fits.

    `answer`: a thinker says `text`. `truncate`: it stops in the middle of `text`. `refuse`: it declines.
    `fail`: answer with `status`, `headers`, and `code` as the provider's machine-readable word.
    `hang`: answer as usual, but only after `seconds` or when released. `drop`: close the connection without a word.
    `garble`: answer with something that is no JSON.
    `short`, `shuffle`, `lists`: leave out the last vector, send them backwards, or as lists whatever was asked for.
    `nan`, `dimension`, `empty`: put a NaN into the first vector, send it with 7 numbers, or with none.
    """

    do: Literal[
        "fail",
        "hang",
        "drop",
        "garble",
        "short",
        "shuffle",
        "lists",
        "nan",
        "dimension",
        "empty",
        "answer",
        "truncate",
        "refuse",
    ]
    on: Endpoint | None = None
    """Only at this endpoint."""
    when: str | None = None
    """Only for a request that has these words in it."""
    times: PositiveInt | None = 1
    """For so many requests; None is for ever."""
    status: int = 500
    headers: dict[str, str] = {}
    code: str | None = None
    seconds: float = 30.0
    text: str = ""


class Request(BaseModel):
    """A request as it came in; of the key only its hash."""

    endpoint: Endpoint
    body: Json
    key_sha256: str | None

    @property
    def prompt(self) -> str:
        """Everything that it says to a thinker."""
        return wire.prompt_of(self.body)


_BEHAVIOURS = TypeAdapter(list[Behaviour])


class FakeProvider:
    """The provider itself; every method may be called from any thread.

    Args:
        bytes_per_token: How many UTF-8 bytes its tokenizer makes one token of.
        answer: What a thinker says where no behaviour does; None leaves it to the default.
    """

    def __init__(self, bytes_per_token: int = 4, answer: Callable[[Request], str | None] | None = None) -> None:
        self.url = ""
        self._bytes_per_token = bytes_per_token
        self._answer = answer
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._behaviours: list[Behaviour] = []
        self._requests: list[Request] = []

    @property
    def openai_url(self) -> str:
        """The address for the OpenAI SDK; Anthropic's takes `url`."""
        return f"{self.url}/v1"

    @property
    def requests(self) -> list[Request]:
        """What was asked so far, in order of arrival; a request is here before it is answered."""
        with self._changed:
            return list(self._requests)

    def script(self, *behaviours: Behaviour) -> None:
        """Add behaviours behind those that are waiting; a request gets the first that fits it."""
        with self._changed:
            self._behaviours += [behaviour.model_copy() for behaviour in behaviours]
            self._released.clear()

    def release(self) -> None:
        """Let everything that hangs go on."""
        self._released.set()

    def reset(self) -> None:
        """Forget behaviours and requests, and release what hangs."""
        with self._changed:
            self._behaviours.clear()
            self._requests.clear()
        self.release()

    def wait_for_requests(self, count: int, timeout: float = 60.0) -> None:
        """Wait until so many requests have come in.

        Raises:
            TimeoutError: They have not, within `timeout` seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._requests) >= count, timeout):
                raise TimeoutError(f"{len(self._requests)} of {count} requests came in.")

    def reply(self, method: str, path: str, key: str | None, content: bytes) -> Reply | None:
        """Answer an HTTP request; None drops the connection."""
        if endpoint := wire.PATHS.get(path):
            return self._provide(endpoint, key, content)
        match method, path:
            case "GET", "/requests":
                return Reply.json(200, [request.model_dump() for request in self.requests])
            case "POST", "/script":
                self.script(*_BEHAVIOURS.validate_json(content))
            case "POST", "/release":
                self.release()
            case "POST", "/reset":
                self.reset()
            case _:
                return Reply.json(404, {"error": {"message": f"Unknown request URL: {method} {path}", "code": None}})
        return Reply.json(200, {})

    def _provide(self, endpoint: Endpoint, key: str | None, content: bytes) -> Reply | None:
        body = json.loads(content)
        request = Request(
            endpoint=endpoint, body=body, key_sha256=hashlib.sha256(key.encode()).hexdigest() if key else None
        )
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            behaviour = self._take(request)
        if not key or not key.isascii() or key.startswith("wrong"):
            return Reply.json(401, wire.error(endpoint, 401, "Incorrect API key provided."))
        match behaviour:
            case Behaviour(do="fail"):
                failure = wire.error(endpoint, behaviour.status, "This failure is scripted.", code=behaviour.code)
                return Reply.json(behaviour.status, failure, behaviour.headers)
            case Behaviour(do="drop"):
                return None
            case Behaviour(do="garble"):
                return Reply(200, b'{"data": [{"index": 0, "embe')
            case Behaviour(do="hang"):
                self._released.wait(behaviour.seconds)
        try:
            return Reply.json(200, self._answered(request, behaviour))
        except wire.Refusal as refusal:
            return Reply.json(400, wire.error(endpoint, 400, str(refusal), refusal.kind, refusal.code))

    def _take(self, request: Request) -> Behaviour | None:
        said = json.dumps(request.body, ensure_ascii=False)
        for behaviour in self._behaviours:
            if behaviour.on in {None, request.endpoint} and (behaviour.when is None or behaviour.when in said):
                if behaviour.times is not None:
                    behaviour.times -= 1
                    if behaviour.times == 0:
                        self._behaviours.remove(behaviour)
                return behaviour
        return None

    def _answered(self, request: Request, behaviour: Behaviour | None) -> Json:
        do = behaviour.do if behaviour else "answer"
        if request.endpoint == "embeddings":
            return wire.spoil(wire.embeddings(request.body, self._bytes_per_token), do)
        text = behaviour.text if behaviour and behaviour.text else self._thought(request)
        say = wire.chat if request.endpoint == "chat" else wire.messages
        match do:
            case "truncate":
                return say(request.body, text[: len(text) // 2], "truncate")
            case "refuse":
                return say(request.body, "", "refuse")
            case _:
                return say(request.body, text, "answer")

    def _thought(self, request: Request) -> str:
        if self._answer and (text := self._answer(request)) is not None:
            return text
        schema = wire.schema_of(request.body)
        return json.dumps(wire.smallest(schema)) if schema else "ok"


@contextmanager
def running_provider(port: int = 0, **options: Any) -> Iterator[FakeProvider]:
    """Run a provider on this machine; its threads and connections are gone at the end.

    Args:
        port: The port to listen on; 0 takes a free one.
        options: What FakeProvider takes.
    """
    provider = FakeProvider(**options)
    with Server(port, provider.reply) as server:
        provider.url = server.url
        try:
            yield provider
        finally:
            provider.release()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Run a fake model provider until it is interrupted.")
    parser.add_argument("--port", type=int, default=0)
    with running_provider(parser.parse_args().port) as running:
        print(running.url, flush=True)  # noqa: T201 - this is how a starter learns the port
        threading.Event().wait()
