"""Values that were valid within the last minutes, for use while the database is unreachable."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import monotonic
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST = 10_000


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
        while len(self._values) > MOST or (self._values and self._is_over(next(iter(self._values)))):
            self._values.popitem(last=False)

    def find(self, key: K) -> V | None:
        """Return a value that was stored within the time; else None."""
        if key not in self._values or self._is_over(key):
            return None
        return self._values[key][0]

    def remove(self, key: K) -> None:
        """Remove a value, which is not valid any more."""
        self._values.pop(key, None)

    def _is_over(self, key: K) -> bool:
        return self._now() - self._values[key][1] > self._seconds
