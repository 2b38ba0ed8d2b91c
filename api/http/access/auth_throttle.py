"""Throttles guessing of tokens: refusals to an address that keeps sending invalid tokens are delayed ever longer.

No address is locked out, because many clients may share one, and a request with a valid token is never delayed.
"""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

FREE = 5
LONGEST_SECONDS = 5.0
FORGIVEN_SECONDS = 60.0
MOST_ADDRESSES = 10_000


class InvalidTokens:
    """Counts invalid tokens by client address, for the addresses seen last.

    Args:
        now: A monotonic clock, in seconds.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._counts: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def delay(self, address: str) -> float:
        """Count one more invalid token from an address; returns by how many seconds to delay its refusal."""
        count, last = self._counts.pop(address, (0, 0.0))
        now = self._now()
        count = 1 if now - last > FORGIVEN_SECONDS else count + 1
        self._counts[address] = count, now
        if len(self._counts) > MOST_ADDRESSES:
            self._counts.popitem(last=False)
        return min(LONGEST_SECONDS, 0.1 * 2.0 ** min(count - FREE, 10)) if count > FREE else 0.0
