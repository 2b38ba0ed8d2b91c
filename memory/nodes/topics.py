"""Groups similar nodes into topics without a model (DESIGN section 6, "Birth of topics")."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.limits import TOPIC_NODES, TOPIC_SIMILARITY


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that may become part of a topic, with its vector."""

    node_id: UUID
    revision: int
    action: str
    themes: list[str]
    vector: NDArray[np.float32]


def similar_groups(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Group mutually similar nodes: average linkage, cosine at least TOPIC_SIMILARITY, TOPIC_NODES nodes or more.

    Returns:
        The groups, largest first; nodes that are similar to no others are in none.
    """
    if len(candidates) < TOPIC_NODES:
        return []
    ordered = sorted(candidates, key=lambda candidate: candidate.node_id)
    vectors = np.stack([np.asarray(candidate.vector, dtype=np.float64) for candidate in ordered])
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny)
    groups = [group for group in average_linkage(vectors @ vectors.T, TOPIC_SIMILARITY) if len(group) >= TOPIC_NODES]
    groups.sort(key=lambda group: (-len(group), group))
    return [[ordered[member] for member in group] for group in groups]


def average_linkage(similarities: NDArray[np.float64], threshold: float) -> list[list[int]]:
    """Merge the two groups with the highest average similarity between their members, while it is at least `threshold`.

    Args:
        similarities: Symmetric, shape (n, n).
        threshold: The least average similarity of a merge.

    Returns:
        All groups, single members too, each sorted; O(n³) time and O(n²) space, for a few hundred members.
    """
    count = len(similarities)
    # Sums between groups keep the averages exact, whatever the order of merges.
    sums = similarities.astype(np.float64).copy()
    sizes = np.ones(count)
    joined_others = np.zeros(count, dtype=bool)
    groups = [[member] for member in range(count)]
    averages = sums.copy()
    np.fill_diagonal(averages, -np.inf)
    for _ in range(count - 1):
        kept, joined = sorted(divmod(int(averages.argmax()), count))
        if averages[kept, joined] < threshold:
            break
        groups[kept] += groups[joined]
        groups[joined] = []
        joined_others[joined] = True
        sums[kept] += sums[joined]
        sums[:, kept] = sums[kept]
        sizes[kept] += sizes[joined]
        between = sums[kept] / (sizes[kept] * sizes)
        between[joined_others] = between[kept] = -np.inf
        averages[kept] = averages[:, kept] = between
        averages[joined] = averages[:, joined] = -np.inf
    return [sorted(group) for group in groups if group]
