"""Topics and single memories: looked at, pinned, corrected, forgotten, brought back."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.nodes import curation
from memory.text.pages import count_and_id, cut_page, parse_cursor, time_and_id
from operations.declaration import Command, FindsMuted, operation, sets
from operations.parameters import Cursor, Limit
from schemas.accounts.accounts import Being
from schemas.errors import existing
from schemas.intake.inputs import SCENE_FIELDS
from schemas.limits import FADING_PATROLS, MAP_NODES, PAGE_NODES
from schemas.nodes.nodes import Cluster, ClusterPage, Node, NodeChanges, NodePage, NodeStatus, NodeStory, TopicChanges
from schemas.nodes.topic_map import TopicMap
from store.nodes import clusters, nodes, topic_map, topic_names
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/beings/{being}/clusters", scope="read", commands=[Command("clusters")])
def list_clusters(tx: Transaction, being: Being, muted: FindsMuted) -> ClusterPage:
    """List the topics: each root, then its topics by size. The scope `manage` also lists muted ones."""
    return ClusterPage(clusters=clusters.live(tx, being.being_id, muted=muted))


@operation(
    "PATCH /v1/beings/{being}/clusters/{cluster_id}",
    scope="manage",
    conflicts=True,
    commands=[
        Command("rename", "Rename a topic; patrols keep the name.", takes=["name"], arguments=["name"], done="Renamed"),
        Command(
            "move",
            "Move a topic with its memories to the other root.",
            takes=["root"],
            arguments=["root"],
            done="Moved",
        ),
    ],
)
def change_topic(tx: Transaction, being: Being, cluster_id: UUID, changes: TopicChanges) -> Cluster:
    """Rename a topic, move it to the other root, or both.

    Patrols keep a name that a person gave. Roots can't be changed.
    """
    return topic_names.change(tx, being.being_id, cluster_id, name=changes.name, root=changes.root)


@operation("GET /v1/beings/{being}/nodes", scope="read", commands=[Command("nodes")])
def list_nodes(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    cluster: Annotated[UUID | None, Field(description="Only those of this topic.")] = None,
    status: Annotated[NodeStatus | None, Field(description="Only those.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NodePage:
    """List memories, newest first, dead and forgotten ones too; looking keeps nothing alive.

    The scope `manage` also lists muted ones.
    """
    before = parse_cursor(cursor, time_and_id)
    if cluster is not None:
        found_cluster = clusters.find(tx, being.being_id, cluster)
        cluster = existing(found_cluster, f"This Being has no cluster {cluster}.").cluster_id
    found = nodes.page(
        tx, being.being_id, cluster_id=cluster, status=status, muted=muted, before=before, limit=limit + 1
    )
    shown, end = cut_page(found, limit, lambda node: (node.created_at, node.node_id))
    return NodePage(nodes=shown, cursor=end)


@operation("GET /v1/beings/{being}/fading", scope="read", commands=[Command("fading")])
def list_fading(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    patrols: Annotated[int, Field(ge=0, le=10_000, description="How many patrols to look ahead.")] = FADING_PATROLS,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NodePage:
    """List memories that will be dying within `patrols` patrols, soonest first; `patrols_left` says how soon.

    The scope `manage` also lists muted memories.
    """
    after = parse_cursor(cursor, count_and_id)
    found = nodes.fading(tx, being.being_id, patrols=patrols, muted=muted, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda fading: (fading[0], fading[1].node_id))
    return NodePage(nodes=[node for _, node in shown], cursor=end)


@operation("GET /v1/beings/{being}/map", scope="read")
def show_map(
    tx: Transaction,
    being: Being,
    muted: FindsMuted,
    *,
    dead: Annotated[bool, Field(description="Whether to list dead memories too.")] = False,
    cursor: Cursor = None,
    limit: Annotated[int, Field(ge=1, le=MAP_NODES, description="The most memories of one page.")] = MAP_NODES,
) -> TopicMap:
    """Show the topics, and all memories in few words with their strength, for a drawing of the whole memory.

    The scope `manage` also shows muted ones.
    """
    after = parse_cursor(cursor, UUID)
    found = topic_map.page(tx, being.being_id, dead=dead, muted=muted, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda node: node.node_id)
    return TopicMap(clusters=clusters.live(tx, being.being_id, muted=muted), nodes=shown, cursor=end)


@operation("GET /v1/beings/{being}/nodes/{node_id}", scope="read")
def show_node(tx: Transaction, being: Being, muted: FindsMuted, node_id: UUID) -> Node:
    """Show a memory. The scope `manage` also shows a muted one."""
    return curation.look(tx, being.being_id, node_id, muted=muted)


@operation("GET /v1/beings/{being}/nodes/{node_id}/history", scope="read", commands=[Command("why")])
def tell_story(on: Resources, being: Being, muted: FindsMuted, node_id: UUID) -> NodeStory:
    """Show a memory's origin and history. The scope `manage` also shows those of a muted one."""
    return curation.story(on.store, being.being_id, node_id, muted=muted)


@operation(
    "PATCH /v1/beings/{being}/nodes/{node_id}",
    scope="manage",
    conflicts=True,
    body="document",
    commands=[
        sets("pin", "Keep a memory from fading.", "Pinned", pinned=True),
        sets("unpin", "Let a pinned memory fade again.", "Unpinned", pinned=False),
        Command(
            "correct",
            "Replace parts of what a memory says; an empty text takes an optional part away.",
            takes=[name for name in SCENE_FIELDS if name != "emotion"],
            done="Corrected",
        ),
    ],
)
def change_node(on: Resources, being: Being, node_id: UUID, changes: NodeChanges) -> Node:
    """Pin or unpin a memory, correct its words, or both at once.

    Corrected words are embedded anew. A pinned memory never fades; a dead one can't be pinned before it is revived.
    """
    corrections = changes.corrections()
    if corrections:
        return curation.correct(on.store, on.embedders, being.being_id, node_id, corrections, pinned=changes.pinned)
    return curation.change_state(on.store, being.being_id, node_id, "pin" if changes.pinned else "unpin")


@operation(
    "DELETE /v1/beings/{being}/nodes/{node_id}",
    scope="manage",
    conflicts=True,
    commands=[Command("forget", done="Forgotten")],
)
def forget_node(on: Resources, being: Being, node_id: UUID) -> Node:
    """Forget a memory: nothing finds it, until it is revived. A pinned one must be unpinned first."""
    return curation.change_state(on.store, being.being_id, node_id, "forget")


@operation(
    "POST /v1/beings/{being}/nodes/{node_id}/revive", scope="manage", commands=[Command("revive", done="Revived")]
)
def revive_node(on: Resources, being: Being, node_id: UUID) -> Node:
    """Bring a dying, dead, absorbed or forgotten memory back."""
    return curation.change_state(on.store, being.being_id, node_id, "revive")


@operation("POST /v1/beings/{being}/nodes/{node_id}/undo", scope="manage", conflicts=True)
def undo_node(on: Resources, being: Being, node_id: UUID) -> Node:
    """Undo the latest forgetting or reviving by a person, if nothing else happened to the memory's state since.

    The memory gets the state that it would have without it: dying, dead, absorbed or active, and its age by now.
    """
    return curation.change_state(on.store, being.being_id, node_id, "undo")
