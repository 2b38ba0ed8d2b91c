"""What the tests of the HTTP door share: every error is checked for its form."""

from collections.abc import Callable
from urllib.parse import unquote

import httpx2
import pytest

MEMBERS = {"type", "title", "status", "detail", "instance"}


@pytest.fixture
def problem() -> Callable[..., dict[str, object]]:
    """Check that an answer is an RFC 9457 problem with this status, and return it."""

    def check(answer: httpx2.Response, status: int) -> dict[str, object]:
        assert answer.status_code == status, answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        told = answer.json()
        assert told.keys() >= MEMBERS
        assert told["status"] == status
        assert told["type"].startswith("urn:memory-patrol:problem:")
        path = unquote(answer.request.url.raw_path.decode().partition("?")[0])
        assert told["instance"] == path.replace("\0", "\ufffd")
        assert told["title"]
        assert told["detail"]
        return told

    return check
