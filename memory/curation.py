"""What people do to single memories: look closer, pin, correct, forget, bring back."""

from typing import Any
from uuid import UUID

from pydantic import BaseModel

from memory.questions import BadQuestion
from memory.remembering import vectors_of, words_of
from memory.scene import Unparsable, embedding_text, parse_scene, scene_to_text, text_hash
from providers.embedders import Embedders
from providers.metering import Asker, on_behalf_of
from schemas.answers import NodeStory
from schemas.rows import Being, Node
from schemas.wire import SceneInput
from store import embeddings, nodes, notes, users
from store.database import Store
from store.errors import NotFound, Refused
from store.nodes import NodeWords

# Each try that fails means that somebody else's change succeeded.
CORRECTION_TRIES = 5


def look(store: Store, being_id: UUID, node_id: UUID) -> Node:
    """One node; being looked at keeps nothing alive.

    Raises:
        NotFound: This Being has no such node.
    """
    with store.transaction() as tx:
        return _existing(nodes.get(tx, being_id, node_id), node_id)


def story(store: Store, being_id: UUID, node_id: UUID) -> NodeStory:
    """Where a node came from, and what happened to it.

    Raises:
        NotFound: This Being has no such node.
    """
    with store.transaction() as tx:
        node = _existing(nodes.get(tx, being_id, node_id), node_id)
        survivor = node
        while survivor.absorbed_into is not None:
            survivor = _existing(nodes.get(tx, being_id, survivor.absorbed_into), survivor.absorbed_into)
        return NodeStory(
            node=node,
            text=scene_to_text(node.scene, node.feeling),
            note=notes.get(tx, being_id, node.note_id),
            absorbed=nodes.absorbed_by(tx, being_id, node_id),
            final_survivor=None if survivor is node else survivor.node_id,
            history=nodes.history(tx, being_id, node_id),
        )


def pin(store: Store, being_id: UUID, node_id: UUID, *, pinned: bool) -> Node:
    """Keep a node from fading, or let it fade again.

    Raises:
        NotFound: This Being has no such node.
        Refused: A dead node is to be pinned.
    """
    with store.transaction() as tx:
        (nodes.pin if pinned else nodes.unpin)(tx, being_id, node_id)
        return _existing(nodes.get(tx, being_id, node_id), node_id)


def forget(store: Store, being_id: UUID, node_id: UUID) -> Node:
    """Put a node out of mind until it is revived.

    Raises:
        NotFound: This Being has no such node.
        Refused: The node is pinned.
    """
    with store.transaction() as tx:
        nodes.forget(tx, being_id, node_id)
        return _existing(nodes.get(tx, being_id, node_id), node_id)


def revive(store: Store, being_id: UUID, node_id: UUID) -> Node:
    """Bring a dying, dead, absorbed or forgotten node back.

    Raises:
        NotFound: This Being has no such node.
    """
    with store.transaction() as tx:
        nodes.revive(tx, being_id, node_id)
        return _existing(nodes.get(tx, being_id, node_id), node_id)


def correct(
    store: Store,
    embedders: Embedders,
    being_id: UUID,
    node_id: UUID,
    changes: dict[str, Any],
    *,
    pinned: bool | None = None,
) -> Node:
    """Replace parts of what a node says, and embed it anew where the words changed.

    What others change meanwhile stays: the node is read and corrected again, so that only the named parts are replaced.

    Args:
        store: The ledger.
        embedders: Who embeds.
        being_id: Whose node it is.
        node_id: Which node.
        changes: Fields of a scene as producers send it; null takes an optional one away.
        pinned: Whether to pin or unpin it in the same transaction.

    Raises:
        NotFound: This Being has no such node.
        Refused: A dead node is to be pinned, or others change the node all the time; nothing was changed.
        BadQuestion: What comes of the changes is no scene; the text names the place.
        ProviderError: The embedder is out of reach; nothing was changed.
    """
    for _ in range(CORRECTION_TRIES):
        with store.transaction() as tx:
            read = _existing(nodes.get(tx, being_id, node_id), node_id)
            being = users.get_being(tx, being_id)
        scene = _corrected(read, changes)
        model, words = embedded(store, embedders, being, scene)
        with store.transaction() as tx:
            if nodes.correct(tx, being_id, read, model, words):
                embeddings.drop(tx, being_id, model, [words.text_hash])
                if pinned is not None:
                    (nodes.pin if pinned else nodes.unpin)(tx, being_id, node_id)
                return _existing(nodes.get(tx, being_id, node_id), node_id)
    raise Refused("Others keep changing this memory at the same moment: correct it once more.")


def _corrected(read: Node, changes: dict[str, Any]) -> SceneInput:
    whole = {
        **read.scene,
        "feeling": read.feeling,
        "themes": read.themes,
        "emotion": read.emotion,
        "importance": read.importance,
        **{name: _plain(value) for name, value in changes.items()},
    }
    try:
        return parse_scene({name: value for name, value in whole.items() if value is not None})
    except Unparsable as fault:
        raise BadQuestion(f"The corrected memory is {fault}.") from None


def embedded(store: Store, embedders: Embedders, being: Being, scene: SceneInput) -> tuple[str, NodeWords]:
    """Find a model's name and the words with its vector; words that have one need no embedder, and so no key."""
    text = embedding_text(scene.scene(), scene.feeling)
    hashed = text_hash(text)
    if being.embedding_model is not None:
        with store.transaction() as tx:
            known = embeddings.known(tx, being.being_id, being.embedding_model, [hashed])
        if hashed in known:
            return being.embedding_model, words_of(scene, hashed, known[hashed])
    embedder = embedders.serving(being.embedding_model)
    with on_behalf_of(Asker(being.being_id, "correct")):
        vectors, refusals = vectors_of(store, embedder, being.being_id, [text])
    if hashed not in vectors:
        raise BadQuestion(f"The embedder refuses the corrected words: {refusals[hashed]}")
    return embedder.model, words_of(scene, hashed, vectors[hashed])


def _plain(value: Any) -> Any:
    return value.model_dump(mode="json") if isinstance(value, BaseModel) else value


def _existing(node: Node | None, node_id: UUID) -> Node:
    if node is None:
        raise NotFound(f"This Being has no memory node {node_id}.")
    return node
