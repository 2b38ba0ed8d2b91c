"""❹ Consolidation: memories that tell the same become one, and what is dying for good is let go (patrol seed, ❹).

What is shown, asked and applied follows what is marked, never what is remembered. Between showing and applying the
world goes on: whatever was touched meanwhile stays as it is, and its part stays marked for a later run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from typing import Any
from uuid import UUID

from memory.merging import Part, check, may_die, survivor_of
from memory.parts import fits, parts, whole
from memory.prompting import about, prompt
from memory.remembering import vectors_of, words_of
from memory.scene import embedding_text, text_hash
from memory.showing import shown
from memory.thinking import Answered, Mind, NotAsked
from providers.embedders import Embedders
from schemas.limits import MARKED_NODES, PART_NODES
from schemas.patrol_answers import Consolidation, Merge
from schemas.rows import Being, ShownNode
from store import consolidation, embeddings, lineage, souls, users
from store.database import Store
from store.embeddings import Vector
from store.errors import BudgetSpent
from store.transaction import Transaction

CONSOLIDATE = prompt("consolidate", Consolidation, size="large", most_tokens=8_000)
NOTHING = Consolidation(merges=[], make_dead=[])


@dataclass(frozen=True)
class Decided:
    """A part that was looked at, what was decided, and the response that says so; none where nothing was to decide."""

    part: Part
    answer: Consolidation
    response_id: UUID | None


def material(part: Part) -> str:
    """A part as a model is shown it."""
    return shown(part.by_reference, states=True)


def consolidated(store: Store, embedders: Embedders, mind: Mind, being_id: UUID) -> "Consolidated":
    """Look at what is marked, and find the words and vectors of what is to become one.

    Raises:
        ProviderError: A model is out of reach; what was said and embedded before is kept.
        BudgetSpent: Nothing could be asked today.
        NotAsked: Nobody is asked any longer, and nothing was answered before.
    """
    with store.transaction() as tx:
        being = users.get_being(tx, being_id)
        who = about(being, souls.get(tx, being_id))
        looked_at = marked_parts(tx, being_id)
    asked = [part for part in looked_at if _can_change(part)]
    answers = mind.ask_each([(CONSOLIDATE.question(who, material(part)), partial(check, part)) for part in asked])
    decided = [
        Decided(part, answer.answer, answer.response_id)
        for part, answer in zip(asked, answers, strict=True)
        if isinstance(answer, Answered)
    ]
    ended = next((answer for answer in answers if isinstance(answer, BudgetSpent | NotAsked)), None)
    if ended and not decided:
        raise ended
    decided += [Decided(part, NOTHING, None) for part in looked_at if not _can_change(part)]
    model, vectors = _embedded(store, embedders, being, decided)
    left = len(looked_at) - len(decided)
    return Consolidated(model, decided, vectors, left, reason=str(ended) if ended else None)


def marked_parts(tx: Transaction, being_id: UUID) -> list[Part]:
    """What consolidation has yet to look at, so much of it as one run takes, in parts that can be shown."""
    marked = consolidation.marked(tx, being_id, MARKED_NODES)
    by_topic = {
        cluster_id: [node.node_id for node in nodes]
        for cluster_id, nodes in groupby(sorted(marked, key=_topic), key=_topic)
    }
    sizes = consolidation.sizes(tx, being_id, by_topic)
    small = consolidation.living(tx, being_id, [topic for topic in by_topic if sizes[topic] <= PART_NODES])
    made = [
        whole(topic, nodes)
        for topic, members in groupby(sorted(small, key=_topic), key=_topic)
        if fits(nodes := list(members))
    ]
    large = by_topic.keys() - {part.cluster_id for part in made}
    nearest = consolidation.nearest(tx, being_id, [node_id for topic in sorted(large) for node_id in by_topic[topic]])
    near = {node.node_id: node for node in consolidation.named(tx, being_id, _all(nearest))}
    for topic in sorted(large):
        made += parts(topic, {node_id: nearest[node_id] for node_id in by_topic[topic]}, near)
    return made


@dataclass(frozen=True)
class Consolidated:
    """What was decided, with all that it takes to apply it.

    Attributes:
        model: Whose vectors `vectors` are.
        decided: The parts that were looked at.
        vectors: By the hashes of their texts, what survivors will say; where the embedder refused a text, none.
        left: How many parts nobody could decide about; they stay marked.
        reason: Why, if it was for want of means.
    """

    model: str
    decided: Sequence[Decided]
    vectors: dict[bytes, Vector]
    left: int
    reason: str | None

    def apply(self, tx: Transaction, being_id: UUID) -> dict[str, Any]:
        """Apply it to what was not touched meanwhile, in the transaction that finishes the step; returns the report."""
        counts = {"merges": 0, "absorbed": 0, "let_go": 0, "left": self.left}
        settled: list[Part] = []
        for decided in self.decided:
            part, answer = decided.part, decided.answer
            known = part.by_reference
            if answer != NOTHING:
                lineage.cite(tx, being_id, decided.response_id)
            done = [merge for merge in answer.merges if self._merged(tx, being_id, part, merge)]
            dead = consolidation.let_go(tx, being_id, [known[reference] for reference in answer.make_dead])
            counts["merges"] += len(done)
            counts["absorbed"] += sum(len(merge.absorbed) for merge in done)
            counts["let_go"] += dead
            if len(done) == len(answer.merges) and dead == len(answer.make_dead):
                settled.append(part)
        lineage.cite(tx, being_id, None)
        # Only now: to lose its mark changes a memory, and another part may have been shown it for comparison.
        for part in settled:
            consolidation.settle(tx, being_id, [node for node in part.nodes if node.node_id in part.asked])
        counts["left"] += len(self.decided) - len(settled)
        embeddings.drop(tx, being_id, self.model, list(self.vectors))
        return counts | ({"reason": self.reason} if self.reason else {})

    def _merged(self, tx: Transaction, being_id: UUID, part: Part, merge: Merge) -> bool:
        known = part.by_reference
        scene = survivor_of(known, merge)
        hashed = text_hash(embedding_text(scene.scene(), scene.feeling))
        return hashed in self.vectors and consolidation.merge(
            tx,
            being_id,
            known[merge.survivor],
            [known[reference] for reference in merge.absorbed],
            self.model,
            words_of(scene, hashed, self.vectors[hashed]),
        )


def _embedded(
    store: Store, embedders: Embedders, being: Being, decided: Sequence[Decided]
) -> tuple[str, dict[bytes, Vector]]:
    """The model and the vectors, by text hash, of what survivors will say."""
    scenes = [survivor_of(each.part.by_reference, merge) for each in decided for merge in each.answer.merges]
    if not scenes:
        return "", {}
    embedder = embedders.serving(being.embedding_model)
    texts = [embedding_text(scene.scene(), scene.feeling) for scene in scenes]
    vectors, _ = vectors_of(store, embedder, being.being_id, texts)
    return embedder.model, vectors


def _can_change(part: Part) -> bool:
    """Whether there is anything to decide: two that may become one, or one that may be let go."""
    return len(part.nodes) > 1 or any(map(may_die, part.nodes))


def _all(nearest: dict[UUID, list[UUID]]) -> set[UUID]:
    return nearest.keys() | {each for near in nearest.values() for each in near}


def _topic(node: ShownNode) -> UUID:
    return node.cluster_id
