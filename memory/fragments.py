"""Recalled nodes as a stream of fragments, their borders blurred as in human memory (patrol seed, "Recall Flow")."""

import random
from collections.abc import Sequence

from memory.fences import fenced
from schemas.rows import Node


def to_fragments(nodes: Sequence[Node], chance: random.Random) -> str:
    """Shuffle the nodes' actions and feelings (Fisher–Yates) and fence them; empty where there is nothing."""
    fragments = pieces(nodes)
    if not fragments:
        return ""
    for last in range(len(fragments) - 1, 0, -1):
        pick = chance.randint(0, last)
        fragments[last], fragments[pick] = fragments[pick], fragments[last]
    return fenced("recalled_memory", " / ".join(fragments))


def pieces(nodes: Sequence[Node]) -> list[str]:
    """The nodes' actions and feelings, in order."""
    return [text for node in nodes for text in (node.scene["action"], node.feeling) if text]
