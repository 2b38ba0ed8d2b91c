"""Which memories are shown to a model together: small topics whole, of large ones the marked with what is like them."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from memory.merging import Part
from memory.showing import shown_tokens
from schemas.limits import PART_NODES, PART_TOKENS
from schemas.rows import ShownNode


def fits(nodes: Iterable[ShownNode]) -> bool:
    """Whether these memories can be shown in one part."""
    nodes = list(nodes)
    return len(nodes) <= PART_NODES and sum(map(shown_tokens, nodes)) <= PART_TOKENS


def whole(cluster_id: UUID, nodes: Sequence[ShownNode]) -> Part:
    """All of a small topic."""
    return Part(cluster_id, _in_order(nodes), frozenset(node.node_id for node in nodes))


def parts(cluster_id: UUID, nearest: Mapping[UUID, Sequence[UUID]], nodes: Mapping[UUID, ShownNode]) -> list[Part]:
    """Put marked memories, each with those nearest to it, into as few parts as hold them.

    A part goes on with what it shows already, so that what is alike stays together, before it begins elsewhere. What is
    there for comparison may be in several parts.

    Args:
        cluster_id: The topic.
        nearest: The marked memories, each with those nearest to it, nearest first.
        nodes: All of them by id.

    Returns:
        Parts that `fits` allows; in them each marked memory is asked about once.
    """
    waiting = dict(nearest)
    made: list[Part] = []
    while waiting:
        shown: dict[UUID, ShownNode] = {}
        asked: set[UUID] = set()
        while node_id := next((known for known in shown if known in waiting), next(iter(waiting), None)):
            grown = shown | {each: nodes[each] for each in (node_id, *waiting[node_id])}
            if asked and not fits(grown.values()):
                break
            shown = grown
            asked.add(node_id)
            del waiting[node_id]
        made.append(Part(cluster_id, _in_order(shown.values()), frozenset(asked)))
    return made


def _in_order(nodes: Iterable[ShownNode]) -> list[ShownNode]:
    return sorted(nodes, key=lambda node: (node.created_at, node.node_id))
