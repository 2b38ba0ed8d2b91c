"""Limits each user's concurrent requests and database time, so that one user can't starve another."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import monotonic
from uuid import UUID

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from api.http.problems import answer, too_many
from memory.accounts.access import Caller
from schemas.ledger.allowance import Allowance, allowed

# Longer bodies are batches, imports, or mistakes.
LARGE_BYTES = 128 * 1024
# The database time that a user may use in advance of the share, in seconds.
AHEAD_SECONDS = 20.0
RETRY_SECONDS = 1.0
# Above this number, users without requests and without debt are dropped.
MOST_USERS = 1000


class FairUse:
    """Middleware that answers 429 above a user's limits, and runs other requests within the user's database share.

    It runs after `Authentication`. Operators are not limited, nor is the idle stream that an MCP client may hold open.

    Args:
        app: The next application; its `state.loads` counts requests and database time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer 429."""
        caller = scope.get("state", {}).get("caller")
        if not isinstance(caller, Caller) or (scope["path"] == "/mcp" and scope["method"] == "GET"):
            await self.app(scope, receive, send)
            return
        loads: UserLoads = scope["app"].state.loads
        large = is_large(Headers(scope=scope))
        if excess := loads.begin(caller.user_id, large=large):
            await answer(scope, too_many(excess.reason, excess.retry_after))(scope, receive, send)
            return
        allowance = (
            Allowance(caller.user_id)
            if large
            else Allowance(caller.user_id, None, partial(loads.charge, caller.user_id))
        )
        try:
            with allowed(allowance):
                await self.app(scope, receive, send)
        finally:
            loads.end(caller.user_id, large=large)
            # A bulk request that is refused makes others wait as little as one that takes its turn.
            if not large and "bulk" not in scope["state"]:
                scope["app"].state.resources.store.bulk.note_live()


def is_large(headers: Headers) -> bool:
    """Return whether the body is longer than `LARGE_BYTES` by its `Content-Length`, or of unknown length."""
    length = headers.get("content-length", "")
    return int(length) > LARGE_BYTES if length.isdecimal() else "transfer-encoding" in headers


@dataclass
class _Load:
    running: Counter[bool] = field(default_factory=Counter)
    debt: float = 0.0
    at: float = 0.0


@dataclass(frozen=True)
class LimitExceeded:
    """A request exceeds its user's limits: the reason, and after how many seconds to retry."""

    reason: str
    retry_after: float


class UserLoads:
    """Counts each user's requests, and their database time as a debt that decreases at a constant rate.

    Args:
        requests: The most concurrent requests of one user; large requests have a limit of their own of that size.
        database_time: By how many seconds the debt decreases per second.
        now: A monotonic clock, in seconds.
    """

    def __init__(self, requests: int, database_time: float, now: Callable[[], float] = monotonic) -> None:
        self._requests = requests
        self._database_time = database_time
        self._now = now
        self._loads: dict[UUID, _Load] = {}
        self._lock = Lock()

    def begin(self, user_id: UUID, *, large: bool) -> LimitExceeded | None:
        """Count a request that begins; if it exceeds a limit, return that limit and do not count the request."""
        with self._lock:
            load = self._load(user_id)
            if load.running[large] >= self._requests:
                return LimitExceeded(
                    f"You have {self._requests} concurrent requests, the limit: send fewer at a time.",
                    RETRY_SECONDS,
                )
            if not large and (excess := self._excess(load)):
                return excess
            load.running[large] += 1
            return None

    def time_excess(self, user_id: UUID) -> LimitExceeded | None:
        """Return by how much a user has exceeded the share of database time; the request is counted elsewhere."""
        with self._lock:
            return self._excess(self._load(user_id))

    def end(self, user_id: UUID, *, large: bool) -> None:
        """Count a request that has ended."""
        with self._lock:
            self._load(user_id).running[large] -= 1
            if len(self._loads) > MOST_USERS:
                self._remove_idle()

    def charge(self, user_id: UUID, seconds: float) -> None:
        """Add database time to a user's debt."""
        with self._lock:
            self._load(user_id).debt += seconds

    def _excess(self, load: _Load) -> LimitExceeded | None:
        if load.debt <= AHEAD_SECONDS:
            return None
        return LimitExceeded(
            "Your requests have used more database time than one user's share: send fewer, or smaller ones.",
            (load.debt - AHEAD_SECONDS) / self._database_time,
        )

    def _load(self, user_id: UUID) -> _Load:
        """Return a user's load, with its debt decreased for the time since the last call."""
        load = self._loads.setdefault(user_id, _Load())
        now = self._now()
        load.debt = max(0.0, load.debt - (now - load.at) * self._database_time)
        load.at = now
        return load

    def _remove_idle(self) -> None:
        for user_id in list(self._loads):
            load = self._load(user_id)
            if not load.debt and not load.running.total():
                del self._loads[user_id]
