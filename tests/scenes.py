"""Factories for tests: users, Beings, nodes with three-dimensional vectors, and regions that callers wrote."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from memory.accounts.access import Caller
from operations.context.working_memory import add_to_region, replace_region
from schemas.accounts.accounts import Being, User
from schemas.context.context import NewEntry, WorkingMemoryEntry
from schemas.nodes.nodes import Node
from store.accounts import beings, users
from store.database import Store
from store.intake import notes
from store.intake.notes import NewNote
from store.nodes import nodes
from store.nodes.nodes import NodeWords
from store.transaction import Transaction
from tests.databases import answer_of

MODEL = "three-d"
EAST = (1.0, 0.0, 0.0)
NORTH = (0.0, 1.0, 0.0)
UP = (0.0, 0.0, 1.0)


def make_user(tx: Transaction, name: str | None = None) -> User:
    """Make a user, by default with a unique name."""
    return users.add_user(tx, name or f"user {uuid4()}", "UTC")


def make_being(tx: Transaction, user: User, slug: str | None = None, *, model: str = MODEL) -> Being:
    """Make a Being with its two roots and three-dimensional vectors, unless another model is named."""
    slug = slug or f"b{uuid4().hex}"
    being = beings.add_being(tx, user.user_id, slug, slug.title())
    beings.adopt_model(tx, being.being_id, model)
    return beings.get_being(tx, being.being_id)


def put_region(
    store: Store, being: Being, conversation: str | None, region: str, new: Sequence[NewEntry], *, add: bool
) -> Sequence[WorkingMemoryEntry]:
    """Write entries of a conversation's region, as a caller who may manage does; returns the region's entries."""
    caller = Caller(being.user_id, None, frozenset({"manage"}))
    put = add_to_region if add else replace_region
    page = answer_of(store, put, being, caller, region, new, conversation=conversation)
    return [*page.entries]


def words(action: str = "Something happened.", *, vector: Sequence[float] = EAST, **changes: Any) -> NodeWords:
    """Return a node's texts; `when` becomes part of the scene, other keywords are fields of `NodeWords`."""
    scene = {"action": action, "actors": ["Mira"], "when": changes.pop("when", ["2026-03-02"])}
    usual: dict[str, Any] = {"feeling": None, "themes": [], "emotion": None, "importance": 0.5}
    return NodeWords(
        scene=scene,
        text_hash=sha256(f"{scene}".encode()).digest(),
        vector=np.asarray(vector, dtype=np.float32),
        **(usual | changes),
    )


def note(content: Any = "Something happened.", **changes: Any) -> NewNote:
    """Return a new note, by default a pending scene."""
    usual: dict[str, Any] = {
        "note_id": uuid4(),
        "producer_id": None,
        "type": "scene",
        "content": content,
        "title": None,
        "due_at": None,
        "metadata": {},
        "bulk": False,
        "content_hash": sha256(f"{content}".encode()).digest(),
    }
    return NewNote(**(usual | changes))


def remember(
    tx: Transaction, being: Being, *memories: NodeWords, cluster: UUID | None = None, run: UUID | None = None
) -> list[UUID]:
    """Make a note and a node for each vector, and put the nodes into a cluster if one is given."""
    born = [(note(memory.scene), memory) for memory in memories]
    notes.insert(tx, being.being_id, [new for new, _ in born])
    run = run or uuid4()
    notes.mark_remembered(tx, being.being_id, run, [new.note_id for new, _ in born])
    nodes.insert(
        tx, being.being_id, run, being.embedding_model or MODEL, [(new.note_id, memory) for new, memory in born]
    )
    rows = tx.execute("select note_id, node_id from memory.memory_nodes where being_id = %s", [being.being_id])
    by_note = {row["note_id"]: row["node_id"] for row in rows}
    made = [by_note[new.note_id] for new, _ in born]
    if cluster is not None:
        move(tx, being, made, cluster)
    return made


def activate(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Credit nodes for having been found, once an answer."""
    tx.execute("select memory.activate_nodes(%s, %s, memory.now())", [being_id, list(node_ids)])


def move(tx: Transaction, being: Being, node_ids: Sequence[UUID], cluster: UUID) -> None:
    """Put nodes into a cluster."""
    tx.execute(
        "update memory.memory_nodes set cluster_id = %s where being_id = %s and node_id = any(%s)",
        [cluster, being.being_id, list(node_ids)],
    )


def make_topic(
    tx: Transaction, being: Being, name: str, node_ids: Sequence[UUID], *, named_from: Sequence[UUID] | None = None
) -> UUID:
    """Make a topic below the root Private, with a model's name made of its nodes, or of other ones too."""
    cluster_id: UUID = tx.value(
        "insert into memory.clusters (being_id, name, named_by, named_from, parent_id)"
        " values (%s, %s, 'model', %s, %s) returning cluster_id",
        [being.being_id, name, list(named_from or node_ids), root(tx, being)],
    )
    move(tx, being, node_ids, cluster_id)
    return cluster_id


def settled(tx: Transaction, being: Being, node_ids: Sequence[UUID]) -> None:
    """Clear the mark `fresh` of nodes, as consolidation does."""
    tx.execute(
        "update memory.memory_nodes set fresh = false where being_id = %s and node_id = any(%s)",
        [being.being_id, list(node_ids)],
    )


def root(tx: Transaction, being: Being, name: str = "Private") -> UUID:
    """Return the id of a root cluster."""
    (row,) = tx.execute(
        "select cluster_id from memory.clusters where being_id = %s and is_parent and name = %s", [being.being_id, name]
    )
    return row["cluster_id"]


def seen(tx: Transaction, being: Being, node_id: UUID) -> Node:
    """Return an existing node."""
    node = nodes.get(tx, being.being_id, node_id)
    assert node is not None
    return node


def absorb(tx: Transaction, being_id: UUID, survivor: UUID, absorbed: Sequence[UUID]) -> None:
    """Let the survivor of a merge take the others in."""
    tx.execute("select memory.absorb_nodes(%s, %s, %s)", [being_id, survivor, list(absorbed)])
