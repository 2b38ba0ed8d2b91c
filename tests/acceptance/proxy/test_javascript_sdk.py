"""OpenAI's and Anthropic's JavaScript SDKs against the proxy: the answer is the upstream's, byte for byte."""

import base64
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from tests.acceptance.proxy.conftest import secret_of
from tests.fakes.upstream import Reply, completion
from tests.fakes.wire_answers import message, response, streamed_message, streamed_response
from tests.processes.programs import npm, program

SOURCE = Path(__file__).with_name("javascript")

HELLO = [{"role": "user", "content": "Good morning."}]
BODY = {"model": "fake-1", "messages": HELLO}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Kyōto"}'}}
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"


@dataclass
class JavaScript:
    """A process that sends requests with the SDK, one after the other, and the token that they show."""

    process: subprocess.Popen[str]
    token: str

    def start(self, do: str, body: dict[str, Any] | None = None, **options: object) -> None:
        """Have a request sent."""
        self.line(json.dumps({"do": do, "token": self.token, "body": body, **options}))

    def line(self, text: str = "") -> None:
        """Send a line."""
        stdin: IO[str] = self.process.stdin  # type: ignore[assignment]
        stdin.write(f"{text}\n")
        stdin.flush()

    def told(self) -> dict[str, Any]:
        """The SDK's reading of the answer: `result`, or `fault` with its status and code."""
        stdout: IO[str] = self.process.stdout  # type: ignore[assignment]
        return dict(json.loads(stdout.readline()))

    def ask(self, do: str, body: dict[str, Any] | None = None, **options: object) -> Any:
        """Send a request; returns the result."""
        self.start(do, body, **options)
        told = self.told()
        assert "result" in told, told
        return told["result"]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with the SDK installed, in the version that `package.json` names."""
    folder = shutil.copytree(
        SOURCE, tmp_path_factory.mktemp("javascript") / "project", ignore=shutil.ignore_patterns("node_modules")
    )
    npm("install", "--no-package-lock", "--prefer-offline", folder=folder)
    return Path(folder)


@pytest.fixture(scope="module")
def process(project, proxy_process) -> Iterator[subprocess.Popen[str]]:
    """The process, told the proxy's address."""
    with subprocess.Popen(
        [program("nodejs"), "requests.mjs"],
        cwd=project,
        env={
            **os.environ,
            "BASE_URL": proxy_process.base_url,
            "ANTHROPIC_URL": f"{proxy_process.url}/anthropic",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        yield process
        process.kill()


@pytest.fixture
def javascript(process, proxy, person) -> JavaScript:  # noqa: ARG001  # the proxy's upstream has seen nothing yet
    """The SDK with a token of the person's."""
    return JavaScript(process, secret_of(person))


def test_answers_and_streams_are_the_upstreams_byte_for_byte(proxy, javascript):
    reply = Reply.document(completion("Good morning to you."), x_ratelimit_remaining_requests="59")
    streamed = Reply.stream("Good ", "morning", " to yoü.", usage=True)
    proxy.upstream.replies += [reply, streamed, reply, streamed]
    whole = javascript.ask("raw", BODY)
    assert base64.b64decode(whole["bytes"]) == reply.body
    assert whole["headers"]["x-ratelimit-remaining-requests"] == "59"
    assert whole["headers"]["x-memory-upstream"] == "main"
    stream = javascript.ask("raw", {**BODY, "stream": True, "stream_options": {"include_usage": True}})
    assert base64.b64decode(stream["bytes"]) == streamed.body
    assert stream["headers"]["content-type"] == "text/event-stream; charset=utf-8"
    # As the SDK reads them.
    parsed = javascript.ask("parsed", BODY)
    assert parsed["choices"][0]["message"]["content"] == "Good morning to you."
    assert parsed["unknown_field"] == completion("")["unknown_field"]
    assert javascript.ask("streamed", BODY) == {
        "words": ["", "Good ", "morning", " to yoü.", None],
        "fault": None,
    }


def test_responses_and_messages_are_the_upstreams_byte_for_byte(proxy, javascript):
    replies = [Reply.document(response("Good morning.")), streamed_response("Good ", "day.")]
    proxy.upstream.replies += replies
    told = javascript.ask("response", {"model": "fake-1", "input": "Hello."})
    assert (base64.b64decode(told["bytes"]), told["text"]) == (replies[0].body, "Good day.")
    replies = [Reply.document(message("Good morning.")), streamed_message("Good ", "day.")]
    proxy.upstream.replies += [*replies, Reply.document({"input_tokens": 41})]
    told = javascript.ask("message", {"model": "fake-1", "max_tokens": 100, "messages": HELLO})
    assert (base64.b64decode(told["bytes"]), told["text"], told["tokens"]) == (replies[0].body, "Good day.", 41)


def test_calls_in_a_row_are_all_answered(proxy, javascript):
    sizes = [10, 20_000, 300_000, 20_000, 70_000, 10, 300_000]
    for size in sizes:
        body = {**BODY, "messages": [{"role": "system", "content": "x" * size}, *HELLO]}
        assert javascript.ask("parsed", body)["choices"][0]["message"]["content"] == "ok"
        assert "ok" in javascript.ask("streamed", body)["words"]
    assert len(proxy.upstream.requests) == 2 * len(sizes)


def test_requests_with_tools_and_images_reach_the_upstream_as_they_were(proxy, javascript):
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    messages = [
        {"role": "developer", "content": "You are brief."},
        {"role": "user", "content": "The weather?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "call_1", "content": "rain"},
        {"role": "user", "content": content},
    ]
    more = {"tools": [TOOL], "temperature": 0.25, "logit_bias": {"50256": -100}, "unknown": [1e-7, None, "é\u2028"]}
    more["max_tokens"] = 900
    proxy.upstream.replies.append(Reply.document(completion(None, tool_calls=[CALL])))
    answer = javascript.ask("parsed", {"model": "fake-1@mira", "messages": messages, **more})
    assert answer["choices"][0]["message"]["tool_calls"] == [CALL]
    (request,) = proxy.upstream.requests
    assert request.headers["authorization"] == "Bearer sk-platform"
    sent = request.body
    assert sent.pop("model") == "fake-1"
    first, *others = sent.pop("messages")
    assert first["role"] == "developer"
    assert first["content"].startswith("You are brief.")
    assert others == messages[1:]
    assert sent == more


def test_streamed_tool_calls_and_several_choices_pass(proxy, javascript):
    name = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "weather", "arguments": ""}}
    parts = [
        {"role": "assistant", "content": None, "tool_calls": [name]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"city": '}}]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '"Kyōto"}'}}]},
    ]
    proxy.upstream.replies.append(Reply.deltas(*parts, finish="tool_calls"))
    message = javascript.ask("gathered", {**BODY, "tools": [TOOL]})
    (call,) = message["tool_calls"]
    assert call["function"]["arguments"] == CALL["function"]["arguments"]
    proxy.upstream.replies.append(Reply.document(completion("One of two.", choices=2)))
    answer = javascript.ask("parsed", {**BODY, "n": 2})
    assert [choice["index"] for choice in answer["choices"]] == [0, 1]
    assert proxy.upstream.requests[-1].body["n"] == 2


def test_an_upstreams_error_is_the_clients(proxy, javascript):
    error = {"message": "No.", "type": "a_type", "param": "model", "code": "a_code"}
    for status, raised in [
        (400, "BadRequestError"),
        (401, "AuthenticationError"),
        (404, "NotFoundError"),
        (429, "RateLimitError"),
        (500, "InternalServerError"),
    ]:
        proxy.upstream.replies.append(Reply.document({"error": error}, status, retry_after="7"))
        javascript.start("parsed", BODY)
        told = javascript.told()
        assert (told["fault"], told["status"], told["retryAfter"]) == (raised, status, "7")
        assert (told["type"], told["param"], told["code"]) == ("a_type", "model", "a_code")
        assert told["message"] == f"{status} No."


def test_the_proxys_own_errors_are_read_by_the_sdk(proxy, javascript):
    javascript.start("parsed", {**BODY, "model": "fake-1@stranger"})
    told = javascript.told()
    assert (told["fault"], told["status"]) == ("NotFoundError", 404)
    assert "no Being" in told["message"]
    assert proxy.upstream.requests == []


def test_cancelling_closes_the_upstream(proxy, javascript):
    proxy.upstream.replies.append(Reply.stream("I was just", ending="wait"))
    assert javascript.ask("left", BODY, after=2) == {"words": ["", "I was just"]}
    proxy.upstream.wait_for(requests=1, hung_up=1)
    proxy.upstream.replies.append(Reply.silence())
    javascript.start("aborted", BODY)
    proxy.upstream.wait_for(requests=2)
    javascript.line()
    assert javascript.told()["fault"] == "APIUserAbortError"
    proxy.upstream.wait_for(requests=2, hung_up=2)


def test_an_answer_that_breaks_off_breaks_off_here_too(proxy, javascript):
    proxy.upstream.replies.append(Reply.stream("I was about", ending="drop"))
    told = javascript.ask("streamed", BODY)
    assert told["words"] == ["", "I was about"]
    assert told["fault"]


def test_models_are_listed_under_the_names_that_requests_use(javascript):
    assert javascript.ask("models") == {"ids": ["fake-1", "fake-2", "free/local"]}
