"""The patrol: nine steps over one Being's memory (patrol seed, "Patrol Pipeline"; DESIGN section 6).

Each step reads with a connection, thinks without one, and writes in the transaction that finishes it, together with the
ledger's row for the step that comes next. A step's claim names the Being as its owner and the run as its key.
"""

from collections.abc import Callable
from typing import Any
from uuid import UUID

import structlog

from memory import patrol_demand
from memory.remembering import remember, vectors_of
from memory.scene import text_hash
from memory.topics import Leaf, born_topics
from providers.embedders import Embedders
from schemas.rows import Root
from schemas.settings import Settings
from schemas.work import PATROL_STEPS, STEP_QUEUES, Claim, Ring
from store import notes, patrol, runs, users, work
from store.database import Store
from store.transaction import Transaction

log = structlog.get_logger()

# What the two roots are about, for the keyless classification by nearness (DESIGN section 6, `assign`).
PROTOTYPES: dict[Root, str] = {
    "Business": "Work, business, a job, a project, money, clients, deadlines and plans for the company.",
    "Private": "Private life, family, friends, home, feelings, health, food, hobbies and leisure.",
}
NO_KEY = {"outcome": "skipped", "reason": "no key"}

Effects = Callable[[Transaction], dict[str, Any]]


def embed(store: Store, embedders: Embedders, claim: Claim) -> None:
    """❶ Turn the stamped notes into fresh nodes with vectors."""
    being_id, run_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        being = users.get_being(tx, being_id)
        stamped = notes.stamped(tx, being_id, run_id)
    if not stamped:
        # Time passes for a Being whose embedder has no key, as long as nothing new has to be embedded.
        _finish(store, claim, lambda _: {"nodes": 0, "parse_failed": 0, "embed_failed": 0})
        return
    remembered = remember(store, embedders.serving(being.embedding_model), being_id, stamped)
    _finish(store, claim, lambda tx: remembered.keep(tx, being_id, run_id))


def assign(store: Store, embedders: Embedders, claim: Claim) -> None:
    """❶ Give each new node the topic it matches, else the root whose prototype is nearer."""
    with store.transaction() as tx:
        being = users.get_being(tx, claim.owner_id)
        homeless = patrol.any_homeless(tx, claim.owner_id)
    if not homeless:
        _finish(store, claim, lambda _: {"matched": 0, "rooted": 0})
        return
    embedder = embedders.serving(being.embedding_model)
    vectors, _ = vectors_of(store, embedder, claim.owner_id, list(PROTOTYPES.values()))
    prototypes = {root: vectors[text_hash(text)] for root, text in PROTOTYPES.items()}
    _finish(store, claim, lambda tx: patrol.assign(tx, claim.owner_id, embedder.model, prototypes))


def session_counts(store: Store, settings: Settings, claim: Claim) -> None:
    """❷ Let a patrol's worth of time pass, if this one counts."""

    def effects(tx: Transaction) -> dict[str, Any]:
        demanded = runs.get(tx, claim.owner_id, UUID(claim.key)).demanded
        counts = demanded or runs.tick_due(tx, claim.owner_id, settings.tick)
        if counts:
            patrol.raise_counter(tx, claim.owner_id)
        return {} if counts else {"outcome": "not due"}

    _finish(store, claim, effects)


def dying(store: Store, claim: Claim) -> None:
    """❸ Flag what has faded to an effective importance of 0.05."""
    _finish(store, claim, lambda tx: {"dying": patrol.flag_dying(tx, claim.owner_id)})


def consolidate(store: Store, claim: Claim) -> None:
    """❹ Merge what belongs together. Without a key nobody can say what does: this and the diary are skipped."""
    log.info("patrol.thinking_skipped", reason="no key", being_id=str(claim.owner_id), run_id=claim.key)
    _finish(store, claim, lambda _: NO_KEY)


def revive(store: Store, claim: Claim) -> None:
    """❺ Bring back what was asked for after it died."""
    _finish(store, claim, lambda tx: {"revived": patrol.revive_dead(tx, claim.owner_id)})


def split(store: Store, settings: Settings, claim: Claim) -> None:
    """❻ Let a crowded root give birth to topics, without a key by likeness alone."""

    def effects(tx: Transaction) -> dict[str, Any]:
        if not settings.topic_birth:
            return {"outcome": "skipped", "reason": "PATROL_TOPIC_BIRTH is off"}
        born = 0
        for root in patrol.crowded_roots(tx, claim.owner_id):
            leaves = [Leaf(*row) for row in patrol.newest_of_root(tx, claim.owner_id, root)]
            for topic in born_topics(leaves):
                patrol.found_topic(tx, claim.owner_id, root, topic.name, topic.node_ids)
                born += 1
            patrol.asked_to_split(tx, claim.owner_id, root)
        return {"topics": born}

    _finish(store, claim, effects)


def merge(store: Store, claim: Claim) -> None:
    """❼ Let small clusters join their siblings or their root."""
    _finish(store, claim, lambda tx: {"merged": patrol.merge_small(tx, claim.owner_id)})


def diary(store: Store, settings: Settings, claim: Claim) -> list[Ring]:
    """Write the diary, which takes a key; then end the run, and begin the one that waits. Returns what to ring for."""
    being_id, run_id = claim.owner_id, UUID(claim.key)
    with store.finishing(claim) as tx:
        patrol_demand.reserve(tx, being_id)
        runs.enter(tx, being_id, run_id)
        runs.note_step(tx, being_id, run_id, "diary", NO_KEY)
        return patrol_demand.end(tx, settings, being_id, run_id)


def bury(tx: Transaction, settings: Settings, being_id: UUID, key: str, error: str) -> list[Ring]:
    """Fail the run whose step is dead, which frees the Being; its notes wait for the next run, which is asked for."""
    return patrol_demand.fail(tx, settings, being_id, UUID(key), error)


def _finish(store: Store, claim: Claim, effects: Effects) -> None:
    """Finish a step: its effects, its report, and the ledger's row for the next, which the chain rings itself."""
    being_id, run_id = claim.owner_id, UUID(claim.key)
    step = claim.kind.removeprefix("patrol.")
    following = PATROL_STEPS[PATROL_STEPS.index(step) + 1]
    with store.finishing(claim) as tx:
        runs.enter(tx, being_id, run_id)
        did = {"outcome": "done", **effects(tx)}
        runs.note_step(tx, being_id, run_id, step, did)
        work.ask(tx, being_id, f"patrol.{following}", claim.key, STEP_QUEUES[following])
