"""The room of a region: which pieces fit in it."""

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from memory.context.blocks import FencedPiece
from providers.tokens import estimated_tokens

T = TypeVar("T")


class Room:
    """Estimated tokens, some of which are taken by pieces.

    Args:
        tokens: How many there are.
    """

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens

    def holds(self, pieces: Iterable[FencedPiece]) -> bool:
        """Return whether all of these pieces fit."""
        return cost(pieces) <= self.tokens

    def take(self, pieces: Iterable[FencedPiece]) -> None:
        """Give these pieces their room."""
        self.tokens -= cost(pieces)

    def filled(self, items: Sequence[T], fenced: Callable[[Sequence[T]], Sequence[FencedPiece]]) -> list[T]:
        """Give room to each item that fits, in their order.

        Args:
            fenced: Returns the pieces that show some of them.

        Returns:
            The items that have got room.
        """
        fitting: list[T] = []
        for item in items:
            pieces = fenced([item])
            if self.holds(pieces):
                self.take(pieces)
                fitting.append(item)
        return fitting


def cost(pieces: Iterable[FencedPiece]) -> int:
    """The estimated tokens of some pieces."""
    return sum(estimated_tokens(piece.text) for piece in pieces)
