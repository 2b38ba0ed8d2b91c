"""Lets chat completions in: verifies the token, and admits the request with its Being and its payer.

Both ask the database. While it is unreachable, or slower than the proxy's patience, a token that this process verified
within the last minutes passes with the key that paid then, and with a bounded spend. Any other token is refused, so no
failure makes the proxy an open relay.
"""

import asyncio
from dataclasses import dataclass, replace
from time import monotonic
from typing import TypeVar

from starlette.datastructures import Headers

from api.http.auth_throttle import InvalidTokens
from api.http.credentials import secret_of
from api.proxy.grace import Grace
from api.proxy.recent import Recent
from api.proxy.threads import MemoryThreads, finished
from memory.accounts import access
from memory.accounts.access import Caller, Forbidden, InvalidToken, Operator
from memory.proxy import admission
from memory.proxy.admission import Admission, Requested
from providers.thinking import Usage
from store.errors import StoreError, Unavailable
from workers.runtime.resources import Resources

T = TypeVar("T")

# How long a token that is not known waits for the database.
ADMISSION_SECONDS = 3.0
# A failure counts as an outage if nothing has succeeded for a second; then the database is asked again after two.
SUCCESS_HOLDS = 1.0
OUTAGE_HOLDS = 2.0
_WHAT_TO_SEND = "Send an access token of the memory as the API key: `Authorization: Bearer patrol_…`."
_UNREACHABLE = "The memory's database is unreachable: try again later."


@dataclass(frozen=True)
class Identity:
    """The caller of a request.

    Attributes:
        caller: The token's user and scopes.
        token: The token's digest.
        verified: Whether the database has verified it just now; if not, it did within the last minutes.
    """

    caller: Caller
    token: bytes
    verified: bool


class Gateway:
    """Identifies and admits requests. It is used from the event loop only.

    Args:
        on: The process's resources.
        threads: Runs the use cases.
    """

    def __init__(self, on: Resources, threads: MemoryThreads) -> None:
        settings = on.settings
        self._on = on
        self._threads = threads
        self._invalid = InvalidTokens()
        self._tokens: Recent[bytes, Caller] = Recent(settings.proxy_grace.total_seconds())
        self._admissions: Recent[tuple[bytes, str | None, str], Admission] = Recent(
            settings.proxy_grace.total_seconds()
        )
        self._grace = Grace(settings.proxy_grace_requests, settings.proxy_grace_cost)
        self._patience = settings.proxy_patience
        self._succeeded_at = self._outage_until = float("-inf")

    async def identify(self, headers: Headers, address: str) -> Identity:
        """Verify the token of a request.

        Raises:
            Rejection: There is none.
            InvalidToken: It is unknown, expired or revoked.
            Forbidden: It is an operator's, or lacks the scope `ingest` or `read`.
            Unavailable: The database is unreachable, and the token was not verified lately.
        """
        secret = secret_of(headers, _WHAT_TO_SEND)
        token = access.digest(secret)
        try:
            identity = await self._verify(secret, token)
        except InvalidToken:
            self._tokens.forget(token)
            await asyncio.sleep(self._invalid.delay(address))
            raise
        for scope in ("ingest", "read"):
            identity.caller.require(scope)
        return identity

    async def admit(self, identity: Identity, requested: Requested, expected: Usage) -> Admission:
        """Admit a request.

        Raises:
            Unavailable: The database is unreachable, and nothing like it was admitted lately, or the token has spent
                what it may in an outage.
            Exception: As `memory.proxy.admission.admit`.
        """
        caller, slot = identity.caller, (identity.token, requested.being, requested.upstream_name)
        work: asyncio.Future[Admission] | None = None
        admitted: Admission | None = None
        if identity.verified:
            on = self._on
            work = self._threads.start(
                admission.admit, on.store, on.settings, caller.user_id, caller.being_id, requested, expected
            )
            admitted = await self._result(work, self._patience)
            if admitted:
                return self._remembered(identity.token, slot, admitted)
        known = self._admissions.find(slot)
        if known and self._grace.take(identity.token, admission.cost(self._on.settings, requested, expected)):
            if work is not None:
                work.add_done_callback(self._release)
            return replace(known, requested=requested, call_id=None, reserved=expected)
        if work is not None:
            admitted = await self._result(work, ADMISSION_SECONDS)
        if admitted is None:
            raise Unavailable(_UNREACHABLE)
        return self._remembered(identity.token, slot, admitted)

    async def _verify(self, secret: str, token: bytes) -> Identity:
        work: asyncio.Future[Caller | Operator] | None = None
        caller: Caller | Operator | None = None
        if monotonic() >= self._outage_until:
            work = self._threads.start(access.authenticate, self._on.store, secret)
            caller = await self._result(work, self._patience)
        if caller is None and (known := self._tokens.find(token)):
            if work is not None:
                work.add_done_callback(lambda done: self._forget_if_invalid(token, done))
            return Identity(known, token, verified=False)
        if caller is None and work is not None:
            caller = await self._result(work, ADMISSION_SECONDS)
        if caller is None:
            raise Unavailable(_UNREACHABLE)
        if isinstance(caller, Operator):
            raise Forbidden("This is an operator's token, which gives access to no memory: use a user's token.")
        self._tokens.store(token, caller)
        return Identity(caller, token, verified=True)

    async def _result(self, work: "asyncio.Future[T]", seconds: float) -> "T | None":
        """Wait for work that asks the database; returns None if it is too slow, or the database is unreachable."""
        if not await finished(work, seconds):
            self._failed()
            return None
        try:
            result = work.result()
        except Unavailable:
            self._failed()
            return None
        except StoreError:
            self._succeeded_at = monotonic()
            raise
        self._succeeded_at = monotonic()
        return result

    def _failed(self) -> None:
        if monotonic() - self._succeeded_at > SUCCESS_HOLDS:
            self._outage_until = monotonic() + OUTAGE_HOLDS

    def _remembered(self, token: bytes, slot: tuple[bytes, str | None, str], admitted: Admission) -> Admission:
        self._admissions.store(slot, admitted)
        self._grace.reset(token)
        return admitted

    def _release(self, done: "asyncio.Future[Admission]") -> None:
        """Release the reservation of a request that did not wait for it."""
        if not done.cancelled() and done.exception() is None:
            on = self._on
            self._threads.start(admission.settle, on.store, on.settings, done.result(), "failed", Usage())

    def _forget_if_invalid(self, token: bytes, done: "asyncio.Future[Caller | Operator]") -> None:
        if not done.cancelled() and isinstance(done.exception(), InvalidToken):
            self._tokens.forget(token)
