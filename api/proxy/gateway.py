"""Lets chat completions in: verifies the token, and admits the request with its Being and its payer.

Both query the database. A request whose answer takes longer than the proxy's patience goes on before it: a token that
this process verified within the last minutes passes with the key that paid then, and with a bounded spend. Any other
token waits, and is refused if the database can't be reached, so no failure makes the proxy an open relay.
"""

import asyncio
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from starlette.datastructures import Headers

from api.http.access.auth_throttle import InvalidTokens
from api.http.access.credentials import secret_of
from api.proxy.outage import Grace, Outage, Recent
from api.proxy.proxy_threads import MemoryThreads, wait_for_work
from memory.accounts import access
from memory.accounts.access import Caller, Forbidden, InvalidToken, Operator
from memory.proxy import admission
from memory.proxy.admission import Admission, NoPayer, RequestedNames, UnaccountedCost, UnknownAnswer
from memory.text.errors import InvalidRequest
from providers.completion import Usage
from schemas.errors import BudgetSpent, NotFound, Unavailable
from schemas.ledger.acting import act_for
from workers.runtime.resources import Resources

T = TypeVar("T")

# How long a token that is not known waits for a slow database, and how long a request does that may not go on before.
IDENTIFICATION_SECONDS = 10.0
ADMISSION_SECONDS = 30.0
_WHAT_TO_SEND = (
    "Send an access token of the memory as the API key: `Authorization: Bearer patrol_…`, or `x-api-key: patrol_…`."
)
_UNREACHABLE = "The memory's database is unreachable: try again later."
_BUSY = "The memory's database takes too long: try again later."


@dataclass(frozen=True)
class Identity:
    """The caller of a request: the token's user and scopes, and the token's digest."""

    caller: Caller
    token: bytes


@dataclass(frozen=True)
class Admitted:
    """A request that may be passed on.

    Attributes:
        admission: Its Being and its payer; without a `call_id` if it goes on before it is in the accounts.
        stored: Whether its turn can be taken in: the database is not down.
        late: Its admission by a database that is slow.
    """

    admission: Admission
    stored: bool = True
    late: "asyncio.Future[Admission] | None" = None

    async def final(self) -> Admission:
        """Return the admission that its cost is to be recorded for, when the database has decided."""
        if self.late is not None:
            await asyncio.wait({self.late})
            if not self.late.cancelled() and self.late.exception() is None:
                return self.late.result()
        return self.admission


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
        self._admissions: Recent[Hashable, Admission] = Recent(settings.proxy_grace.total_seconds())
        self._grace = Grace(settings.proxy_grace_requests, settings.proxy_grace_cost)
        self._patience = settings.proxy_patience
        self._outage = Outage(on)

    def close(self) -> None:
        """Stop asking whether the database is there."""
        self._outage.close()

    async def identify(self, headers: Headers, address: str) -> Identity:
        """Verify the token of a request, whose transactions act for its user from then on.

        Raises:
            Rejection: There is none.
            InvalidToken: It is unknown, expired or revoked.
            Forbidden: It is an operator's, or lacks the scope `ingest` or `read`.
            Unavailable: The database is unreachable or very slow, and the token was not verified lately.
        """
        # Of a client that sends both, one may be its provider's.
        key = headers.get("x-api-key", "").strip()
        is_token = key.startswith(access.PREFIX) or (key and "authorization" not in headers)
        secret = key if is_token else secret_of(headers, _WHAT_TO_SEND)
        token = access.digest(secret)
        try:
            caller = await self._verify(secret, token, address)
        except InvalidToken:
            self._tokens.remove(token)
            await asyncio.sleep(self._invalid.delay(address))
            raise
        for scope in ("ingest", "read"):
            caller.require(scope)
        act_for(caller.user_id)
        return Identity(caller, token)

    async def admit(self, identity: Identity, requested: RequestedNames, expected: Usage) -> Admitted:
        """Admit a request.

        Raises:
            Unavailable: The database is unreachable or very slow, and nothing like it was admitted lately, or the token
                has spent its grace.
            Exception: As `memory.proxy.admission.admit`.
        """
        caller, token = identity.caller, identity.token
        slot = (token, requested.being, requested.upstream_name)
        work: asyncio.Future[Admission] | None = None
        counted: list[UnaccountedCost] = []
        if not self._outage.lasts:
            counted = self._grace.recorded(token, slot)
            ask = partial(admission.admit, self._on.store, self._on.settings, caller.user_id, caller.being_id)
            work = self._threads.start(caller.user_id, ask, requested, expected)
        try:
            admitted: Admission | None = None
            if work is not None:
                admitted = await self._in_time(work)
            if admitted is None and (known := self._admissions.find(slot)):
                cost = admission.cost_without_accounts(self._on.settings, known, requested, expected)
                if (taken := self._grace.take(token, slot, cost)) is not None:
                    if work is not None:
                        work.add_done_callback(partial(self._decided, token, slot, taken))
                    passed = replace(known, requested=requested, call_id=None, reserved=expected, unaccounted=taken)
                    return Admitted(passed, not self._outage.lasts, work)
            if admitted is None:
                admitted = await self._as_long_as_it_takes(work, ADMISSION_SECONDS)
        except BaseException:
            if work is not None:
                work.add_done_callback(self._release)
            raise
        self._admissions.store(slot, admitted)
        self._grace.give_back(token, counted)
        return Admitted(admitted)

    async def _verify(self, secret: str, token: bytes, address: str) -> Caller:
        known = self._tokens.find(token)
        work: asyncio.Future[Caller | Operator] | None = None
        caller: Caller | Operator | None = None
        if not self._outage.lasts:
            work = self._threads.start(known.user_id if known else address, access.authenticate, self._on.store, secret)
            caller = await self._in_time(work)
        if caller is None and known:
            if work is not None:
                work.add_done_callback(lambda done: self._remove_if_invalid(token, done))
            return known
        if caller is None:
            caller = await self._as_long_as_it_takes(work, IDENTIFICATION_SECONDS)
        if isinstance(caller, Operator):
            raise Forbidden("This is an operator's token, which gives access to no memory: use a user's token.")
        self._tokens.store(token, caller)
        return caller

    async def _in_time(self, work: "asyncio.Future[T]") -> "T | None":
        """Wait for a database call, as long as the patience is; returns None if it has no result by then.

        Raises:
            Exception: As the work raises it, unless the database was unavailable to it.
        """
        if await wait_for_work(work, self._patience):
            try:
                return work.result()
            except Unavailable:
                pass
        await self._outage.suspect()
        return None

    async def _as_long_as_it_takes(self, work: "asyncio.Future[T] | None", seconds: float) -> T:
        """Wait for work while the database can be reached.

        Raises:
            Unavailable: The database can't be reached, or the work takes longer than `seconds`.
            Exception: As the work raises it.
        """
        if work is None:
            raise Unavailable(_UNREACHABLE)
        outage = asyncio.ensure_future(self._outage.wait())
        either: set[asyncio.Future[Any]] = {work, outage}
        try:
            await asyncio.wait(either, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            outage.cancel()
        if work.done():
            return work.result()
        raise Unavailable(_UNREACHABLE if self._outage.lasts else _BUSY)

    def _decided(self, token: bytes, slot: Hashable, taken: UnaccountedCost, done: "asyncio.Future[Admission]") -> None:
        """Take a late admission up: a request that went on before it has taken its part of the budget, or was refused.

        One that was refused stays counted; others like it wait for the database from now on.
        """
        fault = None if done.cancelled() else done.exception()
        if not done.cancelled() and fault is None:
            self._admissions.store(slot, done.result())
            self._grace.give_back(token, [taken])
        elif isinstance(fault, BudgetSpent | NotFound | NoPayer | InvalidRequest | UnknownAnswer):
            self._admissions.remove(slot)

    def release(self, admitted: Admitted) -> None:
        """Release the reservation of a request that is not passed on."""
        reserved = admitted.late
        if reserved is None:
            reserved = asyncio.get_running_loop().create_future()
            reserved.set_result(admitted.admission)
        reserved.add_done_callback(self._release)

    def _release(self, done: "asyncio.Future[Admission]") -> None:
        """Release the reservation of a request that did not wait for it."""
        if not done.cancelled() and done.exception() is None:
            reserved = done.result()
            settle = partial(admission.settle, self._on.store, self._on.settings)
            self._threads.start(reserved.being.user_id, settle, reserved, "failed", Usage())

    def _remove_if_invalid(self, token: bytes, done: "asyncio.Future[Caller | Operator]") -> None:
        if not done.cancelled() and isinstance(done.exception(), InvalidToken):
            self._tokens.remove(token)
