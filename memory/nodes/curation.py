"""Single-node operations by people: read, pin, correct, forget, revive, undo."""

from typing import Any
from uuid import UUID

from pydantic import BaseModel

from memory.nodes.creation import vectors_of, words_of
from memory.nodes.scenes import Unparsable, embedding_text, parse_scene, scene_fields, scene_to_text, text_hash
from memory.text.errors import InvalidRequest
from providers.embedders import Embedders
from providers.metering import RequestOwner, on_behalf_of
from schemas.accounts.accounts import Being
from schemas.errors import Refused, existing
from schemas.intake.inputs import SceneInput
from schemas.limits import STORY_MESSAGES
from schemas.nodes.nodes import Node, NodeStory
from store.accounts import beings, erasure
from store.database import Store
from store.intake import notes
from store.nodes import clusters, embeddings, nodes
from store.nodes.nodes import NodeWords, StateChange
from store.talk import scenes
from store.transaction import Transaction

# A failed try means that a concurrent change succeeded.
CORRECTION_TRIES = 5


def look(tx: Transaction, being_id: UUID, node_id: UUID, *, muted: bool = True) -> Node:
    """Read one node, a muted one with `muted`, without activating it.

    Raises:
        NotFound: This Being has no such node.
    """
    return existing(nodes.get(tx, being_id, node_id, muted=muted), f"This Being has no memory node {node_id}.")


def story(store: Store, being_id: UUID, node_id: UUID, *, muted: bool = True) -> NodeStory:
    """Read the lineage and history of a node, of a muted one with `muted`; its messages are muted with it.

    Raises:
        NotFound: This Being has no such node.
    """
    with store.transaction() as tx:
        node = look(tx, being_id, node_id, muted=muted)
        survivor = node
        while survivor.absorbed_into is not None:
            survivor = look(tx, being_id, survivor.absorbed_into)
        return NodeStory(
            node=node,
            text=scene_to_text(node.scene, node.feeling),
            note=notes.get(tx, being_id, node.note_id),
            messages=scenes.source_messages(
                tx, being_id, erasure.with_absorbed(tx, being_id, node_id), limit=STORY_MESSAGES
            ),
            absorbed=nodes.absorbed_by(tx, being_id, node_id),
            final_survivor=None if survivor is node else survivor.node_id,
            history=nodes.history(tx, being_id, node_id),
        )


def topic_names(store: Store, being_id: UUID) -> dict[UUID, str]:
    """The names of a Being's topics by their ids, also of those that are gone."""
    return store.run(clusters.names, being_id)


def change_state(store: Store, being_id: UUID, node_id: UUID, change: StateChange) -> Node:
    """Pin or unpin a node, forget or revive it, or undo the latest forgetting or reviving by a person.

    Raises:
        NotFound: This Being has no such node.
        Refused: A dead node is to be pinned, or a pinned one forgotten; or the change can't be undone, since the node's
            state has changed again, or the memory that had absorbed it was erased.
    """
    with store.transaction() as tx:
        nodes.change_state(tx, being_id, node_id, change)
        return look(tx, being_id, node_id)


def correct(
    store: Store,
    embedders: Embedders,
    being_id: UUID,
    node_id: UUID,
    changes: dict[str, Any],
    *,
    pinned: bool | None = None,
) -> Node:
    """Replace fields of a node's scene, and re-embed it if its text changed.

    A concurrent change is kept: the node is read and corrected again, so that only the named fields are replaced.

    Args:
        changes: Fields of a scene as producers send it; null removes an optional one.
        pinned: Whether to pin or unpin it in the same transaction.

    Raises:
        NotFound: This Being has no such node.
        Refused: A dead node can't be pinned, or concurrent changes keep succeeding; nothing was changed.
        InvalidRequest: The result is no valid scene; the message names the field.
        ProviderError: The embedder is unavailable; nothing was changed.
    """
    for _ in range(CORRECTION_TRIES):
        with store.transaction() as tx:
            read = look(tx, being_id, node_id)
            being = beings.get_being(tx, being_id)
        scene = _corrected(read, changes)
        model, words = embedded(store, embedders, being, scene)
        with store.transaction() as tx:
            if nodes.correct(tx, being_id, read, model, words):
                embeddings.remove(tx, being_id, model, [words.text_hash])
                if pinned is not None:
                    nodes.change_state(tx, being_id, node_id, "pin" if pinned else "unpin")
                return look(tx, being_id, node_id)
    raise Refused("This memory is being changed by other requests at the same time: try again.")


def _corrected(read: Node, changes: dict[str, Any]) -> SceneInput:
    whole = scene_fields(read) | {name: _plain(value) for name, value in changes.items()}
    try:
        return parse_scene({name: value for name, value in whole.items() if value is not None})
    except Unparsable as fault:
        raise InvalidRequest(f"The corrected memory is {fault}.") from None


def embedded(store: Store, embedders: Embedders, being: Being, scene: SceneInput) -> tuple[str, NodeWords]:
    """Embed a scene; returns the model and the node's columns. A text with a stored vector needs no embedder or key."""
    text = embedding_text(scene.scene(), scene.feeling)
    hashed = text_hash(text)
    if being.embedding_model is not None:
        known = store.run(embeddings.known, being.being_id, being.embedding_model, [hashed])
        if hashed in known:
            return being.embedding_model, words_of(scene, hashed, known[hashed])
    embedder = embedders.serving(being.embedding_model)
    with on_behalf_of(RequestOwner(being.being_id, "correct")):
        vectors, refusals = vectors_of(store, embedder, being.being_id, [text])
    if hashed not in vectors:
        raise InvalidRequest(f"The embedder refuses the corrected text: {refusals[hashed]}")
    return embedder.model, words_of(scene, hashed, vectors[hashed])


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value
