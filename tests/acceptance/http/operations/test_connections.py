"""No client keeps the server waiting for ever, or takes all of its connections."""

import json
import re
import socket
from contextlib import ExitStack, closing

import httpx2
import pytest

from tests.acceptance.conftest import PATIENCE, answers, api_process
from workers.embedded.supervisor import Supervisor

MOST = 6


@pytest.fixture(scope="module")
def strict(stack, tmp_path_factory, launch):
    """An API that waits half a second for anything, and keeps six connections; returns its URL and its log."""
    url, process = api_process(
        "strict",
        {
            **stack.environment,
            "PATROL_API_CONNECTIONS": str(MOST),
            "PATROL_API_HEADER_TIMEOUT": "0.5",
            "PATROL_API_BODY_TIMEOUT": "0.5",
            "PATROL_API_BODY_RATE": "1000000",
            "PATROL_API_ANSWER_TIMEOUT": "0.5",
            "PATROL_API_KEEP_ALIVE": "0.5",
            "PATROL_API_TRUSTED_PROXIES": "",
        },
    )
    logs = tmp_path_factory.mktemp("strict")
    with Supervisor(logs, launch=launch) as supervisor:
        supervisor.start([process])
        yield httpx2.URL(url), logs / "strict.log"


@pytest.fixture
def connect(strict):
    """Open a connection."""
    url, _ = strict
    with ExitStack() as opened:
        yield lambda: opened.enter_context(closing(socket.create_connection((url.host, url.port), timeout=PATIENCE)))


def to_the_end(connection):
    """All that is said on a connection until the server closes it, without reading so much that it may be cut off."""
    said = b""
    try:
        while some := connection.recv(65536):
            said += some
    except ConnectionResetError:
        pass
    return said


def problem_in(said, status):
    head, _, body = said.partition(b"\r\n\r\n")
    assert head.startswith(f"HTTP/1.1 {status} ".encode()), said
    assert b"application/problem+json" in head
    assert b"connection: close" in head.lower()
    told = json.loads(body)
    assert told["status"] == status
    assert told["detail"]
    return told, head


def request(person, body_bytes, path="/recall"):
    return (
        f"POST /v1/beings/mira{path} HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n"
        f"Authorization: {person.client.headers['Authorization']}\r\n{body_bytes}\r\n\r\n"
    ).encode()


def test_a_connection_on_which_nothing_is_said_is_closed(connect):
    assert to_the_end(connect()) == b""


def test_headers_that_never_end_are_answered_and_cut_off(connect):
    connection = connect()
    connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: ")
    problem_in(to_the_end(connection), 408)


def test_headers_that_trickle_in_get_no_more_time_for_it(connect):
    connection = connect()
    connection.settimeout(0.02)
    said = b""
    connection.sendall(b"GET /health/live HTTP/1.1\r\nX-Slow: ")
    while not said:
        try:
            connection.sendall(b"x")
            said = connection.recv(65536)
        except TimeoutError:
            continue
    connection.settimeout(PATIENCE)
    problem_in(said + to_the_end(connection), 408)


def test_the_second_request_of_a_connection_has_the_same_deadline(connect):
    connection = connect()
    connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n")
    answer = b""
    while not answer.endswith(b'{"status":"ok"}'):
        answer += connection.recv(65536)
    assert answer.startswith(b"HTTP/1.1 200 ")
    connection.sendall(b"GET /health")
    said = to_the_end(connection)
    problem_in(said[said.index(b"HTTP/1.1 408") :], 408)


def test_a_connection_is_closed_some_time_after_its_last_request(connect):
    connection = connect()
    connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n")
    assert to_the_end(connection).endswith(b'{"status":"ok"}')


@pytest.mark.parametrize("announced", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_a_body_that_does_not_come_is_answered_and_cut_off(connect, person, announced):
    connection = connect()
    connection.sendall(request(person, announced))
    told, _ = problem_in(to_the_end(connection), 408)
    assert told["type"].endswith("too-slow")


def test_a_body_that_trickles_in_is_cut_off(connect, person):
    connection = connect()
    connection.settimeout(0.02)
    connection.sendall(request(person, "Content-Length: 60000"))
    said = b""
    while not said:
        try:
            connection.sendall(b" ")
            said = connection.recv(65536)
        except TimeoutError:
            continue
    connection.settimeout(PATIENCE)
    problem_in(said + to_the_end(connection), 408)


def test_a_body_in_chunks_of_one_byte_is_refused(connect, person):
    connection = connect()
    connection.sendall(request(person, "Transfer-Encoding: chunked", "/notes") + b"1\r\n \r\n" * 8000)
    told, _ = problem_in(to_the_end(connection), 400)
    assert "chunks" in told["detail"]


def test_trailers_without_end_are_refused(connect, person):
    connection = connect()
    connection.sendall(
        request(person, "Transfer-Encoding: chunked", "/notes") + b"1\r\n[\r\n0\r\n" + b"X-More: and more\r\n" * 2000
    )
    problem_in(to_the_end(connection), 400)


def test_headers_that_are_too_long_are_refused(connect):
    connection = connect()
    connection.sendall(b"GET /health/live HTTP/1.1\r\n" + b"X-More: and more\r\n" * 5000)
    told, _ = problem_in(to_the_end(connection), 431)
    assert "65536 bytes" in told["detail"]


def test_requests_that_are_sent_at_once_are_answered_in_order(connect):
    connection = connect()
    # More bytes than are read ahead.
    sent = [f"number-{number}" for number in range(1200)]
    connection.sendall(
        b"".join(f"GET /health/live HTTP/1.1\r\nHost: here\r\nX-Request-Id: {each}\r\n\r\n".encode() for each in sent)
    )
    answered = re.findall(r"x-request-id: (.+)\r\n", to_the_end(connection).decode())
    assert answered == sent


def test_a_request_before_something_malformed_is_answered(connect, person):
    known = json.dumps({"type": "knowledge", "id": "before", "title": "x", "content": "y"})
    connection = connect()
    connection.sendall(request(person, f"Content-Length: {len(known)}", "/notes") + known.encode() + b"no HTTP\r\n\r\n")
    first, _, second = to_the_end(connection).partition(b"HTTP/1.1 400 ")
    assert first.startswith(b"HTTP/1.1 202 ")
    problem_in(b"HTTP/1.1 400 " + second, 400)


def test_what_is_no_http_is_answered_and_cut_off(connect):
    connection = connect()
    connection.sendall(b"\x16\x03\x01 hello\r\n\r\n")
    problem_in(to_the_end(connection), 400)


def test_an_answer_that_is_not_read_is_cut_off(connect, person, wait_until, strict):
    known = {"type": "knowledge", "title": "x", "content": "y" * 60_000}
    assert person.ask("POST", "/notes", json=[known] * 200).status_code == 202
    connection = connect()
    connection.sendall(
        f"GET /v1/beings/mira/export HTTP/1.1\r\nHost: here\r\nX-Request-Id: never-read\r\n"
        f"Authorization: {person.client.headers['Authorization']}\r\n\r\n".encode()
    )
    _, log = strict
    wait_until(lambda: "never-read" in log.read_text())
    assert not to_the_end(connection).endswith(b"0\r\n\r\n")


def test_beside_many_connections_that_say_nothing_a_request_is_answered(connect, strict):
    url, log = strict
    silent = [connect() for _ in range(10 * MOST)]
    assert httpx2.get(f"{url}/health/live", timeout=PATIENCE).status_code == 200
    for connection in silent:
        assert to_the_end(connection) == b""
    lines = [line for line in log.read_text().splitlines() if "http.connections_closed" in line]
    assert 0 < len(lines) < MOST


def test_when_all_connections_are_busy_one_more_is_answered_with_503(stack, person, wait_until, tmp_path, launch):
    url, process = api_process(
        "crowded",
        {
            **stack.environment,
            "PATROL_API_CONNECTIONS": "2",
        },
    )
    where = (httpx2.URL(url).host, httpx2.URL(url).port)
    with Supervisor(tmp_path, launch=launch) as supervisor, ExitStack() as opened:
        supervisor.start([process])
        busy = [opened.enter_context(socket.create_connection(where, timeout=PATIENCE)) for _ in range(2)]
        for connection in busy:
            connection.sendall(request(person, "Content-Length: 1000\r\nExpect: 100-continue"))
            assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        with socket.create_connection(where, timeout=PATIENCE) as connection:
            connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: here\r\n\r\n")
            told, head = problem_in(to_the_end(connection), 503)
        assert "Too many connections" in told["detail"]
        assert b"retry-after: " in head.lower()
        busy[0].close()
        wait_until(lambda: answers(url, "/health/live"))
