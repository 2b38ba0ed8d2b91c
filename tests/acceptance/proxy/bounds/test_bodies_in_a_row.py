"""Every route that takes a body reads it whole, whatever was sent before it on the same connection."""

import json
import re
from itertools import product

import pytest

from memory.accounts import access
from tests.acceptance.http.operations.test_problems import NOWHERE
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.raw_requests import connected, request

CHAT = "/openai/v1/chat/completions"
JSON = "application/json"
MIDDLE = 20_000
# More than any route takes.
ANNOUNCED = 10**12


def routes(person):
    """Method, path, media type, and whether an operator's token opens it: the documented ones, and those of clients."""
    document = person.client.get("/openapi.json").json()
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for media in operation.get("requestBody", {}).get("content", {}):
                own = re.sub(r"{\w+}", NOWHERE, path.replace("{being}", "mira"))
                yield method, own, media, "An operator's token." in operation["description"]
    yield "post", "/mcp", JSON, False
    yield "post", CHAT, JSON, False


def body_of(path, media, size):
    """A body of so many bytes: what is left of them beside a small question is blanks."""
    if size == 0 or media != JSON:
        return b" " * size
    asked = {"model": "free/local", "messages": [{"role": "user", "content": "Hello."}]} if path == CHAT else {}
    return json.dumps(asked).encode().ljust(size)


def largest(url, method, path, token, media):
    """The most bytes that a route takes, as it says itself."""
    with connected(url) as connection:
        head = f"{method.upper()} {path} HTTP/1.1\r\nhost: here\r\nauthorization: {token}\r\ncontent-type: {media}\r\n"
        connection.send(f"{head}content-length: {ANNOUNCED}\r\n\r\n".encode())
        answer = connection.answer()
    assert answer.status == 413, (path, answer)
    return int(re.search(rb"longer than (\d+) bytes", answer.body)[1])


def answers(url, sent, *, ahead):
    """Send requests on one connection, all at once or each after the answer to the one before; yields the answers."""
    with connected(url) as connection:
        if ahead:
            connection.send(b"".join(sent))
        for each in sent:
            if not ahead:
                connection.send(each)
            yield connection.answer()


@pytest.mark.long
def test_every_body_is_read_whatever_came_before_it(proxy, person):
    person.client.base_url = proxy.url
    operator = f"Bearer {access.issue_operator_token(person.ledger, lifetime=None)[0]}"
    tokens = {False: f"Bearer {secret_of(person)}", True: operator}
    # Routes take turns: their requests are sent all at once, or each after the answer to the one before.
    for turn, (method, path, media, operates) in enumerate(routes(person)):
        token = tokens[operates]
        sizes = (0, MIDDLE, largest(proxy.url, method, path, token, media))
        sent = [
            request(method, path, token, body_of(path, media, size), media, framing, x_request_id=f"{number}")
            for number, (size, framing) in enumerate([*product(sizes, ("length", "chunked")), (MIDDLE, "length")])
        ]
        for ahead in (False, True) if path == CHAT else (bool(turn % 2),):
            for number, answer in enumerate(answers(proxy.url, sent, ahead=ahead)):
                told = (method, path, ahead, number, answer)
                assert answer.headers["x-request-id"] == str(number), told
                assert answer.headers.get("connection") != "close", told
                assert answer.status < 500, told
                assert answer.status not in {401, 403, 408, 413}, told
                assert b"not a valid HTTP" not in answer.body, told
                if path == CHAT and number not in {0, 1}:
                    assert answer.status == 200, told
