"""The patrol: nine steps over one Being's memory (patrol seed, "Patrol Pipeline"; DESIGN section 6).

Each step reads with a connection, thinks without one, and writes in the transaction that finishes it, together with the
ledger's row for the step that comes next. A step's claim names the Being as its owner and the run as its key.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any
from uuid import UUID

from memory import patrol_demand
from memory.classification import roots_of
from memory.consolidation import consolidated
from memory.diary import Day, to_tell, written
from memory.patience import Effects, thought, thought_at_once
from memory.remembering import read_scenes, remember, vectors_of
from memory.repair import repaired
from memory.scene import text_hash
from memory.splitting import born, divided
from memory.thinking import Mind
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.rows import UNEMBEDDED, Note, Root
from schemas.settings import Settings
from schemas.wire import SceneInput
from schemas.work import PATROL_STEPS, STEP_QUEUES, Claim, Ring
from store import notes, patrol, runs, users, work
from store.database import Store
from store.transaction import Transaction

# So many notes that could not be read are brought before a model with the new ones of a patrol.
RETAINED_AT_ONCE = 100
# What the two roots are about, for the keyless classification by nearness (DESIGN section 6, `assign`).
PROTOTYPES: dict[Root, str] = {
    "Business": "Work, business, a job, a project, money, clients, deadlines and plans for the company.",
    "Private": "Private life, family, friends, home, feelings, health, food, hobbies and leisure.",
}


def embed(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❶ Turn the stamped notes into fresh nodes with vectors."""
    being_id, run_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        being = users.get_being(tx, being_id)
        stamped = notes.stamped(tx, being_id, run_id)
        retained = notes.unrepaired(tx, being_id, RETAINED_AT_ONCE)

    def repair(unparsable: Sequence[tuple[Note, str]]) -> dict[UUID, SceneInput] | None:
        return thought_at_once(store, thinkers, settings, claim, lambda mind: repaired(mind, unparsable), None)

    scenes = read_scenes(stamped, retained, repair)
    if not stamped and not scenes.told and being.embedding_model != UNEMBEDDED:
        # Time passes for a Being whose embedder has no key, as long as nothing new has to be embedded.
        _finish(store, claim, lambda tx: scenes.mark(tx, being_id))
        return
    remembered = remember(store, embedders.serving(being.embedding_model), being_id, scenes)
    _finish(store, claim, lambda tx: remembered.keep(tx, being_id, run_id))


def assign(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❶ Give each new node the topic it matches, else a root: as a model says, or the one whose prototype is nearer."""
    with store.transaction() as tx:
        being = users.get_being(tx, claim.owner_id)
        homeless = patrol.homeless(tx, claim.owner_id)
    if not homeless:
        _finish(store, claim, lambda _: {"matched": 0, "rooted": 0, "told": 0})
        return
    embedder = embedders.serving(being.embedding_model)
    vectors, _ = vectors_of(store, embedder, claim.owner_id, list(PROTOTYPES.values()))
    prototypes = {root: vectors[text_hash(text)] for root, text in PROTOTYPES.items()}
    with store.transaction() as tx:
        unmatched = patrol.unmatched(tx, claim.owner_id, embedder.model)
    told: dict[UUID, Root] = {}
    if unmatched:
        told = thought_at_once(store, thinkers, settings, claim, lambda mind: roots_of(mind, unmatched), told)
    _finish(store, claim, lambda tx: patrol.assign(tx, claim.owner_id, embedder.model, prototypes, told))


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


def consolidate(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❹ Merge what belongs together, and let go what is dying for good. Where nobody can think, nothing dies."""

    def think(mind: Mind) -> Effects:
        decided = consolidated(store, embedders, mind, claim.owner_id)
        return lambda tx: decided.apply(tx, claim.owner_id)

    _finish(store, claim, thought(store, thinkers, settings, claim, think))


def revive(store: Store, claim: Claim) -> None:
    """❺ Bring back what was asked for after it died."""
    _finish(store, claim, lambda tx: {"revived": patrol.revive_dead(tx, claim.owner_id)})


def split(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> None:
    """❻ Let crowded topics come apart, and a crowded root give birth to topics: without a key by likeness alone."""

    def think(mind: Mind) -> Effects:
        decided = divided(store, mind, claim.owner_id, births=settings.topic_birth)
        return lambda tx: decided.apply(tx, claim.owner_id)

    without = (lambda tx: born(tx, claim.owner_id)) if settings.topic_birth else None
    _finish(store, claim, thought(store, thinkers, settings, claim, think, without))


def merge(store: Store, claim: Claim) -> None:
    """❼ Let small clusters join their siblings or their root."""
    _finish(store, claim, lambda tx: {"merged": patrol.merge_small(tx, claim.owner_id)})


def diary(store: Store, thinkers: Thinkers, settings: Settings, claim: Claim) -> list[Ring]:
    """Write the diary, if there is something to tell; then end the run, and begin the one that waits.

    Returns:
        What to ring for.
    """
    being_id, run_id = claim.owner_id, UUID(claim.key)
    with store.transaction() as tx:
        day = to_tell(tx, settings, being_id, run_id)

    def think(day: Day, mind: Mind) -> Effects:
        pages = written(mind, day)
        return lambda tx: pages.apply(tx, run_id)

    effects = thought(store, thinkers, settings, claim, partial(think, day)) if isinstance(day, Day) else lambda _: day
    with store.finishing(claim) as tx:
        patrol_demand.reserve(tx, being_id)
        runs.enter(tx, being_id, run_id)
        runs.note_step(tx, being_id, run_id, "diary", {"outcome": "done", **effects(tx)})
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
