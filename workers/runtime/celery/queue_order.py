"""The order in which a worker takes messages from its queues.

In Kombu's own order, one message of each queue in turn, 105 messages are judged a second instead of 138 (three pairs of
`make bench`, `throughput`, with 1,600 of them on a busy machine, 2026-11-27).
"""

from collections import Counter

from kombu.utils.scheduling import round_robin_cycle

from schemas.ledger.kinds import SHARES


class WeightedCycle(round_robin_cycle):  # type: ignore[misc]  # Kombu is published without types
    """Round robin over the queues; one with a share of four stays first for four messages, and no queue starves.

    Kombu calls it for the order before each message, and reports the queue that the message came from.
    """

    def __init__(self, queues: list[str] | None = None) -> None:
        super().__init__(queues)
        self._taken: Counter[str] = Counter()

    def rotate(self, last_used: str) -> str:
        """Put the queue that a message came from last, if it has had its share of this round."""
        self._taken[last_used] += 1
        if self._taken[last_used] >= SHARES.get(last_used, 1):
            del self._taken[last_used]
            super().rotate(last_used)
        return last_used
