"""Requests, answers and retries, without any input or output: shared by both clients."""

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from itertools import islice
from typing import Any, TypeVar
from urllib.parse import quote
from uuid import UUID, uuid4

import httpx2

from memory_patrol.errors import OF_STATUS, ApiError

T = TypeVar("T")
AGAIN = frozenset({408, 429, 502, 503, 504})
NO_CONTENT = 204
NOT_FOUND = 404
# Events of an answer that comes in parts: the last one.
ANSWER, PROBLEM = "answer", "problem"


@dataclass(frozen=True)
class Retries:
    """How often a request is sent again, with the same Idempotency-Key.

    Args:
        attempts: The most attempts, the first included.
        first_wait: Seconds before the second attempt; each later wait is twice as long, with random variation.
        longest_wait: The longest wait in seconds. A `Retry-After` of the server takes precedence over both.
    """

    attempts: int = 6
    first_wait: float = 0.2
    longest_wait: float = 10.0

    def wait(self, attempt: int, retry_after: float | None) -> float:
        """Return the seconds to wait after the given attempt, counted from 1."""
        if retry_after is not None:
            return retry_after
        return float(min(self.longest_wait, self.first_wait * 2 ** (attempt - 1))) * random.uniform(0.5, 1.0)  # noqa: S311  # spreads load


@dataclass(frozen=True)
class Request:
    """A request, which may be sent several times.

    Args:
        method: The HTTP method.
        path: The path, with its parts quoted.
        query: The query's parameters; None is left out.
        headers: Further headers; None is left out.
        body: The value to send as JSON, or bytes.
        media: The media type of the body.
        key: The Idempotency-Key of a POST.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: Any = None
    media: str = "application/json"
    key: str = field(default_factory=lambda: uuid4().hex)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of httpx2's `request`."""
        headers = {name: value for name, value in self.headers.items() if value is not None}
        is_read = isinstance(self.body, bytes) or self.body is None
        content = self.body if is_read else json.dumps(self.body, default=_as_text).encode()
        if content is not None:
            headers["Content-Type"] = self.media
        if self.method == "POST":
            headers.setdefault("Idempotency-Key", self.key)
        return {
            "method": self.method,
            "url": self.path,
            "params": {name: value for name, value in self.query.items() if value is not None},
            "headers": headers,
            "content": content,
        }


def address(url: str) -> str:
    """Return the address of the API, without white space around it and a slash at its end.

    Raises:
        ValueError: No request with a token can be sent to it.
    """
    with suppress(httpx2.InvalidURL):
        read = httpx2.URL((url or "").strip())
        if read.scheme in {"http", "https"} and read.host and not (read.userinfo or read.query or read.fragment):
            return str(read).rstrip("/")
    raise ValueError("The URL must be that of a server (http://…, https://…), without user name, password and query.")


def authorization(token: str) -> dict[str, str]:
    """Return the header with a token; white space around it, as files of secrets have it, is left out.

    Raises:
        ValueError: It can't be sent.
    """
    if not re.fullmatch(r"\s*[!-~]+\s*", token or ""):
        raise ValueError("The token is empty, or has characters that no token has.")
    return {"Authorization": f"Bearer {token.strip()}"}


def part(value: str) -> str:
    """Quote one part of a path.

    Raises:
        ValueError: With it the path would be another one.
    """
    text = str(value)
    if text in {"", ".", ".."}:
        raise ValueError(f"{text!r} is the name or id of nothing.")
    return quote(text, safe="")


def _as_text(value: Any) -> str:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


def cause_of(fault: Exception) -> str:
    """Return why no answer came, in words that end a sentence."""
    return str(fault).strip().rstrip(".") or type(fault).__name__


def is_of_the_api(answer: httpx2.Response) -> bool:
    """Whether an answer, of which the beginning is enough, is one of the API that succeeded.

    A redirection, and a page for people, is of something before the API, such as a login: nothing was handed in.
    """
    is_page = "html" in answer.headers.get("content-type", "").lower()
    return answer.is_success and (not is_page or answer.status_code == NO_CONTENT)


def error_of(answer: httpx2.Response) -> ApiError | None:
    """Return the error in a complete answer; None if it succeeded."""
    if is_of_the_api(answer):
        return None
    try:
        problem = answer.json()
    except ValueError:
        problem = {}
    retry_after = answer.headers.get("retry-after", "")
    return OF_STATUS.get(answer.status_code, ApiError)(
        answer.status_code,
        problem if isinstance(problem, dict) else {},
        request_id=answer.headers.get("x-request-id"),
        retry_after=float(retry_after) if retry_after.isdecimal() else None,
    )


def is_gone(request: Request, error: ApiError, *, lost: bool) -> bool:
    """Whether an answer to a deletion means that an earlier attempt, whose answer was lost, has succeeded."""
    return lost and request.method == "DELETE" and error.status == NOT_FOUND


def json_of(answer: httpx2.Response) -> Any:
    """Return the JSON of an answer, or its text; None without content."""
    if answer.status_code == NO_CONTENT or not answer.content:
        return None
    return answer.json() if "json" in answer.headers.get("content-type", "") else answer.text


def part_of_answer(name: str, content: str) -> Any:
    """Return the content of a server-sent event; raises the error in it."""
    read = json.loads(content)
    if name == PROBLEM:
        raise OF_STATUS.get(read["status"], ApiError)(read["status"], read, request_id=None, retry_after=None)
    return read


def batches(items: Iterable[T], size: int) -> Iterator[Sequence[T]]:
    """Yield the items in lists of at most `size`.

    Raises:
        ValueError: `size` is no number of items.
    """
    if size < 1:
        raise ValueError("A batch has at least one item.")
    iterator = iter(items)
    while batch := list(islice(iterator, size)):
        yield batch
