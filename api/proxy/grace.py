"""Bounds what a token may spend without the accounts, which have the budgets, while the database is down or slow."""

from collections.abc import Hashable, Iterable
from decimal import Decimal

from memory.proxy.admission import Unaccounted

MOST_TOKENS = 10_000


class Grace:
    """The chat completions of each token that passed without the accounts, and their highest cost.

    A token's grace is given once. What a request took of it is free again when the accounts have the request's cost,
    and have then admitted another: that admission has counted it against the budget. So an outage that comes and goes
    lets a token spend no more than one that lasts.

    Args:
        requests: The most requests of one token.
        cost: The most dollars of one token, as far as prices are known.
    """

    def __init__(self, requests: int, cost: Decimal) -> None:
        self._requests = requests
        self._cost = cost
        self._taken: dict[bytes, dict[Unaccounted, Hashable]] = {}

    def take(self, token: bytes, slot: Hashable, cost: Decimal | None) -> Unaccounted | None:
        """Take a request's part of its token's grace; returns None, and takes nothing, if it exceeds a limit.

        Args:
            slot: What the accounts admit alike.
            cost: The request's highest cost in dollars; None: its price is unknown.
        """
        taken = self._taken.get(token, {})
        # A token that was dropped from the counts could begin anew, so no token is dropped: further ones are refused.
        full = not taken and len(self._taken) >= MOST_TOKENS
        spent = sum((one.cost for one in taken), cost or Decimal(0))
        if full or len(taken) >= self._requests or spent > self._cost:
            return None
        one = Unaccounted(cost or Decimal(0))
        self._taken.setdefault(token, {})[one] = slot
        return one

    def recorded(self, token: bytes, slot: Hashable) -> list[Unaccounted]:
        """Return what requests took whose costs the accounts have by now: an admission that begins now counts them."""
        taken = self._taken.get(token, {})
        return [one for one, of in taken.items() if of == slot and one.recorded]

    def give_back(self, token: bytes, taken: Iterable[Unaccounted]) -> None:
        """Free what requests took: an admission has counted their costs."""
        left = self._taken.get(token, {})
        for one in taken:
            left.pop(one, None)
        if not left:
            self._taken.pop(token, None)
