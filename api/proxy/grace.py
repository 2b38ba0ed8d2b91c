"""Bounds what a token may spend while the database, which has the budgets, is unreachable."""

from decimal import Decimal

MOST_TOKENS = 10_000


class Grace:
    """Counts the chat completions of each token, and their highest cost, since the database last answered for it.

    Args:
        requests: The most requests of one token.
        cost: The most dollars of one token, as far as prices are known.
    """

    def __init__(self, requests: int, cost: Decimal) -> None:
        self._requests = requests
        self._cost = cost
        self._spent: dict[bytes, tuple[int, Decimal]] = {}

    def take(self, token: bytes, cost: Decimal | None) -> bool:
        """Count one more request; returns false, and does not count it, if it exceeds a limit."""
        requests, spent = self._spent.get(token, (0, Decimal(0)))
        total = spent + (cost or 0)
        # A token that was dropped from the counts could begin anew, so no token is dropped: further ones are refused.
        full = token not in self._spent and len(self._spent) >= MOST_TOKENS
        if full or requests >= self._requests or total > self._cost:
            return False
        self._spent[token] = requests + 1, total
        return True

    def reset(self, token: bytes) -> None:
        """Forget a token's requests: the database answers again, and budgets hold."""
        self._spent.pop(token, None)
