"""A request's share of the server is given back when its client is gone, in whichever moment it goes.

After many such requests, more than the limits let in, all of a user's limits are whole: as many requests as before are
let in at a time, of each kind.
"""

import json
from contextlib import ExitStack
from functools import partial

import pytest

from memory.accounts import access
from schemas.limits import BULK_ITEMS
from tests.acceptance.conftest import ENVIRONMENT, PATIENCE, api_process
from tests.acceptance.http.intake.scenes import scene
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.raw_requests import connected, request
from tests.databases import of_processes
from tests.fakes.upstream import Reply, running_upstream
from workers.embedded.processes import wait_until

CHAT = "/openai/v1/chat/completions"
BEING = "/v1/beings/mira"
# Another Being of the user, whose chats wait for no search of a large memory; limits are the user's.
CHATTING = "leo"
JSON = "application/json"
AT_ONCE = 2
# By turns the client closes the connection, and has the kernel reset it.
TIMES = 2 * AT_ONCE
BULK = json.dumps([scene(f"Something happened, the {number}th time.") for number in range(BULK_ITEMS + 1)]).encode()


@pytest.fixture(scope="module")
def strict(stack):
    """An API process that lets few requests of a user in at a time; its URL, and the upstream of its proxy."""
    with running_upstream() as upstream:
        url, api = api_process(
            "few",
            {
                **ENVIRONMENT,
                **of_processes(stack.database_url),
                "REDIS_URL": stack.redis_url,
                "PATROL_USER_REQUESTS": str(AT_ONCE),
                "PATROL_USER_CONNECTIONS": "2",
                "PATROL_USER_DATABASE_TIME": "1000",
                "PATROL_PROXY_REQUESTS": str(AT_ONCE),
                "PATROL_PROXY_PATIENCE": "60",
                "PATROL_PROXY_UPSTREAMS": json.dumps({"free": {"base_url": upstream.url}}),
            },
        )
        stack.supervisor.start([api], patience=PATIENCE)
        yield url, upstream
        upstream.release()


@pytest.fixture
def user(strict, person):
    """A person who asks that process, with much in memory."""
    url, upstream = strict
    upstream.replies.clear()
    upstream.requests.clear()
    upstream.hung_up = 0
    person.client.base_url = url
    long = {"type": "knowledge", "title": "x", "content": "y" * 60_000}
    assert person.ask("POST", "/notes", json=[long] * 99).status_code == 202
    records = "".join(
        json.dumps({"id": f"{n:012x}", "text": f"{n} {'z' * 900}", "scope": "mira"}) + "\n" for n in range(250)
    )
    assert person.ask("POST", "/vault/import", content=records).json()["imported"] == 250
    assert person.client.post("/v1/beings", json={"slug": CHATTING, "name": "Leo"}).status_code == 201
    return person


def chat(size, *, stream=False):
    """A chat completion with so many characters of a system prompt."""
    messages = [{"role": "system", "content": "x" * size}, {"role": "user", "content": "Good morning."}]
    return json.dumps({"model": "fake-1", "messages": messages, "stream": stream}).encode()


def part_of(whole, share=0.5):
    """The beginning of a request."""
    return whole[: int(len(whole) * share)]


def ways(token):
    """A client's request before it goes, and what it waits for: the ways of each kind of request."""
    ask = partial(request, token=token, media=JSON)
    get = f" HTTP/1.1\r\nhost: here\r\nauthorization: {token}\r\n\r\n"
    posted = {
        "notes": (f"{BEING}/notes", BULK),
        "messages": (f"{BEING}/messages", b" " * 60_000),
        "an import": (f"{BEING}/vault/import", b'{"id": "a"}\n' * 25_000),
        "a tool": ("/mcp", b" " * 60_000),
        "a chat": (CHAT, chat(20_000)),
        "a long chat": (CHAT, chat(2_200_000)),
    }
    sent = {}
    for name, (path, body) in posted.items():
        wholes = [
            ask("POST", path, body=body, framing=framing, x_memory_being=CHATTING) for framing in ("length", "chunked")
        ]
        sent[name] = [(left, b"") for whole in wholes for left in (part_of(whole), whole[:-1], whole)]
    parsed_in_a_thread, in_parts = chat(600_000), chat(60_000, stream=True)
    return sent | {
        "an export": [
            (f"GET {BEING}/export{get}".encode(), b"application/x-ndjson"),
            (f"GET {BEING}/export{get}".encode(), b""),
            (f"GET {BEING}/vault/export{get}".encode(), b"application/x-ndjson"),
        ],
        "a question": [
            (ask("POST", f"{BEING}/recall", body=b'{"query": "What happened?"}'), b""),
            (ask("POST", f"{BEING}/context", body=b"{}"), b""),
        ],
        "a chat of another form": [
            (ask("POST", CHAT, body=in_parts, x_memory_being=CHATTING), b"Once"),
            (ask("POST", CHAT, body=parsed_in_a_thread, x_memory_being=CHATTING), b""),
            (f"GET /openai/v1/models{get}".encode(), b""),
        ],
    }


def leave(url, sent, awaited, *, reset):
    """Send something, wait for something, and go."""
    with connected(url) as connection:
        try:
            connection.send(sent)
            if awaited:
                connection.wait_for(awaited)
        except (ConnectionError, AssertionError):
            # It was refused, since others before it were not over.
            return
        if reset:
            connection.reset()


def open_requests(operator):
    """How many requests are open beside the one that asks."""
    (line,) = [
        line for line in operator.get("/metrics").text.splitlines() if line.startswith("patrol_http_open_requests ")
    ]
    return float(line.split()[1]) - 1


@pytest.mark.long
def test_all_limits_are_whole_after_clients_have_gone(strict, user):
    url, upstream = strict
    secret = secret_of(user)
    operator = user.with_secret(access.issue_operator_token(user.ledger, lifetime=None)[0])
    operator.base_url = url
    for kind, each_way in ways(f"Bearer {secret}").items():
        for sent, awaited in each_way:
            upstream.replies.clear()
            upstream.replies += [Reply.stream("Once", "upon", ending="wait")] * TIMES
            for number in range(TIMES):
                leave(url, sent, awaited, reset=number % 2 == 1)
            # Counting what the metrics show takes longer than most of these requests.
            assert wait_until(lambda: open_requests(operator) == 0, PATIENCE, pause=0.25), kind
        upstream.replies.clear()
        is_whole(url, upstream, user, f"Bearer {secret}", kind)


def is_whole(url, upstream, user, token, way):
    """Use all of a user's limits at once: requests, large ones, chat completions, bulk, and threads."""
    upstream.hung_up = 0
    upstream.replies += [Reply.stream("Once", ending="wait")] * AT_ONCE
    with ExitStack() as opened:
        chats = [opened.enter_context(connected(url)) for _ in range(AT_ONCE)]
        for each in chats:
            each.send(request("POST", CHAT, token, chat(40_000, stream=True), JSON, x_memory_being=CHATTING))
        for each in chats:
            each.wait_for(b"Once")
        for size in (60_000, 200_000):
            slow = [opened.enter_context(connected(url)) for _ in range(AT_ONCE)]
            whole = request("POST", f"{BEING}/notes", token, b"[]".ljust(size), JSON)
            for each in slow:
                each.send(whole[:-1])
            for each in slow:
                each.send(whole[-1:])
            statuses = [each.answer().status for each in slow]
            # Of large ones, bulk lets two wait.
            assert statuses.count(429) <= (AT_ONCE - 2 if size > 100_000 else 0), (way, statuses)
    upstream.wait_for(hung_up=AT_ONCE)
    assert user.ask("POST", "/recall", json={"query": "What happened?"}).status_code == 200, way
