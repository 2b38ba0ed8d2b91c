"""A user's webhook reaches nothing but the public Internet."""

import socket
from contextlib import suppress
from select import select
from threading import Thread
from time import monotonic

import pytest

from providers import webhooks
from providers.webhooks import Undelivered, address_fault, deliver

SECRET = "whsec_c2VjcmV0"  # noqa: S105  # a test's


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/hook",
        "https://127.0.0.1/",
        "https://10.0.0.8:8443/",
        "https://192.168.1.1/",
        "https://169.254.169.254/latest/meta-data",
        "https://100.64.0.1/",
        "https://0.0.0.0/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://[2002:7f00:1::]/",
        "https://224.0.0.1/",
        "https://user:password@example.com/",
        "https://:443/",
        "https://example.com:99999/",
    ],
)
def test_an_address_that_is_not_public_is_refused(url):
    assert address_fault(url, allow_private=False) is not None


@pytest.mark.parametrize("url", ["https://example.com/hook?x=1", "https://93.184.216.34/", "https://[2606:2800::1]/"])
def test_a_public_address_is_allowed(url):
    assert address_fault(url, allow_private=False) is None


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["93.184.216.34", "10.0.0.1"], ["::1"], []])
def test_a_name_that_resolves_to_an_address_that_is_not_public_is_not_connected_to(monkeypatch, addresses):
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]
    monkeypatch.setattr(webhooks.socket, "getaddrinfo", lambda *_, **__: found)
    monkeypatch.setattr(webhooks.socket, "create_connection", lambda *_, **__: pytest.fail("it was connected to"))
    with pytest.raises(Undelivered, match="not public"):
        deliver("https://rebound.example/", SECRET, "1", b"{}", seconds=1)


def test_the_connection_goes_to_the_address_that_was_checked(monkeypatch):
    asked = []
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])

    def getaddrinfo(*_, **__):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in next(answers)]

    def create_connection(address, *_, **__):
        asked.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(webhooks.socket, "getaddrinfo", getaddrinfo)
    monkeypatch.setattr(webhooks.socket, "create_connection", create_connection)
    with pytest.raises(Undelivered, match="ConnectionRefusedError"):
        deliver("https://rebound.example/", SECRET, "1", b"{}", seconds=1)
    assert asked == [("93.184.216.34", 443)]


def test_an_answer_that_comes_a_byte_at_a_time_ends_with_the_time():
    listening = socket.create_server(("127.0.0.1", 0))

    def drip():
        taken, _ = listening.accept()
        with taken, suppress(OSError):
            taken.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while True:
                taken.sendall(b"a")
                taken.recv(1) if select([taken], [], [], 0.05)[0] else None

    Thread(target=drip, daemon=True).start()
    began = monotonic()
    with listening, pytest.raises(Undelivered):
        deliver(f"http://127.0.0.1:{listening.getsockname()[1]}/", SECRET, "1", b"{}", seconds=0.5, allow_private=True)
    assert monotonic() - began < 5


def test_a_signature_is_that_of_standard_webhooks():
    """The example of the specification."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"  # noqa: S105  # the specification's
    body = b'{"test": 2432232314}'
    signed = webhooks.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert signed == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
