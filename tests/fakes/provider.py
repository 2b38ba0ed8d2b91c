"""The canned provider for tests: it keeps what it was asked, and fails as a test's script says.

In a test::

    with running_provider() as provider:
        provider.script(Behaviour(do="fail", status=429, headers={"retry-after": "7"}))
        openai.OpenAI(api_key="any", base_url=provider.openai_url) ...
        anthropic.Anthropic(api_key="any", base_url=provider.url) ...
        assert provider.requests[0].endpoint == "embeddings"
        assert len(provider.asked("Consolidation", paid=True)) == 1

From another process: `POST /script` takes a JSON list of behaviours, `GET /requests` tells what was asked,
`GET /counts` how often for what, `POST /release` ends what hangs, `POST /reset` forgets all but the batches.

Without a script it answers as `samples.canned.provider` does.
"""

import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Literal

from pydantic import BaseModel, PositiveInt, TypeAdapter

from samples.canned import anthropic_wire, policy, wire
from samples.canned.embeddings import embeddings
from samples.canned.provider import CannedProvider, served
from samples.canned.server import Reply
from samples.canned.wire import Endpoint, Json, Refusal, Request
from tests.fakes.embeddings import spoil


class Behaviour(BaseModel, extra="forbid"):
    """An answer for the next request that it fits.

    `answer`: a thinker says `text`. `truncate`: it stops in the middle of `text`. `refuse`: it declines.
    `fail`: answer with `status`, `headers`, `message`, and `code` as the provider's machine-readable word.
    `hang`: answer as usual, but only after `seconds` or when released. `drop`: close the connection without a word.
    `garble`: answer with something that is no JSON.
    `short`, `shuffle`, `lists`: leave out the last vector, send them backwards, or as lists whatever was asked for.
    `nan`, `dimension`, `empty`: put a NaN into the first vector, send it with 7 numbers, or with none.
    `filter`: OpenAI's content filter cuts in. `uncounted`: an answer does not say what it used.
    `lie`: an answer has `fields` in the place of its own.
    `unfinished`: a batch is still in progress. `expire`: a question in a batch ran out of time.
    `pause`: a stream goes on from its middle only after `seconds` or when released. `break`: it ends there, without a
    word. `fault`: it ends there, and says that the provider is overloaded. `whole`: an answer comes in one document.
    `early`: a question in a batch is answered before the batch can be cancelled.
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
        "early",
        "pause",
        "break",
        "fault",
        "whole",
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


class FakeProvider(CannedProvider):
    """The provider itself; every method may be called from any thread.

    Args:
        bytes_per_token: How many UTF-8 bytes its tokenizer makes one token of.
        answer: A thinker's answer where no behaviour has one; None leaves it to the schema.
    """

    def __init__(self, bytes_per_token: int = 4, answer: Callable[[Request], str | None] = policy.answer) -> None:
        super().__init__(bytes_per_token, answer)
        self._changed = threading.Condition()
        self._released = threading.Event()
        self._behaviours: list[Behaviour] = []
        self._requests: list[Request] = []
        self._early: set[str] = set()

    @property
    def requests(self) -> list[Request]:
        """The requests so far, in order of arrival; a request is here before it is answered."""
        with self._changed:
            return list(self._requests)

    def asked(self, purpose: str, *, paid: bool = False) -> list[Request]:
        """The requests for an answer with this title; with `paid` only those that a model answered, well or badly."""
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
                return super().reply(method, path, key, content)
        return Reply.json(200, {})

    def provide(self, request: Request, *, known: bool) -> Reply | None:
        """Answer a request as the script says, else by the rules."""
        behaviour = self._received(request)
        if behaviour is None or not known:
            return super().provide(request, known=known)
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
            return self._scripted(request, behaviour)
        except Refusal as refusal:
            failure = wire.error(request.endpoint, refusal.status, str(refusal), refusal.kind, refusal.code)
            return Reply.json(refusal.status, failure)

    def batch_result(self, question: Request) -> Json:
        """Answer one question of a batch as the script says, else by the rules."""
        behaviour = self._received(question)
        match behaviour:
            case None:
                return super().batch_result(question)
            case Behaviour(do="expire"):
                return {"type": "expired"}
            case Behaviour(do="fail", status=status, message=message, code=code):
                return anthropic_wire.errored(status, message, code=code)
        try:
            message = self._said(question, behaviour)
        except Refusal as refusal:
            return anthropic_wire.errored(refusal.status, str(refusal), refusal.kind, refusal.code)
        if behaviour.do == "early":
            self._early.add(message["id"])
        return {"type": "succeeded", "message": message}

    def cancelled(self, result: Json) -> Json:
        """Keep the answers that were `early`."""
        return result if result.get("message", {}).get("id") in self._early else super().cancelled(result)

    def _scripted(self, request: Request, behaviour: Behaviour) -> Reply:
        match request.endpoint:
            case "embeddings":
                return Reply.json(200, spoil(embeddings(request.body, self._bytes_per_token), behaviour.do))
            case "batches":
                return self.answered(request)
            case "batch" | "batch_results" | "batch_cancel":
                return self.batch_state(request, ended=behaviour.do != "unfinished")
            case _:
                whole = self._said(request, behaviour)
                reply = Reply.json(200, whole) if behaviour.do == "whole" else self.replied(request, whole)
                if reply.stream is not None and behaviour.do in {"pause", "break", "fault"}:
                    return replace(reply, stream=self._until_the_middle(list(reply.stream), behaviour))
                return reply

    def _until_the_middle(self, pieces: Sequence[bytes], behaviour: Behaviour) -> Iterator[bytes]:
        middle = len(pieces) // 2
        yield from pieces[:middle]
        match behaviour.do:
            case "pause":
                self._released.wait(behaviour.seconds)
                yield from pieces[middle:]
            case "fault":
                yield wire.event(wire.error("messages", 529, "Overloaded"), "error")

    def _said(self, request: Request, behaviour: Behaviour) -> Json:
        match behaviour.do:
            case "truncate":
                text = behaviour.text or self._thought(request)
                return self.think(request, "truncate", text[: len(text) // 2])
            case "refuse" | "filter":
                return self.think(request, behaviour.do)
            case "uncounted":
                return {**self.think(request, text=behaviour.text), "usage": None}
            case "lie":
                return self.think(request, text=behaviour.text) | behaviour.fields
            case _:
                return self.think(request, text=behaviour.text)

    def _counts(self) -> dict[str, dict[str, int]]:
        requests = self.requests
        asked = Counter(request.purpose for request in requests)
        paid = Counter(request.purpose for request in requests if request.paid)
        return {purpose: {"asked": asked[purpose], "paid": paid[purpose]} for purpose in asked}

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


@contextmanager
def running_provider(port: int = 0, **options: Any) -> Iterator[FakeProvider]:
    """Run a provider on this machine; its threads and connections are gone at the end.

    Args:
        port: The port to listen on; 0 takes a free one.
        options: Those of FakeProvider.
    """
    with served(FakeProvider(**options), port) as provider:
        try:
            yield provider
        finally:
            provider.release()
