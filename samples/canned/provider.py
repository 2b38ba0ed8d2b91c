"""A model provider that speaks OpenAI's and Anthropic's wire formats and answers by fixed rules.

The real SDKs talk to it. Embeddings are hashed bags of words. A thinker's answer follows `samples.canned.policy`,
which knows a question by the title of its schema; any other question gets the least that its schema allows, else "ok".
A key that begins with `wrong` is refused with 401. The limits of the real providers hold, and requests that
their models refuse are refused. A batch has ended when it is first looked at.
"""

import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from samples.canned import anthropic_wire, openai_wire, policy, wire
from samples.canned.anthropic_wire import Ending
from samples.canned.embeddings import embeddings
from samples.canned.server import Reply, Server
from samples.canned.wire import Json, PromptCache, Refusal, Request


class CannedProvider:
    """The provider itself; every method may be called from any thread.

    Args:
        bytes_per_token: How many UTF-8 bytes its tokenizer makes one token of.
        answer: The thinker's answer to a request; None leaves it to the schema.
    """

    def __init__(self, bytes_per_token: int = 4, answer: Callable[[Request], str | None] = policy.answer) -> None:
        self.url = ""
        self._bytes_per_token = bytes_per_token
        self._answer = answer
        self._lock = threading.Lock()
        self._batches: dict[str, list[Json]] = {}
        self._cache = PromptCache()

    @property
    def openai_url(self) -> str:
        """The address for the OpenAI SDK; Anthropic's takes `url`."""
        return f"{self.url}/v1"

    def reply(self, method: str, path: str, key: str | None, content: bytes) -> Reply | None:
        """Answer an HTTP request; None drops the connection."""
        if not (found := wire.endpoint_of(method, path)):
            return Reply.json(404, {"error": {"message": f"Unknown request URL: {method} {path}", "code": None}})
        endpoint, batch_id = found
        request = Request(
            endpoint=endpoint,
            body=json.loads(content) if content else {},
            key_sha256=hashlib.sha256(key.encode()).hexdigest() if key else None,
            batch_id=batch_id,
        )
        return self.provide(request, known=key is not None and key.isascii() and not key.startswith("wrong"))

    def provide(self, request: Request, *, known: bool) -> Reply | None:
        """Answer a request to a model; `known` says whether its key is accepted. None drops the connection."""
        if not known:
            return Reply.json(401, wire.error(request.endpoint, 401, "Incorrect API key provided."))
        try:
            return self.answered(request)
        except Refusal as refusal:
            failure = wire.error(request.endpoint, refusal.status, str(refusal), refusal.kind, refusal.code)
            return Reply.json(refusal.status, failure)

    def answered(self, request: Request) -> Reply:
        """Answer a request whose key is accepted.

        Raises:
            Refusal: The real provider would refuse it.
        """
        match request.endpoint:
            case "embeddings":
                return Reply.json(200, embeddings(request.body, self._bytes_per_token))
            case "batches":
                return Reply.json(200, self._accept_batch(request))
            case "batch" | "batch_results" | "batch_cancel":
                return self.batch_state(request, ended=True)
            case _:
                return self.replied(request, self.think(request))

    def think(self, request: Request, ending: Ending = "answer", text: str = "") -> Json:
        """Answer a question to a thinker.

        Args:
            request: The question.
            ending: How the answer ends.
            text: The thinker's answer, unless it declines; empty leaves it to the rules.

        Raises:
            Refusal: The real provider would refuse the question.
        """
        match request.endpoint:
            case "chat":
                check, say = openai_wire.check, openai_wire.chat
            case "responses":
                check, say = openai_wire.check, openai_wire.response
            case _:
                check, say = anthropic_wire.check, anthropic_wire.message
        check(request.body)
        declined = ending in {"refuse", "filter"}
        content = "" if declined else text or self._thought(request)
        with self._lock:
            request.paid = True
            return say(request, content, ending, self._cache)

    def replied(self, request: Request, whole: Json) -> Reply:
        """An answer in the requested form: whole, or as a stream."""
        match request.endpoint, request.body.get("stream"):
            case "chat", True:
                return Reply.events(openai_wire.events(request, whole))
            case "messages", True:
                return Reply.events(anthropic_wire.events(whole))
        return Reply.json(200, whole)

    def batch_result(self, question: Request) -> Json:
        """Answer one question of a batch."""
        try:
            return {"type": "succeeded", "message": self.think(question)}
        except Refusal as refusal:
            return anthropic_wire.errored(refusal.status, str(refusal), refusal.kind, refusal.code)

    def cancelled(self, result: Json) -> Json:  # noqa: ARG002  # a scripted provider looks at it
        """Return the result of a question whose batch is cancelled, given its answer: it was not sent yet."""
        return {"type": "canceled"}

    def batch_state(self, request: Request, *, ended: bool) -> Reply:
        """Return a batch's state, return its results, or cancel it.

        Raises:
            Refusal: The key owns no such batch.
        """
        with self._lock:
            results = self._batches.get(f"{request.key_sha256}/{request.batch_id}")
            if results is None or request.batch_id is None:
                raise Refusal("Batch not found.", kind="not_found_error", status=404)
            if request.endpoint == "batch_cancel":
                results[:] = [{**result, "result": self.cancelled(result["result"])} for result in results]
        if request.endpoint == "batch_results":
            return Reply(200, anthropic_wire.lines(results), {"content-type": "application/x-jsonl"})
        return Reply.json(200, anthropic_wire.batch(request.batch_id, results, self.url, ended=ended))

    def _thought(self, request: Request) -> str:
        if (text := self._answer(request)) is not None:
            return text
        schema = request.schema_wanted
        return json.dumps(wire.smallest(schema)) if schema else "ok"

    def _accept_batch(self, request: Request) -> Json:
        anthropic_wire.check_batch(request.body)
        batch_id = f"msgbatch_{next(wire.ids)}"
        results = []
        for item in request.body["requests"]:
            question = Request(
                endpoint="batched", body=item["params"], key_sha256=request.key_sha256, batch_id=batch_id
            )
            results.append({"custom_id": item["custom_id"], "result": self.batch_result(question)})
        with self._lock:
            self._batches[f"{request.key_sha256}/{batch_id}"] = results
        return anthropic_wire.batch(batch_id, results, self.url, ended=False)


P = TypeVar("P", bound=CannedProvider)


@contextmanager
def served(provider: P, port: int = 0) -> Iterator[P]:
    """Serve a provider over HTTP on 127.0.0.1 while the block runs; its threads and connections are gone at the end.

    Args:
        provider: The provider, whose `url` is set.
        port: The port to listen on; 0 takes a free one.
    """
    with Server(port, provider.reply) as server:
        provider.url = server.url
        yield provider
