"""Shared by the tests of the HTTP door: every error is checked for its form."""

import io
import warnings
from collections.abc import Callable
from urllib.parse import unquote

import httpx2
import pytest

from memory.accounts import access
from store.database import Store
from tests.acceptance.conftest import Person

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


@pytest.fixture
def operator(person: Person, ledger: Store) -> Person:
    """A client with an operator's token."""
    secret, _ = access.issue_operator_token(ledger, lifetime=None)
    return person.with_secret(secret)


@pytest.fixture
def run_program(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a Python program of the documents here, with its input and environment; returns what it printed."""

    def run(program: str, given: str, **environment: str) -> str:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr("sys.stdin", io.StringIO(given))
        names = {"__name__": "__main__"}
        with warnings.catch_warnings():
            # It keeps its connections until it ends.
            warnings.simplefilter("ignore", ResourceWarning)
            exec(compile(program, "a program of the documents", "exec"), names)  # noqa: S102  # our own
            names.clear()
        return capsys.readouterr().out

    return run
