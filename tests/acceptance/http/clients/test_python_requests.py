"""The Python client takes nothing for a receipt that is none of the API, and reads values as programs have them."""

import asyncio
import json
from datetime import UTC, datetime
from uuid import UUID

import httpx2
import pytest

ASKED = {"question": "Tea?"}
TURN = {"role": "user", "content": "Tea?"}
NAME = UUID(int=7)


class Lines(httpx2.AsyncByteStream):
    """An answer that is not read at once."""

    async def __aiter__(self):
        yield b"Log in"


async def streamed(memory):
    """The lines of an answer that comes in parts."""
    return [line async for line in memory.stream_answer("mira", ASKED)]


@pytest.fixture
def client(patrol):
    """Makes a client whose requests are answered by a function."""
    return lambda answer: patrol.MemoryPatrol("http://memory", "patrol_x", transport=httpx2.MockTransport(answer))


@pytest.mark.parametrize(
    ("status", "headers"),
    [(200, {"content-type": "text/html; charset=utf-8"}), (302, {"location": "/login"}), (304, {})],
)
def test_a_login_before_the_api_is_no_receipt(patrol, client, status, headers):
    with pytest.raises(patrol.ApiError) as refused:
        client(lambda _: httpx2.Response(status, headers=headers, content=b"Log in")).hand_in_messages("mira", TURN)
    assert refused.value.status == status
    before = httpx2.MockTransport(lambda _: httpx2.Response(status, headers=headers, stream=Lines()))
    with pytest.raises(patrol.ApiError) as refused:
        asyncio.run(streamed(patrol.AsyncMemoryPatrol("http://memory", "patrol_x", transport=before)))
    assert refused.value.status == status


def test_what_a_proxy_adds_to_an_answer_does_no_harm(patrol, client):
    """A type for an answer without content, and an error as JSON that is no problem."""
    page = {"content-type": "text/html"}
    assert client(lambda _: httpx2.Response(204, headers=page)).remove_room("tea") is None
    odd = {"type": None, "title": 5, "detail": ["bad"]}
    with pytest.raises(patrol.ApiError, match=r"^400 blank: The answer") as refused:
        client(lambda _: httpx2.Response(400, json=odd)).show_being("mira")
    assert (refused.value.title, refused.value.members) == ("", {})


def test_ids_and_times_are_sent_as_texts(client):
    sent = []

    def answer(request):
        sent.append((request.url.path, json.loads(request.content)))
        return httpx2.Response(202, json={"accepted": 1})

    said = {**TURN, "id": NAME, "created_at": datetime(2026, 3, 2, 6, tzinfo=UTC)}
    client(answer).hand_in_messages(NAME, said)
    assert sent == [
        (f"/v1/beings/{NAME}/messages", {**TURN, "id": str(NAME), "created_at": "2026-03-02T06:00:00+00:00"})
    ]
    with pytest.raises(TypeError, match="bytes"):
        client(answer).hand_in_messages("mira", {**TURN, "content": b"x"})


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_path_is_never_another(client, name):
    with pytest.raises(ValueError, match="nothing"):
        client(lambda _: httpx2.Response(202, json={})).hand_in_messages(name, TURN)


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("memory:8765", "patrol_secret"),
        ("http://user:secret@memory", "patrol_x"),
        ("http://memory/?key=secret", "patrol_x"),
        ("http://memory:secret", "patrol_x"),
        ("http://", "patrol_x"),
        (None, "patrol_x"),
        ("http://memory", None),
        ("http://memory", "patrol_sec\nret"),
        ("http://memory", "patrol_secret…"),
        ("http://memory", " "),
    ],
)
def test_what_no_request_can_be_sent_with_is_refused_and_not_repeated(patrol, url, token):
    with pytest.raises(ValueError, match=r"^The (URL|token)") as refused:
        patrol.MemoryPatrol(url, token)
    assert "sec" not in str(refused.value)


def test_an_address_and_a_token_read_from_a_file_may_end_with_their_line(patrol):
    sent = []
    transport = httpx2.MockTransport(lambda request: sent.append(request) or httpx2.Response(204))
    patrol.MemoryPatrol("http://memory/\n", "patrol_x\n", transport=transport).remove_room("tea")
    assert [(str(each.url), each.headers["authorization"]) for each in sent] == [
        ("http://memory/v1/rooms/tea", "Bearer patrol_x")
    ]


def test_a_batch_of_nothing_is_refused(client):
    with pytest.raises(ValueError, match="at least one"):
        [*client(lambda _: httpx2.Response(204)).message_batches("mira", [TURN], size=0)]
