"""Recalled nodes as a stream of fragments, their borders blurred as in human memory (patrol seed, "Recall Flow")."""

import random
import re
from collections.abc import Sequence

from schemas.rows import Node

# A memory that speaks of the fence must not be able to close it.
_FENCE = re.compile(r"<(?=\s*/?\s*recalled_memory)", re.IGNORECASE)


def to_fragments(nodes: Sequence[Node], chance: random.Random) -> str:
    """Shuffle the nodes' actions and feelings (Fisher–Yates) and wrap them; empty where there is nothing."""
    fragments = [text for node in nodes for text in (node.scene["action"], node.feeling) if text]
    if not fragments:
        return ""
    for last in range(len(fragments) - 1, 0, -1):
        pick = chance.randint(0, last)
        fragments[last], fragments[pick] = fragments[pick], fragments[last]
    stream = _FENCE.sub("‹", " / ".join(fragments))
    return f"<recalled_memory>\n{stream}\n</recalled_memory>"
