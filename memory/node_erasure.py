"""Erasing a memory for good, with the note that it was made of and what was made of it.

A memory that had taken it in says what both said, and nobody can tell the words apart: it goes back to its own note,
and what else it had taken in stands by itself again, for the next patrol to bring together anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

import structlog

from memory.curation import embedded
from memory.scene import Unparsable, parse_scene
from memory.topics import topic_name
from providers.embedders import Embedders
from schemas.portability import NodeErased
from schemas.rows import Being
from schemas.wire import SceneInput
from store import erasing, users
from store.database import Store
from store.erasing import Grown
from store.errors import NotFound, Refused
from store.nodes import NodeWords
from store.transaction import Transaction

log = structlog.get_logger()

# Each try that fails means that a patrol has brought together something of it meanwhile.
TRIES = 5


@dataclass(frozen=True)
class _Planned:
    """What is to be erased, and what those that had taken it in are to say."""

    gone: list[UUID]
    grown: list[Grown]
    own_words: dict[UUID, tuple[str, NodeWords]]


def erase_node(store: Store, embedders: Embedders, being: Being, node_id: UUID) -> NodeErased:
    """Erase a memory and all that it took in.

    Raises:
        NotFound: This Being has no such memory.
        ProviderError: Another goes back to its own words, and nobody can embed them; nothing was erased.
        Refused: Patrols keep changing what is to be erased.
    """
    for _ in range(TRIES):
        planned = _plan(store, embedders, being, node_id)
        with store.transaction() as tx:
            users.lock(tx, being.being_id)
            if _same(tx, being.being_id, node_id, planned):
                erased = _erase(tx, being.being_id, planned)
                break
    else:
        raise Refused("A patrol keeps changing this memory: erase it once more.")
    log.warning("erasure.node", being_id=str(being.being_id), **erased.model_dump())
    return erased


def erase_note(store: Store, embedders: Embedders, being: Being, note_id: UUID) -> NodeErased:
    """Erase a note, and the memory that was made of it if there is one.

    Raises:
        NotFound: This Being has no such note.
        ProviderError, Refused: As `erase_node`.
    """
    with store.transaction() as tx:
        users.lock(tx, being.being_id)
        node_id = erasing.node_of(tx, being.being_id, note_id)
        if node_id is None:
            if not erasing.erase_note(tx, being.being_id, note_id):
                raise NotFound(f"This Being has no note {note_id}.")
            pages = erasing.unsay(tx, being.being_id, [])
    if node_id is not None:
        return erase_node(store, embedders, being, node_id)
    log.warning("erasure.note", being_id=str(being.being_id))
    return NodeErased(nodes=0, notes=1, reworded=0, parted=0, diary_entries=pages, renamed=0)


def _plan(store: Store, embedders: Embedders, being: Being, node_id: UUID) -> _Planned:
    with store.transaction() as tx:
        whose = users.get_being(tx, being.being_id)
        gone = erasing.taken_in(tx, being.being_id, node_id)
        grown = erasing.grown_by(tx, being.being_id, node_id)
    if not gone:
        raise NotFound(f"This Being has no memory node {node_id}.")
    scenes = {one.node_id: scene for one in grown if (scene := _own_scene(one)) is not None}
    own_words = {grown_id: embedded(store, embedders, whose, scene) for grown_id, scene in scenes.items()}
    # Whose own words a model had to put in order has none to go back to.
    gone += [one.node_id for one in grown if one.node_id not in scenes]
    return _Planned(gone, grown, own_words)


def _own_scene(grown: Grown) -> SceneInput | None:
    try:
        return parse_scene(grown.note)
    except Unparsable:
        return None


def _same(tx: Transaction, being_id: UUID, node_id: UUID, planned: _Planned) -> bool:
    """Whether what was planned is still all that is to be done, and its vectors are still those of the Being."""
    model = users.get_being(tx, being_id).embedding_model
    return (
        erasing.grown_by(tx, being_id, node_id) == planned.grown
        and set(erasing.taken_in(tx, being_id, node_id)) <= set(planned.gone)
        and all(embedder == model for embedder, _ in planned.own_words.values())
    )


def _erase(tx: Transaction, being_id: UUID, planned: _Planned) -> NodeErased:
    grown = [one.node_id for one in planned.grown]
    names = [*_names(tx, being_id, planned.gone), *(topic_name(one.action) for one in planned.grown)]
    pages = erasing.unsay(tx, being_id, [*planned.gone, *grown])
    parted = erasing.part(tx, being_id, grown, planned.gone)
    for node_id, (model, words) in planned.own_words.items():
        erasing.reword(tx, being_id, node_id, model, words)
    erasing.erase_nodes(tx, being_id, planned.gone)
    return NodeErased(
        nodes=len(planned.gone),
        notes=len(planned.gone),
        reworded=len(planned.own_words),
        parted=parted,
        diary_entries=pages,
        renamed=erasing.rename_topics(tx, being_id, names),
    )


def _names(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> list[str]:
    return [topic_name(action) for action in erasing.actions(tx, being_id, node_ids)]
