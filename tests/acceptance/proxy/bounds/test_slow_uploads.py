"""Users who send large bodies as slowly as they may make no other user wait."""

import json
from contextlib import ExitStack

import pytest

from api.proxy.counted_bodies import LARGE_AT_ONCE, LARGE_BYTES, LARGE_OF_ONE_USER
from tests.acceptance.proxy.conftest import secret_of
from tests.acceptance.raw_requests import connected, request

CHAT = "/openai/v1/chat/completions"
JSON = "application/json"
LARGE_CHAT = json.dumps(
    {
        "model": "free/local",
        "messages": [
            {"role": "system", "content": "x" * LARGE_BYTES},
            {"role": "user", "content": "Good morning."},
        ],
    }
).encode()


@pytest.mark.parametrize("framing", ["length", "chunked"])
def test_a_large_chat_is_answered_while_other_users_send_slowly(proxy, newcomer, framing):
    slow_users = [newcomer() for _ in range(LARGE_AT_ONCE // LARGE_OF_ONE_USER)]
    with ExitStack() as opened:
        slow = []
        for user in slow_users:
            whole = request("POST", CHAT, f"Bearer {secret_of(user)}", LARGE_CHAT, JSON, framing)
            for _ in range(LARGE_OF_ONE_USER):
                slow.append(opened.enter_context(connected(proxy.url)))
                # A client may now be silent for as long as the slowest rate takes for what it has sent.
                slow[-1].send(whole[:-1])
        other = opened.enter_context(connected(proxy.url))
        token = f"Bearer {secret_of(newcomer())}"
        other.send(request("POST", CHAT, token, LARGE_CHAT, JSON, framing))
        assert other.answer().status == 200
        # The others have waited for nothing but their own rest.
        for connection in slow:
            connection.send(whole[-1:])
            assert connection.answer().status == 200
