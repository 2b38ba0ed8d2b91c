"""Groups similar nodes into topics without a model (DESIGN section 6, "Birth of topics")."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from schemas.limits import CROWDED_NODES, MOST_TOPIC_NODES, TOPIC_NODES, TOPIC_SIMILARITY

# Assignments to the nearer of two means settle within a few rounds.
ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Candidate:
    """A node that may become part of a topic, with the vector of its subject."""

    node_id: UUID
    revision: int
    action: str
    themes: Sequence[str]
    actors: Sequence[str]
    vector: NDArray[np.float32]


def similar_groups(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Group mutually similar nodes: average linkage, cosine at least TOPIC_SIMILARITY, TOPIC_NODES nodes or more.

    Returns:
        The groups, none of them crowded (`parts`), largest first; nodes that are similar to no others are in none.
    """
    if len(candidates) < TOPIC_NODES:
        return []
    ordered, vectors = _ordered(candidates)
    groups = [group for group in average_linkage(vectors @ vectors.T, TOPIC_SIMILARITY) if len(group) >= TOPIC_NODES]
    return _largest_first([part for group in groups for part in parts([ordered[member] for member in group])])


def parts(candidates: Sequence[Candidate]) -> list[list[Candidate]]:
    """Divide a group in two, and its parts again, while a part is crowded.

    A part is crowded if it has more than MOST_TOPIC_NODES nodes, or more than CROWDED_NODES with an average similarity
    of less than TOPIC_SIMILARITY.

    Returns:
        The parts, largest first, each of TOPIC_NODES nodes or more; the group itself if it is not crowded.
    """
    ordered, vectors = _ordered(candidates)
    waiting = [list(range(len(ordered)))]
    done: list[list[Candidate]] = []
    while waiting:
        part = waiting.pop()
        if _is_crowded(vectors[part]):
            side = _nearer_half(vectors[part])
            waiting += [[part[at] for at in np.flatnonzero(side == which)] for which in (True, False)]
        else:
            done.append([ordered[member] for member in part])
    return _largest_first(done)


def _is_crowded(vectors: NDArray[np.float64]) -> bool:
    count = len(vectors)
    if not CROWDED_NODES < count <= MOST_TOPIC_NODES:
        return count > MOST_TOPIC_NODES
    total = vectors.sum(axis=0)
    return bool((total @ total - count) / (count * (count - 1)) < TOPIC_SIMILARITY)


def _nearer_half(vectors: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Divide in two by the direction in which the vectors differ most, and then by the nearer of two means (2-means).

    Returns:
        The side of each; TOPIC_NODES or more are on either.
    """
    centred = vectors - vectors.mean(axis=0)
    _, directions = np.linalg.eigh(centred @ centred.T)
    along = directions[:, -1]
    side = along > 0
    for _ in range(ROUNDS):
        if min(side.sum(), (~side).sum()) < TOPIC_NODES:
            break
        means = [vectors[which].mean(axis=0) for which in (side, ~side)]
        one, other = (mean / max(float(np.linalg.norm(mean)), np.finfo(np.float64).tiny) for mean in means)
        nearer = vectors @ one > vectors @ other
        if (nearer == side).all():
            break
        side = nearer
    if min(side.sum(), (~side).sum()) < TOPIC_NODES:
        # A few outliers are no topic: half of the group is on each side of the middle.
        side = np.zeros(len(vectors), dtype=bool)
        side[np.argsort(along, kind="stable")[: len(vectors) // 2]] = True
    return side


def _ordered(candidates: Sequence[Candidate]) -> tuple[list[Candidate], NDArray[np.float64]]:
    """The candidates by id, and their unit vectors, shape (n, dimensions)."""
    ordered = sorted(candidates, key=lambda candidate: candidate.node_id)
    vectors = np.stack([np.asarray(candidate.vector, dtype=np.float64) for candidate in ordered])
    return ordered, vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(np.float64).tiny)


def _largest_first(groups: list[list[Candidate]]) -> list[list[Candidate]]:
    return sorted(groups, key=lambda group: (-len(group), [one.node_id for one in group]))


def average_linkage(similarities: NDArray[np.float64], threshold: float) -> list[list[int]]:
    """Merge the two groups with the highest average similarity between their members, while it is at least `threshold`.

    Args:
        similarities: Symmetric, shape (n, n).
        threshold: The least average similarity of a merge.

    Returns:
        All groups, single members too, each sorted; O(n³) time and O(n²) space, for a few hundred members.
    """
    count = len(similarities)
    # Sums between groups keep the averages exact for any order of merges.
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
