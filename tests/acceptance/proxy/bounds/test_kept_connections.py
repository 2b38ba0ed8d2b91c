"""Requests one after the other on one kept connection: OpenAI's SDK, and a raw socket that sends ahead."""

import json
import re
import socket
from contextlib import closing

import httpx2
import pytest

from tests.acceptance.conftest import PATIENCE
from tests.acceptance.proxy.conftest import secret_of
from tests.fakes.upstream import Reply, completion

SIZES = [10, 20_000, 300_000, 20_000, 70_000, 10, 300_000]


def messages(size):
    return [{"role": "system", "content": "x" * size}, {"role": "user", "content": "Good morning."}]


@pytest.mark.parametrize("streamed", [False, True])
def test_calls_in_a_row_of_the_sdk_are_all_answered(proxy, sdk, streamed):
    client = sdk()
    for size in SIZES:
        answer = client.chat.completions.create(model="fake-1", messages=messages(size), stream=streamed)
        words = [event.choices[0].delta.content for event in answer] if streamed else answer.choices[0].message.content
        assert "ok" in words
    assert [len(request.raw) > size for request, size in zip(proxy.upstream.requests, SIZES, strict=True)] == [True] * 7


def more_of(connection):
    more = connection.recv(65536)
    assert more, "The server closed the connection."
    return more


def asking(secret, size):
    body = json.dumps({"model": "fake-1", "messages": messages(size)}).encode()
    head = f"POST /openai/v1/chat/completions HTTP/1.1\r\nHost: here\r\nAuthorization: Bearer {secret}\r\n"
    return f"{head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


@pytest.mark.parametrize("size", sorted({*SIZES}))
def test_a_request_sent_as_soon_as_all_bytes_of_an_answer_have_come_is_answered(proxy, person, size):
    url, secret = httpx2.URL(proxy.url), secret_of(person)
    reply = Reply.document(completion("Good morning to you."))
    proxy.upstream.replies += [reply] * 4
    with closing(socket.create_connection((url.host, url.port), timeout=PATIENCE)) as connection:
        for _ in range(4):
            connection.sendall(asking(secret, size))
            said = b""
            while not said.endswith(reply.body):
                said += more_of(connection)
            assert said.startswith(b"HTTP/1.1 200 ")


def test_requests_that_are_sent_at_once_are_answered_in_order(proxy, person):
    url, secret = httpx2.URL(proxy.url), secret_of(person)
    proxy.upstream.replies += [Reply.document(completion(f"number {number}")) for number in range(len(SIZES))]
    with closing(socket.create_connection((url.host, url.port), timeout=PATIENCE)) as connection:
        for size in SIZES:
            connection.sendall(asking(secret, size))
        said, found = b"", []
        while len(found) < len(SIZES):
            said += more_of(connection)
            found = re.findall(rb"number (\d)", said)
    assert found == [b"%d" % number for number in range(len(SIZES))]


def test_a_request_whose_client_leaves_counts_no_more_whatever_it_sent_ahead(proxy, person, sdk):
    url, secret = httpx2.URL(proxy.url), secret_of(person)
    for left, ahead in enumerate((b"", b"POST ", asking(secret, 10), asking(secret, 40_000)), 1):
        proxy.upstream.replies.append(Reply.stream("Once", ending="wait"))
        with closing(socket.create_connection((url.host, url.port), timeout=PATIENCE)) as connection:
            connection.sendall(asking(secret, 10) + ahead)
            said = b""
            while b"Once" not in said:
                said += more_of(connection)
        proxy.upstream.wait_for(hung_up=left)
    assert sdk().chat.completions.create(model="fake-1", messages=messages(10)).choices[0].message.content == "ok"


@pytest.mark.parametrize("status", [204, 307, 999])
def test_a_status_that_is_no_answer_is_502(proxy, person, status):
    proxy.upstream.replies.append(Reply([], status, {"location": "/elsewhere"}))
    answer = person.client.post(
        f"{proxy.base_url}/chat/completions", json={"model": "fake-1", "messages": messages(10)}
    )
    assert (answer.status_code, answer.json()["error"]["code"]) == (502, "upstream_failed")
    assert str(status) in answer.json()["error"]["message"]


def test_usage_that_can_not_be_spoils_neither_the_answer_nor_what_follows(proxy, sdk):
    usage = {"prompt_tokens": 10**40, "completion_tokens": -7, "total_tokens": "many"}
    for _ in range(2):
        proxy.upstream.replies.append(Reply.document({**completion("Good morning."), "usage": usage}))
        answer = sdk().chat.completions.create(model="fake-1", messages=messages(10))
        assert answer.choices[0].message.content == "Good morning."
