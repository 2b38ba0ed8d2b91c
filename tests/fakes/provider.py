"""A model provider for tests: speaks OpenAI's and Anthropic's wire formats, so that the real SDKs run, and can fail.

In a test::

    with running_provider() as provider:
        provider.script(Behaviour(do="fail", status=429, headers={"retry-after": "7"}))
        openai.OpenAI(api_key="any", base_url=provider.openai_url) ...
        anthropic.Anthropic(api_key="any", base_url=provider.url) ...
        assert provider.requests[0].endpoint == "embeddings"
        assert len(provider.asked("Consolidation", paid=True)) == 1

From another process: `POST /script` takes a JSON list of behaviours, `GET /requests` tells what was asked,
`GET /counts` how often for what, `POST /release` ends what hangs, `POST /reset` forgets all but the batches. By itself:
`python -m tests.fakes.provider --port 8009`.

Without a script: embeddings are hashed bags of words; a thinker answers what `tests/fakes/policy.py` makes of a
question that it knows by its schema's title, else the smallest that the wanted schema allows, else "ok". A key that
begins with `wrong` is refused with 401. The real limits of requests hold, and what the models refuse is refused. A
batch has ended when it is first looked at.
"""

import argparse
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal

from pydantic import BaseModel, PositiveInt, TypeAdapter

from tests.fakes import anthropic_wire, openai_wire, policy, wire
from tests.fakes.embeddings import embeddings, spoil
from tests.fakes.server import Reply, Server
from tests.fakes.wire import Endpoint, Json, PromptCache, Refusal, Request


class Behaviour(BaseModel, extra="forbid"):
    """What to do with the next request that it fits.

    `answer`: a thinker says `text`. `truncate`: it stops in the middle of `text`. `refuse`: it declines.
    `fail`: answer with `status`, `headers`, `message`, and `code` as the provider's machine-readable word.
    `hang`: answer as usual, but only after `seconds` or when released. `drop`: close the connection without a word.
    `garble`: answer with something that is no JSON.
    `short`, `shuffle`, `lists`: leave out the last vector, send them backwards, or as lists whatever was asked for.
    `nan`, `dimension`, `empty`: put a NaN into the first vector, send it with 7 numbers, or with none.
    `filter`: OpenAI's content filter cuts in. `uncounted`: an answer does not say what it used.
    `lie`: an answer has `fields` in the place of its own.
    `unfinished`: a batch is still in progress. `expire`: a question in a batch ran out of time.
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
        "filter",
        "uncounted",
        "lie",
        "unfinished",
        "expire",
    ]
    on: Endpoint | None = None
    """Only at this endpoint."""
    when: str | None = None
    """Only for a request that has these words in it."""
    times: PositiveInt | None = 1
    """For so many requests; None is for ever."""
    status: int = 500
    headers: dict[str, str] = {}
    message: str = "This failure is scripted."
    code: str | None = None
    seconds: float = 30.0
    text: str = ""
    fields: Json = {}


_BEHAVIOURS = TypeAdapter(list[Behaviour])


class FakeProvider:
    """The provider itself; every method may be called from any thread.

    Args:
        bytes_per_token: How many UTF-8 bytes its tokenizer makes one token of.
        answer: What a thinker says where no behaviour does; None leaves it to the schema.
    """

    def __init__(self, bytes_per_token: int = 4, answer: Callable[[Request], str | None] = policy.answer) -> None:
        self.url = ""
        self._bytes_per_token = bytes_per_token
        self._answer = answer
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._behaviours: list[Behaviour] = []
        self._requests: list[Request] = []
        self._batches: dict[str, list[Json]] = {}
        self._cache = PromptCache()

    @property
    def openai_url(self) -> str:
        """The address for the OpenAI SDK; Anthropic's takes `url`."""
        return f"{self.url}/v1"

    @property
    def requests(self) -> list[Request]:
        """What was asked so far, in order of arrival; a request is here before it is answered."""
        with self._changed:
            return list(self._requests)

    def asked(self, purpose: str, *, paid: bool = False) -> list[Request]:
        """What was asked for an answer with this title; with `paid` only what a model answered, well or badly."""
        return [request for request in self.requests if request.purpose == purpose and request.paid >= paid]

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

    def wait_for_requests(self, count: int, timeout: float = 120.0) -> None:
        """Wait until so many requests have come in.

        Raises:
            TimeoutError: They have not, within `timeout` seconds.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: len(self._requests) >= count, timeout):
                raise TimeoutError(f"{len(self._requests)} of {count} requests came in.")

    def reply(self, method: str, path: str, key: str | None, content: bytes) -> Reply | None:
        """Answer an HTTP request; None drops the connection."""
        if found := wire.endpoint_of(method, path):
            endpoint, batch_id = found
            key_sha256 = hashlib.sha256(key.encode()).hexdigest() if key else None
            body = json.loads(content) if content else {}
            request = Request(endpoint=endpoint, body=body, key_sha256=key_sha256, batch_id=batch_id)
            return self._provide(request, known=bool(key) and key.isascii() and not key.startswith("wrong"))
        match method, path:
            case "GET", "/requests":
                return Reply.json(200, [request.model_dump() for request in self.requests])
            case "GET", "/counts":
                return Reply.json(200, self._counts())
            case "POST", "/script":
                self.script(*_BEHAVIOURS.validate_json(content))
            case "POST", "/release":
                self.release()
            case "POST", "/reset":
                self.reset()
            case _:
                return Reply.json(404, {"error": {"message": f"Unknown request URL: {method} {path}", "code": None}})
        return Reply.json(200, {})

    def _counts(self) -> dict[str, dict[str, int]]:
        requests = self.requests
        asked = Counter(request.purpose for request in requests)
        paid = Counter(request.purpose for request in requests if request.paid)
        return {purpose: {"asked": asked[purpose], "paid": paid[purpose]} for purpose in asked}

    def _provide(self, request: Request, *, known: bool) -> Reply | None:
        behaviour = self._received(request)
        if not known:
            return Reply.json(401, wire.error(request.endpoint, 401, "Incorrect API key provided."))
        if behaviour:
            match behaviour.do:
                case "fail":
                    failure = wire.error(request.endpoint, behaviour.status, behaviour.message, code=behaviour.code)
                    return Reply.json(behaviour.status, failure, behaviour.headers)
                case "drop":
                    return None
                case "garble":
                    return Reply(200, b'{"data": [{"index": 0, "embe')
                case "hang":
                    self._released.wait(behaviour.seconds)
        try:
            return self._answered(request, behaviour)
        except Refusal as refusal:
            failure = wire.error(request.endpoint, refusal.status, str(refusal), refusal.kind, refusal.code)
            return Reply.json(refusal.status, failure)

    def _answered(self, request: Request, behaviour: Behaviour | None) -> Reply:
        do = behaviour.do if behaviour else "answer"
        match request.endpoint:
            case "embeddings":
                return Reply.json(200, spoil(embeddings(request.body, self._bytes_per_token), do))
            case "batches":
                return Reply.json(200, self._take_in(request))
            case "batch" | "batch_results" | "batch_cancel":
                return self._tell(request, do)
            case _:
                return Reply.json(200, self._think(request, behaviour))

    def _received(self, request: Request) -> Behaviour | None:
        with self._changed:
            self._requests.append(request)
            self._changed.notify_all()
            return self._take(request)

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

    def _think(self, request: Request, behaviour: Behaviour | None) -> Json:
        do = behaviour.do if behaviour else "answer"
        match request.endpoint:
            case "chat":
                check, say = openai_wire.check, openai_wire.chat
            case "responses":
                check, say = openai_wire.check, openai_wire.response
            case _:
                check, say = anthropic_wire.check, anthropic_wire.message
        check(request.body)
        text = behaviour.text if behaviour and behaviour.text else self._thought(request)
        with self._changed:
            request.paid = True
            match do:
                case "truncate":
                    return say(request, text[: len(text) // 2], "truncate", self._cache)
                case "refuse" | "filter":
                    return say(request, "", do, self._cache)
                case "uncounted":
                    return {**say(request, text, "answer", self._cache), "usage": None}
                case "lie" if behaviour:
                    return say(request, text, "answer", self._cache) | behaviour.fields
                case _:
                    return say(request, text, "answer", self._cache)

    def _thought(self, request: Request) -> str:
        if (text := self._answer(request)) is not None:
            return text
        schema = request.schema_wanted
        return json.dumps(wire.smallest(schema)) if schema else "ok"

    def _take_in(self, request: Request) -> Json:
        anthropic_wire.check_batch(request.body)
        batch_id = f"msgbatch_{next(wire.ids)}"
        results = [
            {"custom_id": item["custom_id"], "result": self._result(request, batch_id, item["params"])}
            for item in request.body["requests"]
        ]
        with self._changed:
            self._batches[f"{request.key_sha256}/{batch_id}"] = results
        return anthropic_wire.batch(batch_id, results, self.url, ended=False)

    def _result(self, batch: Request, batch_id: str, params: Json) -> Json:
        question = Request(endpoint="batched", body=params, key_sha256=batch.key_sha256, batch_id=batch_id)
        behaviour = self._received(question)
        match behaviour:
            case Behaviour(do="expire"):
                return {"type": "expired"}
            case Behaviour(do="fail", status=status, message=message, code=code):
                return anthropic_wire.errored(status, message, code=code)
        try:
            return {"type": "succeeded", "message": self._think(question, behaviour)}
        except Refusal as refusal:
            return anthropic_wire.errored(refusal.status, str(refusal), refusal.kind, refusal.code)

    def _tell(self, request: Request, do: str) -> Reply:
        with self._changed:
            results = self._batches.get(f"{request.key_sha256}/{request.batch_id}")
            if results is None or request.batch_id is None:
                raise Refusal("Batch not found.", kind="not_found_error", status=404)
            if request.endpoint == "batch_cancel":
                results[:] = [{**result, "result": {"type": "canceled"}} for result in results]
        if request.endpoint == "batch_results":
            return Reply(200, anthropic_wire.lines(results), {"content-type": "application/x-jsonl"})
        ended = do != "unfinished"
        return Reply.json(200, anthropic_wire.batch(request.batch_id, results, self.url, ended=ended))


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
