"""Erases a node for good, with its note and everything derived from it.

The text of a survivor that absorbed the node mixes both, so the survivor returns to its own note's text, and the other
nodes that it absorbed become separate again; the next patrol may merge them anew.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from memory.erased import known_erased
from memory.erased.known_erased import Recognition
from memory.nodes import topic_names
from memory.nodes.curation import embedded
from memory.nodes.scenes import Unparsable, parse_scene
from providers.embedders import Embedders
from schemas.accounts.accounts import Being
from schemas.accounts.portability import NodeErased
from schemas.errors import NotFound, Refused
from schemas.intake.inputs import SceneInput
from schemas.settings import Settings
from store.accounts import beings, erasure
from store.accounts import erased as erased_items
from store.accounts.erasure import Survivor
from store.database import Store
from store.llm import calls
from store.nodes import embeddings
from store.nodes import topic_names as stored_names
from store.nodes.nodes import NodeWords
from store.transaction import Transaction

log = structlog.get_logger()

# A failed try means that a patrol has merged one of the nodes meanwhile.
TRIES = 5


@dataclass(frozen=True)
class PlannedErasure:
    """The nodes to erase, as asked and in all, the survivors that absorbed them, and the survivors' own texts."""

    node_ids: Sequence[UUID] = ()
    gone: Sequence[UUID] = ()
    survivors: Sequence[Survivor] = ()
    own_words: Mapping[UUID, tuple[str, NodeWords]] = field(default_factory=dict)


class PlanOutdated(Exception):
    """A patrol has changed the nodes since the erasure of others was planned: plan again."""


def erase_node(store: Store, settings: Settings, embedders: Embedders, being: Being, node_id: UUID) -> NodeErased:
    """Erase a node and all nodes that it absorbed.

    Keyed digests of their notes stay, so that resent copies are rejected; copies in the streams are removed.

    Raises:
        NotFound: This Being has no such memory.
        ProviderError: A survivor returns to its own text, and the embedder is unavailable; nothing was erased.
        Refused: Patrols keep changing the nodes.
        SecretMissing: The secret for the digests is missing; nothing was erased.
    """
    for _ in range(TRIES):
        gone = store.run(erasure.with_absorbed, being.being_id, node_id)
        if not gone:
            raise NotFound(f"This Being has no memory node {node_id}.")
        planned = plan(store, embedders, being, gone)
        with store.transaction() as tx:
            known = _lock(tx, settings, being)
            same = set(erasure.with_absorbed(tx, being.being_id, node_id)) <= set(planned.gone)
            if same and _holds(tx, being.being_id, planned):
                notes = erased_items.notes_of_nodes(tx, being.being_id, planned.gone)
                _refuse_again(tx, being, known, notes)
                erased = _erase(tx, being.being_id, planned)
                break
    else:
        raise Refused("A patrol is changing this memory: try again.")
    log.warning("erasure.node", being_id=str(being.being_id), **erased.model_dump())
    return erased


def erase_note(store: Store, settings: Settings, embedders: Embedders, being: Being, note_id: UUID) -> NodeErased:
    """Erase a note, and its node if there is one.

    Raises:
        NotFound: This Being has no such note.
        ProviderError, Refused, SecretMissing: As `erase_node`.
    """
    with store.transaction() as tx:
        known = _lock(tx, settings, being)
        node_id = erasure.node_of(tx, being.being_id, note_id)
        if node_id is None:
            _refuse_again(tx, being, known, [note_id])
            if not erasure.erase_note(tx, being.being_id, note_id):
                raise NotFound(f"This Being has no note {note_id}.")
            pages = erasure.remove_derived(tx, being.being_id, [])
    if node_id is not None:
        return erase_node(store, settings, embedders, being, node_id)
    log.warning("erasure.note", being_id=str(being.being_id))
    return NodeErased(nodes=0, notes=1, reworded=0, parted=0, diary_entries=pages, renamed=0)


def _lock(tx: Transaction, settings: Settings, being: Being) -> Recognition:
    """Lock the rows that an erasure writes, in the common order of locks: intake, model calls, digests, the Being."""
    erased_items.hold_intake(tx, being.being_id)
    calls.refuse_answers(tx, being.user_id)
    # Raises `NotFound` if the user has been erased: a new key needs a user.
    beings.get_being(tx, being.being_id)
    known = known_erased.for_erasure(tx, settings, being.user_id, being.being_id)
    beings.lock(tx, being.being_id)
    return known


def _refuse_again(tx: Transaction, being: Being, known: Recognition, note_ids: Sequence[UUID]) -> None:
    known_erased.remember_notes(tx, known, erased_items.notes(tx, being.being_id, note_ids))
    known_erased.request_cleaning(tx, being.being_id)


def plan(store: Store, embedders: Embedders, being: Being, node_ids: Sequence[UUID]) -> PlannedErasure:
    """Plan the erasure of nodes: which survivors absorbed them, and the vectors of the survivors' own texts.

    Nodes that one of these nodes absorbed become separate again, unless they are among these nodes.

    Raises:
        ProviderError: A survivor's own text can't be embedded.
    """
    with store.transaction() as tx:
        whose = beings.get_being(tx, being.being_id)
        survivors = erasure.survivors_of(tx, being.being_id, node_ids)
    gone = list(node_ids)
    scenes = {one.node_id: scene for one in survivors if (scene := _own_scene(one)) is not None}
    own_words = {survivor_id: embedded(store, embedders, whose, scene) for survivor_id, scene in scenes.items()}
    # A survivor with a note that a model repaired has no parsable text of its own to return to.
    gone += [one.node_id for one in survivors if one.node_id not in scenes]
    return PlannedErasure(list(node_ids), gone, survivors, own_words)


def _own_scene(survivor: Survivor) -> SceneInput | None:
    try:
        return parse_scene(survivor.note)
    except Unparsable:
        return None


def carry_out(tx: Transaction, being_id: UUID, planned: PlannedErasure) -> NodeErased:
    """Erase the planned nodes with their notes. The caller has locked the Being.

    Raises:
        PlanOutdated: A patrol has merged one of the nodes since, or the Being has another embedding model.
    """
    if not _holds(tx, being_id, planned):
        raise PlanOutdated
    return _erase(tx, being_id, planned)


def _holds(tx: Transaction, being_id: UUID, planned: PlannedErasure) -> bool:
    """Whether the survivors are still those of the plan, and its vectors are of the Being's current model."""
    model = beings.get_being(tx, being_id).embedding_model
    same_survivors = erasure.survivors_of(tx, being_id, planned.node_ids) == planned.survivors
    return same_survivors and all(embedder == model for embedder, _ in planned.own_words.values())


def _erase(tx: Transaction, being_id: UUID, planned: PlannedErasure) -> NodeErased:
    survivor_ids = [one.node_id for one in planned.survivors]
    renamed = stored_names.made_from(tx, being_id, [*planned.gone, *survivor_ids])
    pages = erasure.remove_derived(tx, being_id, [*planned.gone, *survivor_ids])
    parted = erasure.restore_absorbed(tx, being_id, [*survivor_ids, *planned.gone], planned.gone)
    for node_id, (model, words) in planned.own_words.items():
        erasure.replace_words(tx, being_id, node_id, model, words)
        embeddings.remove(tx, being_id, model, [words.text_hash])
    erasure.erase_nodes(tx, being_id, planned.gone)
    return NodeErased(
        nodes=len(planned.gone),
        notes=len(planned.gone),
        reworded=len(planned.own_words),
        parted=parted,
        diary_entries=pages,
        renamed=topic_names.rename_by_words(tx, being_id, renamed),
    )
