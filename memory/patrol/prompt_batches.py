"""Batches nodes into prompts: a small topic whole, of a large one each marked node with its nearest neighbours."""

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from memory.nodes.prompt_rendering import shown_tokens
from memory.patrol.merge_rules import PromptBatch
from schemas.limits import PART_NODES, PART_TOKENS
from schemas.nodes.nodes import ShownNode


def fits(nodes: Iterable[ShownNode]) -> bool:
    """Whether one prompt can show these nodes: at most PART_NODES nodes and PART_TOKENS tokens."""
    nodes = list(nodes)
    return len(nodes) <= PART_NODES and sum(map(shown_tokens, nodes)) <= PART_TOKENS


def whole(cluster_id: UUID, nodes: Sequence[ShownNode]) -> PromptBatch:
    """Make the batch of a small topic."""
    return PromptBatch(cluster_id, _in_order(nodes), frozenset(node.node_id for node in nodes))


def batches(
    cluster_id: UUID, nearest: Mapping[UUID, Sequence[UUID]], nodes: Mapping[UUID, ShownNode]
) -> list[PromptBatch]:
    """Pack marked nodes of a large topic, each with its nearest nodes, into few batches.

    A batch is filled first with marked nodes that it already shows for comparison, so that similar nodes are together.
    Nodes for comparison may be in several batches.

    Args:
        nearest: The marked nodes, each with its nearest nodes, nearest first.
        nodes: All of these nodes by id.

    Returns:
        Batches that `fits` allows; each marked node is decided in exactly one.
    """
    waiting = dict(nearest)
    tokens = {node_id: shown_tokens(node) for node_id, node in nodes.items()}
    packed: list[PromptBatch] = []
    while waiting:
        shown: dict[UUID, ShownNode] = {}
        decided: set[UUID] = set()
        room = PART_TOKENS
        while node_id := next((known for known in shown if known in waiting), next(iter(waiting), None)):
            further = {node_id, *waiting[node_id]} - shown.keys()
            needed = sum(tokens[each] for each in further)
            if decided and (len(shown) + len(further) > PART_NODES or needed > room):
                break
            shown |= {each: nodes[each] for each in (node_id, *waiting[node_id])}
            room -= needed
            decided.add(node_id)
            del waiting[node_id]
        packed.append(PromptBatch(cluster_id, _in_order(shown.values()), frozenset(decided)))
    return packed


def _in_order(nodes: Iterable[ShownNode]) -> list[ShownNode]:
    return sorted(nodes, key=lambda node: (node.created_at, node.node_id))
