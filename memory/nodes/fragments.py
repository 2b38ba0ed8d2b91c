"""Renders recalled nodes as a shuffled stream of fragments without node boundaries (patrol seed, "Recall Flow")."""

import random
from collections.abc import Sequence

from memory.nodes.scenes import with_realm
from memory.text.prompt_escaping import tagged
from schemas.nodes.nodes import Node


def to_fragments(nodes: Sequence[Node], chance: random.Random) -> str:
    """Shuffle the nodes' actions and feelings and put them between tags; empty if there are none."""
    fragments = pieces(nodes)
    if not fragments:
        return ""
    chance.shuffle(fragments)
    return tagged("recalled_memory", " / ".join(fragments))


def pieces(nodes: Sequence[Node]) -> list[str]:
    """List the nodes' actions and feelings, in order."""
    return [with_realm(node.scene, text) for node in nodes for text in (node.scene["action"], node.feeling) if text]
