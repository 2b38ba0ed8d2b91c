"""Posts a signed delivery to a user's webhook, in the form of Standard Webhooks (standardwebhooks.com).

The address is a user's, so that the request must reach nothing but the public Internet: the host's name is resolved
once, every address that it has must be global, and the connection goes to an address that was checked. Redirects are
not followed. An answer's body is not read.
"""

import base64
import hmac
import secrets
import socket
import ssl
import time
from collections.abc import Sequence
from contextlib import closing, suppress
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import Timer
from typing import Any
from urllib.parse import urlsplit

from providers.errors import Transient
from providers.lease_guard import before_request
from schemas.version import VERSION

SECRET_BYTES = 32
PREFIX = "whsec_"
_NAT64 = IPv6Network("64:ff9b::/96")
_OK = range(HTTPStatus.OK, HTTPStatus.MULTIPLE_CHOICES)


class Undelivered(Transient):
    """The webhook did not answer with 2xx; the text says why, and quotes neither the address nor the answer."""


def new_secret() -> str:
    """Make a secret that signs deliveries."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature(secret: str, delivery_id: str, sent_at: int, body: bytes) -> str:
    """Sign a delivery: version 1, HMAC-SHA256 over its id, its time and its body."""
    key = base64.b64decode(secret.removeprefix(PREFIX))
    signed = b".".join([delivery_id.encode(), str(sent_at).encode(), body])
    return "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()


def address_fault(url: str, *, allow_private: bool) -> str | None:
    """Return why a URL can't be a webhook's, by the URL alone; None if it can."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "it is no URL"
    if not parts.hostname or port == 0:
        return "it names no host"
    if parts.username is not None or parts.password is not None:
        return "it holds a user name or a password"
    if parts.scheme != "https" and not allow_private:
        return "it must begin with https://"
    with suppress(ValueError):
        if not allow_private and not _is_public(parts.hostname):
            return "its address is not public"
    return None


def deliver(
    url: str, secret: str, delivery_id: str, body: bytes, *, seconds: float, allow_private: bool = False
) -> None:
    """Post a delivery.

    Args:
        url: The webhook's address.
        secret: Its secret.
        delivery_id: The same for each attempt, by which the receiver knows a delivery that it has.
        body: JSON.
        seconds: The time that the whole request may take.
        allow_private: Whether addresses that are not public, and `http://`, are allowed.

    Raises:
        Undelivered: The webhook did not answer with 2xx.
        LeaseLost: The caller's lease is lost, and nothing was sent.
    """
    if fault := address_fault(url, allow_private=allow_private):
        raise Undelivered(f"The webhook's address is not allowed: {fault}.")
    parts = urlsplit(url)
    host, is_tls = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if is_tls else 80)
    before_request()
    began = time.monotonic()
    addresses = _resolved(host, port, allow_private=allow_private)
    sent_at = int(time.time())
    headers = {
        "Content-Type": "application/json",
        "User-Agent": f"memory-patrol/{VERSION}",
        "Webhook-Id": delivery_id,
        "Webhook-Timestamp": str(sent_at),
        "Webhook-Signature": signature(secret, delivery_id, sent_at, body),
    }
    target = f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}"
    try:
        connection = _Pinned(host, port, addresses, seconds, is_tls=is_tls)
        with closing(connection):
            connection.connect()
            left = max(0.1, seconds - (time.monotonic() - began))
            # A receiver that answers a byte at a time never exceeds the timeout of a single read.
            ending = Timer(left, connection.cut)
            ending.daemon = True
            ending.start()
            try:
                connection.request("POST", target, body, headers)
                answer = connection.getresponse()
                status, wait = answer.status, answer.headers.get("retry-after", "")
            finally:
                ending.cancel()
            if connection.was_cut:
                raise TimeoutError
    except (OSError, HTTPException, ValueError) as fault:
        raise Undelivered(f"The webhook could not be reached ({type(fault).__name__}).") from None
    if status not in _OK:
        redirect = " Redirects are not followed." if 300 <= status < HTTPStatus.BAD_REQUEST else ""  # noqa: PLR2004  # 3xx
        retry_after = float(wait) if wait.isdecimal() and len(wait) < 6 else None  # noqa: PLR2004  # a day or so
        raise Undelivered(f"The webhook answered {status}.{redirect}", retry_after=retry_after)


def _is_public(address: str) -> bool:
    """Whether an IP address is reachable by everyone.

    Raises:
        ValueError: It is no IP address.
    """
    parsed = ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour or (parsed.teredo[1] if parsed.teredo else None)
        if inner is not None:
            return inner.is_global and not inner.is_multicast
        # NAT64: the last 32 bits are an IPv4 address.
        if parsed in _NAT64:
            return _is_public(str(ip_address(int(parsed) & 0xFFFFFFFF)))
    return parsed.is_global and not parsed.is_multicast


def _resolved(host: str, port: int, *, allow_private: bool) -> list[str]:
    """The addresses of a host.

    Raises:
        Undelivered: It has none, or one that is not allowed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Undelivered("The webhook's host has no address.") from None
    addresses = list(dict.fromkeys(str(each[4][0]) for each in found))
    if not addresses or (not allow_private and not all(map(_is_public, addresses))):
        raise Undelivered("The webhook's host has an address that is not public.")
    return addresses


class _Pinned(HTTPConnection):
    """A connection to addresses that were checked, with the host's name in the request and its certificate."""

    def __init__(self, host: str, port: int, addresses: Sequence[str], seconds: float, *, is_tls: bool) -> None:
        super().__init__(host, port, timeout=seconds)
        self._addresses = addresses
        self.was_cut = False
        self._tls = ssl.create_default_context() if is_tls else None
        if is_tls:
            self.default_port = 443

    def connect(self) -> None:
        """Connect to the first of the addresses that answers.

        Raises:
            OSError: None does, or the certificate is another host's.
        """
        fault: OSError | None = None
        for address in self._addresses[:3]:
            try:
                self.sock: Any = socket.create_connection((address, self.port), (self.timeout or 10) / 3)
            except OSError as failed:
                fault = failed
                continue
            if self._tls is not None:
                self.sock = self._tls.wrap_socket(self.sock, server_hostname=self.host)
            self.sock.settimeout(self.timeout)
            return
        raise fault or OSError("no address")

    def cut(self) -> None:
        """End the connection from another thread: a thread that waits for it reads the end."""
        self.was_cut = True
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)
