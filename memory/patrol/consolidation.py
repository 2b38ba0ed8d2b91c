"""❹ Consolidation: merges nodes, and lets dying nodes without a merge partner die (patrol seed, ❹).

The cost follows the marked nodes (fresh or dying), never the size of the memory. A node that was changed between the
prompt and the transaction that applies the answer is left alone, and its batch stays marked for a later run.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from typing import Any
from uuid import UUID

from memory.llm.portions import ask_at_once
from memory.llm.prompting import about, prompt
from memory.llm.session import LlmSession, RequestsStopped, ValidAnswer
from memory.nodes.creation import vectors_of, words_of
from memory.nodes.prompt_rendering import shown
from memory.nodes.scenes import embedding_text, text_hash
from memory.patrol.merge_rules import PromptBatch, check, survivor_of
from memory.patrol.prompt_batches import batches, fits, whole
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.errors import BudgetSpent
from schemas.intake.inputs import SceneInput
from schemas.ledger.work import Claim
from schemas.limits import LEFT_OVER_NODES, MOST_UNDECIDED, PART_NODES
from schemas.nodes.nodes import ShownNode
from schemas.patrol.model_answers import Consolidation, Merge
from schemas.settings import Settings
from store.accounts import beings
from store.context import souls
from store.database import Store
from store.intake import notes
from store.nodes import embeddings, lineage
from store.nodes.embeddings import Vector
from store.patrol import consolidation, runs
from store.transaction import Transaction

CONSOLIDATE = prompt("consolidate", Consolidation, size="large", most_tokens=8_000)
NOTHING = Consolidation(merges=[], make_dead=[])
MORE_TO_COME = "Many more notes wait: this follows when they are remembered."


def is_left_to_later_runs(tx: Transaction, settings: Settings, claim: Claim) -> bool:
    """Whether a run leaves its nodes for later ones to decide, so that the rest of an import can be recalled sooner.

    It does while at least half as many notes are pending as a run takes, unless a caller demanded the run or
    MOST_UNDECIDED nodes wait already. Notes that came after the step's first claim do not count, so that a repetition
    after a kill uses the answers that are stored.
    """
    enough = max(1, settings.run_notes // 2)
    return (
        notes.pending(tx, claim.owner_id, enough, until=claim.as_of) == enough
        and not runs.get(tx, claim.owner_id, UUID(claim.key)).demanded
        and consolidation.undecided(tx, claim.owner_id, MOST_UNDECIDED) < MOST_UNDECIDED
    )


@dataclass(frozen=True)
class Decision:
    """A batch, the decision about it, and the model response; None where no model was needed."""

    batch: PromptBatch
    answer: Consolidation
    response_id: UUID | None

    @cached_property
    def survivors(self) -> list[SceneInput]:
        """The survivor's scene of each merge."""
        return [survivor_of(self.batch.by_reference, merge) for merge in self.answer.merges]


def material(batch: PromptBatch) -> str:
    """Render a batch for the prompt."""
    return shown(batch.by_reference, states=True)


def decide_merges(
    store: Store, embedders: Embedders, llm: LlmSession, being_id: UUID, marked: Sequence[PromptBatch]
) -> "MergeDecisions":
    """Ask the model about the marked batches that the session pays for, and embed the survivors' new texts.

    Raises:
        ProviderError: A model is unavailable; answers and vectors so far are stored.
        BudgetSpent: No question fits the day's budget.
        RequestsStopped: There is no stored answer to any of the questions.
    """
    with store.transaction() as tx:
        being = beings.get_being(tx, being_id)
        who = about(being, souls.get(tx, being_id))
    payable = [batch for batch in marked if all(llm.pays_for(node.request_key_id) for node in batch.waiting)]
    changeable = [batch for batch in payable if _can_change(batch)]
    answers = ask_at_once(
        llm,
        changeable,
        lambda batch: (CONSOLIDATE.question(who, material(batch)), partial(check, batch)),
        PromptBatch.halves,
    )
    decided = [
        Decision(batch, answer.answer, answer.response_id)
        for batch, answer in answers
        if isinstance(answer, ValidAnswer)
    ]
    left = len(marked) - len(payable) + len(answers) - len(decided)
    ended = next((answer for _, answer in answers if isinstance(answer, BudgetSpent | RequestsStopped)), None)
    if ended and not decided:
        raise ended
    decided += [Decision(batch, NOTHING, None) for batch in payable if not _can_change(batch)]
    model, vectors = _embedded(store, embedders, being, decided)
    return MergeDecisions(model, decided, vectors, left, reason=str(ended) if ended else None)


@dataclass(frozen=True)
class MarkedNodes:
    """The nodes that one run of consolidation decides, and all that may die in it."""

    nodes: Sequence[ShownNode]
    may_die: Collection[UUID]


def marked_nodes(tx: Transaction, settings: Settings, being_id: UUID) -> MarkedNodes:
    """Select the nodes that consolidation has yet to decide.

    As many as one run has notes, and LEFT_OVER_NODES that earlier runs left undecided or that may die.
    """
    most = _most(settings)
    gentle = settings.letting_go == "gentle"
    limit = None if gentle else most
    may_die = set(consolidation.may_die(tx, being_id, patrols=1 if gentle else 0, limit=limit))
    return MarkedNodes(consolidation.marked(tx, being_id, may_die, most), may_die)


def marked_batches(tx: Transaction, being_id: UUID, marked: MarkedNodes) -> list[PromptBatch]:
    """Put marked nodes in batches for prompts, in large topics each with the nodes nearest to them."""
    by_group = {
        group: [node.node_id for node in nodes]
        for group, nodes in groupby(sorted(marked.nodes, key=_group), key=_group)
    }
    sizes = consolidation.sizes(tx, being_id, {topic for topic, _ in by_group})
    small = consolidation.living(tx, being_id, [topic for topic in sizes if sizes[topic] <= PART_NODES])
    small = [_flagged(node, marked.may_die) for node in small]
    in_whole = {
        group: whole(group[0], nodes)
        for group, members in groupby(sorted(small, key=_group), key=_group)
        if group in by_group and fits(nodes := list(members))
    }
    large = sorted(by_group.keys() - in_whole.keys())
    nearest = consolidation.nearest(tx, being_id, [node_id for group in large for node_id in by_group[group]])
    near = {node.node_id: _flagged(node, marked.may_die) for node in consolidation.by_ids(tx, being_id, _all(nearest))}
    made = [*in_whole.values()]
    for group in large:
        own = {node_id: nearest[node_id] for node_id in by_group[group]}
        made += batches(group[0], own, {node_id: near[node_id] for node_id in _all(own)})
    return made


def not_taken_up(tx: Transaction, settings: Settings, being_id: UUID, marked: Sequence[PromptBatch]) -> int:
    """Count the fresh nodes, up to MOST_UNDECIDED, that no batch decides, since a run decides a limited number."""
    decided_on = [node for batch in marked for node in batch.nodes if node.node_id in batch.to_decide]
    if len(decided_on) < _most(settings):
        return 0
    return max(0, consolidation.undecided(tx, being_id, MOST_UNDECIDED) - sum(node.fresh for node in decided_on))


def _most(settings: Settings) -> int:
    return settings.run_notes + LEFT_OVER_NODES


@dataclass(frozen=True)
class MergeDecisions:
    """Decisions with all that is needed to apply them.

    Attributes:
        model: The embedding model of `vectors`.
        decided: The decided batches.
        vectors: The vectors of the survivors' new texts by text hash; a text that the embedder refused has none.
        left: The number of undecided batches, which stay marked.
        reason: Why, if a budget or a stopped session is the cause.
    """

    model: str
    decided: Sequence[Decision]
    vectors: dict[bytes, Vector]
    left: int
    reason: str | None

    def apply(self, tx: Transaction, being_id: UUID, further: int) -> dict[str, Any]:
        """Apply the decisions to unchanged nodes, in the transaction that finishes the step.

        Args:
            further: How many more nodes another run could decide.

        Returns:
            The report. Its `further` asks for that run; a run that settled nothing, or ended early, asks for none.
        """
        counts = {"merges": 0, "absorbed": 0, "let_go": 0, "left": self.left}
        settled: list[PromptBatch] = []
        for decided in self.decided:
            batch, answer = decided.batch, decided.answer
            known = batch.by_reference
            if answer != NOTHING and decided.response_id is not None:
                lineage.cite(tx, being_id, decided.response_id, batch.nodes)
            done = [
                merge
                for merge, scene in zip(answer.merges, decided.survivors, strict=True)
                if self._merged(tx, being_id, batch, merge, scene)
            ]
            dead = consolidation.let_go(tx, being_id, [known[reference] for reference in answer.make_dead])
            counts["merges"] += len(done)
            counts["absorbed"] += sum(len(merge.absorbed) for merge in done)
            counts["let_go"] += dead
            if len(done) == len(answer.merges) and dead == len(answer.make_dead):
                settled.append(batch)
        lineage.cite_none(tx)
        # Last, since settling raises a node's revision, and another batch may show the same node for comparison.
        consolidation.settle(
            tx, being_id, [node for batch in settled for node in batch.nodes if node.node_id in batch.to_decide]
        )
        counts["left"] += len(self.decided) - len(settled)
        counts["dying"] = consolidation.dying(tx, being_id)
        embeddings.remove(tx, being_id, self.model, list(self.vectors))
        if self.reason:
            return {**counts, "reason": self.reason}
        return counts | ({"further": further} if further and settled else {})

    def _merged(self, tx: Transaction, being_id: UUID, batch: PromptBatch, merge: Merge, scene: SceneInput) -> bool:
        known = batch.by_reference
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
    store: Store, embedders: Embedders, being: Being, decided: Sequence[Decision]
) -> tuple[str, dict[bytes, Vector]]:
    """Embed the survivors' new texts; returns the model and the vectors by text hash."""
    scenes = [scene for each in decided for scene in each.survivors]
    if not scenes:
        return "", {}
    embedder = embedders.serving(being.embedding_model)
    texts = [embedding_text(scene.scene(), scene.feeling) for scene in scenes]
    vectors, _ = vectors_of(store, embedder, being.being_id, texts)
    return embedder.model, vectors


def _flagged(node: ShownNode, may_die: Collection[UUID]) -> ShownNode:
    return node.model_copy(update={"may_die": True}) if node.node_id in may_die else node


def _can_change(batch: PromptBatch) -> bool:
    """Whether a model has anything to decide: two nodes that may merge, or one that may die."""
    return len(batch.nodes) > 1 or any(node.may_die for node in batch.nodes)


def _all(nearest: dict[UUID, list[UUID]]) -> set[UUID]:
    return nearest.keys() | {each for near in nearest.values() for each in near}


def _group(node: ShownNode) -> tuple[UUID, bool]:
    """The nodes that one prompt may show: of one topic, and all muted or none."""
    return node.cluster_id, node.muted
