"""Topics by likeness alone: what a crowded root gives birth to when nobody can be asked (DESIGN, "Birth of topics")."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.limits import TOPIC_NAME_CHARACTERS, TOPIC_NODES, TOPIC_SIMILARITY


@dataclass(frozen=True, slots=True)
class Leaf:
    """A node as clustering sees it."""

    node_id: UUID
    action: str
    vector: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Topic:
    """Nodes that belong together, and what to call them."""

    name: str
    node_ids: list[UUID]


def born_topics(leaves: Sequence[Leaf]) -> list[Topic]:
    """Group mutually similar nodes: average linkage, cosine at least 0.45, three nodes or more.

    Returns:
        The topics, largest first; nodes that are like nobody are in none. Each is named after its most central action.
    """
    if len(leaves) < TOPIC_NODES:
        return []
    ordered = sorted(leaves, key=lambda leaf: leaf.node_id)
    vectors = np.stack([np.asarray(leaf.vector, dtype=np.float64) for leaf in ordered])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    groups = [group for group in average_linkage(vectors @ vectors.T, TOPIC_SIMILARITY) if len(group) >= TOPIC_NODES]
    groups.sort(key=lambda group: (-len(group), group))
    return [
        Topic(topic_name(ordered[_central(vectors, group)].action), [ordered[member].node_id for member in group])
        for group in groups
    ]


def average_linkage(similarities: NDArray[np.float64], threshold: float) -> list[list[int]]:
    """Join the two groups with the highest average similarity between their members, while it is at least `threshold`.

    Args:
        similarities: Symmetric, shape (n, n).
        threshold: The least average similarity that joins.

    Returns:
        All groups, single members too, each sorted; O(n³) time and O(n²) space, for a few hundred members.
    """
    count = len(similarities)
    # Sums between groups make the averages exact, whatever the order of joining.
    sums = similarities.astype(np.float64).copy()
    sizes = np.ones(count)
    groups: list[list[int] | None] = [[member] for member in range(count)]
    averages = sums.copy()
    np.fill_diagonal(averages, -np.inf)
    while count > 1:
        kept, joined = sorted(int(index) for index in np.unravel_index(int(averages.argmax()), averages.shape))
        if averages[kept, joined] < threshold:
            break
        groups[kept] = sorted((groups[kept] or []) + (groups[joined] or []))
        groups[joined] = None
        sums[kept] += sums[joined]
        sums[:, kept] = sums[kept]
        sizes[kept] += sizes[joined]
        averages[kept] = sums[kept] / (sizes[kept] * sizes)
        averages[[index for index, group in enumerate(groups) if group is None], :] = -np.inf
        averages[kept, [index for index, group in enumerate(groups) if group is None]] = -np.inf
        averages[kept, kept] = -np.inf
        averages[:, kept] = averages[kept]
        averages[:, joined] = -np.inf
    return [group for group in groups if group is not None]


def _central(vectors: NDArray[np.float64], group: list[int]) -> int:
    """The member nearest to the group's average."""
    centre = vectors[group].mean(axis=0)
    return group[int((vectors[group] @ centre).argmax())]


def topic_name(action: str) -> str:
    """What a topic is called that is named after an action: the action, cut at a word where it is long."""
    if len(action) <= TOPIC_NAME_CHARACTERS:
        return action
    cut = action[:TOPIC_NAME_CHARACTERS]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ,;:.") + "…"
