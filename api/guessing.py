"""Guessing is slowed: whoever shows wrong tokens again and again waits longer for each next refusal.

Nobody is locked out, for behind one address there may be many, and whoever shows a living token never waits.
"""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

FREE = 5
LONGEST_SECONDS = 5.0
FORGIVEN_SECONDS = 60.0
REMEMBERED = 10_000


class Guesses:
    """Wrong tokens by the address they came from; of so many addresses, the ones seen last.

    Args:
        now: The time, in seconds.
    """

    def __init__(self, now: Callable[[], float] = monotonic) -> None:
        self._now = now
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()

    def wrong(self, address: str) -> float:
        """Note one more wrong token; returns for how many seconds its refusal is to be held back."""
        count, last = self._wrong.pop(address, (0, 0.0))
        now = self._now()
        count = 1 if now - last > FORGIVEN_SECONDS else count + 1
        self._wrong[address] = count, now
        if len(self._wrong) > REMEMBERED:
            self._wrong.popitem(last=False)
        return min(LONGEST_SECONDS, 0.1 * 2.0 ** min(count - FREE, 10)) if count > FREE else 0.0
