"""Tells an outage of the database from slowness, and holds the values and grants by which the proxy bridges it.

Only a server that accepts no connection is down.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from time import monotonic
from typing import TYPE_CHECKING, Generic, TypeVar

from memory.proxy.admission import UnaccountedCost

if TYPE_CHECKING:
    from workers.runtime.resources import Resources

# A server that is there answers within milliseconds; one that is gone is known by then, or by a later request.
ANSWER_SECONDS = 0.5
ASK_AGAIN_SECONDS = 1.0
K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
MOST_RECENT = 10_000
MOST_TOKENS = 10_000


class Outage:
    """Whether the database is down. It is probed when a request suspects so, then until it answers again.

    It is used from the event loop only.

    Args:
        on: The process's resources.
    """

    def __init__(self, on: "Resources") -> None:
        self._on = on
        self._began = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="outage")
        self._watching: asyncio.Task[None] | None = None

    @property
    def lasts(self) -> bool:
        """Whether the database was down at the last probe; it is probed until it is up."""
        return self._began.is_set()

    async def suspect(self) -> None:
        """Have the server probed, and wait for its result for half a second at most."""
        watching = self._watch()
        began = asyncio.ensure_future(self._began.wait())
        await asyncio.wait({watching, began}, timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        began.cancel()

    async def wait(self) -> None:
        """Wait until the server is found down."""
        await self._began.wait()

    def close(self) -> None:
        """Stop asking."""
        if self._watching is not None:
            self._watching.cancel()
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _watch(self) -> "asyncio.Task[None]":
        if self._watching is None or self._watching.done():
            self._watching = asyncio.get_running_loop().create_task(self._until_reachable())
        return self._watching

    async def _until_reachable(self) -> None:
        loop = asyncio.get_running_loop()
        while not await loop.run_in_executor(self._thread, self._on.store.reachable):
            self._began.set()
            await asyncio.sleep(ASK_AGAIN_SECONDS)
        self._began.clear()


class Recent(Generic[K, V]):
    """The values that were stored last, each for a limited time. It is used from the event loop only.

    Args:
        seconds: How long a value is returned after it was stored.
        now: A monotonic clock, in seconds.
    """

    def __init__(self, seconds: float, now: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._now = now
        self._values: OrderedDict[K, tuple[V, float]] = OrderedDict()

    def store(self, key: K, value: V) -> None:
        """Store a value, which is valid now."""
        self._values.pop(key, None)
        self._values[key] = value, self._now()
        # They stand in the order of their times. None is kept longer than it may be used, for some hold keys.
        while len(self._values) > MOST_RECENT or (self._values and self._is_over(next(iter(self._values)))):
            self._values.popitem(last=False)

    def find(self, key: K) -> V | None:
        """Return a value that was stored within the time; otherwise None."""
        if key not in self._values or self._is_over(key):
            return None
        return self._values[key][0]

    def remove(self, key: K) -> None:
        """Remove a value, which is not valid any more."""
        self._values.pop(key, None)

    def _is_over(self, key: K) -> bool:
        return self._now() - self._values[key][1] > self._seconds


class Grace:
    """The chat completions of each token that passed without the accounts, and their highest cost.

    A token's grace is given once. The part that a request took is free again when the accounts have the request's cost,
    and have then admitted another: that admission has counted it against the budget. So an outage that comes and goes
    lets a token spend no more than one that lasts.

    Args:
        requests: The most requests of one token.
        cost: The most dollars of one token, as far as prices are known.
    """

    def __init__(self, requests: int, cost: Decimal) -> None:
        self._requests = requests
        self._cost = cost
        self._taken: dict[bytes, dict[UnaccountedCost, Hashable]] = {}

    def take(self, token: bytes, slot: Hashable, cost: Decimal | None) -> UnaccountedCost | None:
        """Take a request's part of its token's grace; returns None, and takes nothing, if it exceeds a limit.

        Args:
            slot: The key under which the accounts admit requests alike.
            cost: The request's highest cost in dollars; None: its price is unknown.
        """
        taken = self._taken.get(token, {})
        # A token that was dropped from the counts could begin anew, so no token is dropped: further ones are refused.
        full = not taken and len(self._taken) >= MOST_TOKENS
        spent = sum((one.cost for one in taken), cost or Decimal(0))
        if full or len(taken) >= self._requests or spent > self._cost:
            return None
        one = UnaccountedCost(cost or Decimal(0))
        self._taken.setdefault(token, {})[one] = slot
        return one

    def recorded(self, token: bytes, slot: Hashable) -> list[UnaccountedCost]:
        """Return the grants of requests whose costs the accounts have by now: a later admission counts them."""
        taken = self._taken.get(token, {})
        return [one for one, of in taken.items() if of == slot and one.recorded]

    def give_back(self, token: bytes, taken: Iterable[UnaccountedCost]) -> None:
        """Free the grants of requests: an admission has counted their costs."""
        left = self._taken.get(token, {})
        for one in taken:
            left.pop(one, None)
        if not left:
            self._taken.pop(token, None)
