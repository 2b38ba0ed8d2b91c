"""The patrol: nine steps over one Being's memory (patrol seed, "Patrol Pipeline"; DESIGN section 6).

Each step reads with a connection, calls models without one, and writes in the transaction that finishes it, together
with the ledger's row for the next step. A step's claim names the Being as its owner and the run as its key.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.llm.model_work import Asking, OpenSession
from memory.llm.session import LlmSession
from memory.nodes import topic_names
from memory.nodes.creation import embed_scenes, read_scenes
from memory.nodes.subject_vectors import embed_once, subject_vectors
from memory.patrol import demand
from memory.patrol.classification import classify
from memory.patrol.consolidation import (
    MORE_TO_COME,
    MarkedNodes,
    decide_merges,
    is_left_to_later_runs,
    marked_batches,
    marked_nodes,
    not_taken_up,
)
from memory.patrol.diary import DiaryDay, day_to_write, draft_diary
from memory.patrol.repair import repair_scenes
from memory.patrol.root_examples import TEXTS, nearest_roots
from memory.patrol.splitting import decide_splits, group_by_similarity
from memory.patrol.thinking import Effects, ThinkingStep, finish, try_with_llm
from providers.embedders import Embedders
from providers.errors import ProviderError
from providers.thinkers import Thinkers
from schemas.intake.inputs import SceneInput
from schemas.intake.notes import Note
from schemas.ledger.work import Claim
from schemas.nodes.nodes import UNEMBEDDED, Root
from schemas.patrol.runs import Run
from schemas.settings import Settings
from store.accounts import beings
from store.database import Store
from store.intake import notes
from store.llm import keys
from store.patrol import runs, steps
from store.transaction import Transaction

# The most unparsable notes of earlier runs that one run sends for repair.
RETAINED_AT_ONCE = 100


def embed(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❶ Make fresh nodes with vectors out of the notes stamped for this run."""
    being_id, run_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        being = beings.get_being(tx, being_id)
        stamped = notes.stamped(tx, being_id, run_id)
        retained = notes.unrepaired(tx, being_id, RETAINED_AT_ONCE)

    def repair(unparsable: Sequence[tuple[Note, str]]) -> dict[UUID, SceneInput] | None:
        brought = [note.request_key_id for note, _ in unparsable]
        return try_with_llm(store, thinkers, settings, claim, lambda llm: repair_scenes(llm, unparsable), None, brought)

    scenes = read_scenes(stamped, retained, repair)
    if not stamped and not scenes.parsed and being.embedding_model != UNEMBEDDED:
        # A run without new texts needs no embedder, so it does not wait for a missing key of one.
        _finish(store, claim, lambda tx: scenes.mark(tx, being_id))
        return
    remembered = embed_scenes(store, embedders.serving(being.embedding_model), being_id, scenes)
    _finish(store, claim, lambda tx: remembered.keep(tx, being_id, run_id, settings.tick))


def assign(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❶ Assign each new node to the topic it matches, else to a root, chosen by a model or by the nearest examples."""
    with store.transaction() as tx:
        being = beings.get_being(tx, claim.owner_id)
        unassigned = steps.unassigned(tx, claim.owner_id, being.embedding_model)
    if not unassigned:
        _finish(store, claim, lambda _: {"matched": 0, "rooted": 0, "told": 0})
        return
    model = being.embedding_model
    embed = embed_once(store, embedders.serving(model), claim.owner_id)
    subjects = subject_vectors(embed, unassigned, [node.vector for node in unassigned])
    vectors = {node.node_id: subject for node, subject in zip(unassigned, subjects, strict=True)}
    with store.transaction() as tx:
        unmatched = steps.unmatched(tx, claim.owner_id, model, vectors)
        known = steps.active_by_root(tx, claim.owner_id)
    classified: dict[UUID, Root] = {}
    if unmatched:
        actions = [(node.node_id, node.action) for node in unassigned if node.node_id in unmatched]
        brought = list(unmatched.values())
        classified = try_with_llm(
            store, thinkers, settings, claim, lambda llm: classify(llm, actions), classified, brought
        )
    # A topic that a node matches now may be gone when the node is assigned: every node gets a root to fall back to.
    others = {node_id: vector for node_id, vector in vectors.items() if node_id not in classified}
    roots = (nearest_roots(others, embedders.constants(model, TEXTS), known) if others else {}) | classified
    _finish(
        store,
        claim,
        lambda tx: steps.assign(tx, claim.owner_id, model, vectors, roots) | {"told": len(classified)},
    )


def session_counts(store: Store, settings: Settings, claim: Claim) -> None:
    """❷ Raise the patrol counter, if the run was demanded or a tick is due."""

    def effects(tx: Transaction) -> dict[str, Any]:
        demanded = runs.get(tx, claim.owner_id, UUID(claim.key)).demanded
        counts = demanded or runs.tick_due(tx, claim.owner_id, settings.tick)
        if counts:
            steps.raise_counter(tx, claim.owner_id)
        return {} if counts else {"outcome": "not due"}

    _finish(store, claim, effects)


def dying(store: Store, claim: Claim) -> None:
    """❸ Flag nodes that have faded to an effective importance of 0.05."""
    _finish(store, claim, lambda tx: {"dying": steps.flag_dying(tx, claim.owner_id)})


def consolidate(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❹ Merge nodes, and let dying nodes die; skipped without a model, and while much of an import is to come."""
    _Consolidation(store, settings, claim, embedders).perform(thinkers)


@dataclass
class _Consolidation(ThinkingStep):
    embedders: Embedders

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[Effects]:
        being_id = self.claim.owner_id
        if is_left_to_later_runs(tx, self.settings, self.claim):
            self.settled = _left_to_later_runs
            return None
        # Without a model nothing is decided. Each run would read a thousand nodes for that, and the search for the
        # nearest ones in a topic of thousands takes seconds.
        asks = keys.are_lent(tx, being_id) or isinstance(open_session(min_inputs=1), LlmSession)
        marked = marked_nodes(tx, self.settings, being_id) if asks else MarkedNodes([], [])
        brought = [node.request_key_id for node in marked.nodes]
        decides = bool(marked.nodes) and isinstance(open_session(brought, min_inputs=1), LlmSession)
        self.batches = marked_batches(tx, being_id, marked) if decides else []
        brought = [node.request_key_id for batch in self.batches for node in batch.waiting] or brought
        self.further = not_taken_up(tx, self.settings, being_id, self.batches)
        return self.open(tx, open_session, brought, min_inputs=1)

    def think(self, llm: LlmSession) -> Effects:
        decided = decide_merges(self.store, self.embedders, llm, self.claim.owner_id, self.batches)
        return lambda tx: decided.apply(tx, self.claim.owner_id, self.further)


def revive(store: Store, claim: Claim) -> None:
    """❺ Revive nodes that were recalled after they died."""
    _finish(store, claim, lambda tx: {"revived": steps.revive_dead(tx, claim.owner_id)})


def split(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❻ Split crowded topics, make topics out of crowded roots, and name topics: without a key by similarity and words.

    The nodes of a crowded topic came with many requests, so no request's key pays for it. Like consolidation, which
    thins topics out, it is left to later runs while much of an import is to come.
    """
    _Split(store, settings, claim, embedders).perform(thinkers)


@dataclass
class _Split(ThinkingStep):
    embedders: Embedders

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[Effects]:
        did = runs.get(tx, self.claim.owner_id, UUID(self.claim.key)).steps["consolidate"]
        if did.get("reason") == MORE_TO_COME:
            self.settled = _left_to_later_runs
            return None
        return self.open(tx, open_session)

    def think(self, llm: LlmSession) -> Effects:
        being_id = self.claim.owner_id
        decided = decide_splits(self.store, llm, being_id, births=self.settings.topic_birth)
        named = topic_names.choose_names(self.store, llm, being_id)
        return lambda tx: decided.apply(tx, being_id) | named.apply(tx, being_id)

    def go_without(self) -> Effects | None:
        being_id = self.claim.owner_id
        try:
            grouped = group_by_similarity(self.store, self.embedders, being_id, births=self.settings.topic_birth)
        except ProviderError as fault:
            # A patrol without new texts needs no embedder: crowded clusters stay so until one is available.
            reason = str(fault)
            return lambda _: {"outcome": "skipped", "reason": reason}
        return lambda tx: grouped.apply(tx, being_id)


def merge(store: Store, claim: Claim) -> None:
    """❼ Merge small clusters into their siblings or their root; then name topics by the words that they have now."""

    def effects(tx: Transaction) -> dict[str, Any]:
        merged = steps.merge_small(tx, claim.owner_id)
        topic_names.rename_outdated(tx, claim.owner_id)
        return {"merged": merged}

    _finish(store, claim, effects)


def diary(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """Write the diary, if the run had new nodes; then end the run, and begin the queued one."""
    _Diary(store, settings, claim).perform(thinkers)


class _Diary(ThinkingStep):
    run: Run
    day: DiaryDay

    def read(self, tx: Transaction, open_session: OpenSession) -> Asking[Effects]:
        self.run = runs.get(tx, self.claim.owner_id, UUID(self.claim.key))
        day = day_to_write(tx, self.run)
        if not isinstance(day, DiaryDay):
            self.settled = lambda _: day
            return None
        self.day = day
        return self.open(tx, open_session, [node.request_key_id for node in day.memories])

    def think(self, llm: LlmSession) -> Effects:
        pages = draft_diary(llm, self.day)
        return lambda tx: pages.apply(tx, self.run.run_id)

    def keep(self, tx: Transaction, answer: Effects | None) -> None:
        being_id, run_id = self.claim.owner_id, self.run.run_id
        effects = answer or self.settled
        demand.reserve(tx, being_id)
        runs.lock_for_step(tx, being_id, run_id)
        runs.note_step(tx, being_id, run_id, "diary", {"outcome": "done", **(effects(tx) if effects else {})})
        runs.settle_thinking(tx, being_id, run_id)
        demand.end(tx, self.settings, self.run)


def bury(tx: Transaction, settings: Settings, being_id: UUID, key: str, error: str) -> None:
    """Fail the run of a dead step, which frees the Being, and request another run for its notes."""
    demand.fail(tx, settings, being_id, UUID(key), error)


def _left_to_later_runs(_: Transaction) -> dict[str, Any]:
    return {"outcome": "skipped", "reason": MORE_TO_COME}


def _finish(store: Store, claim: Claim, effects: Effects) -> None:
    with store.finishing(claim) as tx:
        finish(tx, claim, effects)
