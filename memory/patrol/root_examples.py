"""Classifies nodes as Business or Private without a model, by the example sentences that are most similar to them.

Many short examples cover a root better than one description of it. Their votes count for a scene's subject, without its
participants and dates (`subject_vectors.py`): with MiniLM they classify 84 % of the sample month's scenes as a person
does, of which 71 % are Private, and 95 % of LoCoMo's development notes (71 % Private), counted with the topics that
notes get (`make quality`). The examples are not made from either. The roots of a Being's memories so far count too:
where nearly all are Private, calling all Private would else be right more often.
"""

import math
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from schemas.nodes.nodes import Root
from store.nodes.embeddings import Vector

NEAREST_EXAMPLES = 7
# The more of a Being's memories are of one root, the clearer must the votes be for the other (Bayes' rule): a share of
# the votes is multiplied by ODDS_OF_VOTES in the logarithm of the odds. More of people's talk is Private, so that a
# Being begins as if it had MEMORIES_BEFORE memories, of which the share BUSINESS_BEFORE is Business.
ODDS_OF_VOTES = 8.0
MEMORIES_BEFORE = 10
BUSINESS_BEFORE = 0.35
EXAMPLES: Mapping[Any, Sequence[str]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
TEXTS = [text for texts in EXAMPLES.values() for text in texts]
_ROOTS: list[Root] = [root for root, texts in EXAMPLES.items() for _ in texts]


def nearest_roots(nodes: Mapping[UUID, Vector], examples: Vector, known: Mapping[Root, int]) -> dict[UUID, Root]:
    """Choose each node's root by a vote of its NEAREST_EXAMPLES, weighted by cosine similarity.

    Args:
        nodes: Unit vectors of the nodes' subjects, by node id.
        examples: The unit vectors of TEXTS, shape (len(TEXTS), dimensions), of the same model.
        known: How many of the Being's memories are below each root.
    """
    if not nodes:
        return {}
    similarities = np.stack(list(nodes.values())) @ examples.T
    nearest = np.argsort(-similarities, axis=1, kind="stable")[:, :NEAREST_EXAMPLES]
    weights = np.take_along_axis(similarities, nearest, axis=1)
    is_business = np.array([root == "Business" for root in _ROOTS])[nearest]
    votes = np.where(is_business, weights, -weights).sum(axis=1)
    margins = _margin(known) * np.abs(weights).sum(axis=1)
    return {
        node_id: "Business" if vote > margin else "Private"
        for node_id, vote, margin in zip(nodes, votes, margins, strict=True)
    }


def _margin(known: Mapping[Root, int]) -> float:
    """The share of the votes by which Business must lead; below 0 where most memories are Business."""
    business = BUSINESS_BEFORE * MEMORIES_BEFORE + known.get("Business", 0)
    private = (1 - BUSINESS_BEFORE) * MEMORIES_BEFORE + known.get("Private", 0)
    return math.log(private / business) / ODDS_OF_VOTES
