"""Topics and single memories: looked at, pinned, corrected, forgotten, brought back."""

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from api.http.auth import ManagedBeing, ReadBeing
from api.http.bodies import JsonRoute, body_limit
from api.http.openapi import problems
from api.http.paging import Cursor, Limit
from api.http.resources import On
from memory.nodes import browsing, curation, topic_names
from schemas.limits import FADING_PATROLS, MAP_NODES, PAGE_NODES
from schemas.nodes.nodes import Cluster, ClusterPage, Node, NodeChanges, NodePage, NodeStatus, NodeStory, TopicChanges
from schemas.nodes.topic_map import TopicMap
from store.nodes import clusters

router = APIRouter(prefix="/v1/beings/{being}", tags=["Memories"], route_class=JsonRoute)


@router.get("/clusters")
def list_clusters(on: On, being: ReadBeing) -> ClusterPage:
    """List the topics: each root, then its topics by size.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return ClusterPage(clusters=clusters.live(tx, being.being_id))


@router.patch("/clusters/{cluster_id}", responses=problems(409))
def change_topic(on: On, being: ManagedBeing, cluster_id: UUID, changes: TopicChanges) -> Cluster:
    """Rename a topic, move it to the other root, or both.

    Scope `manage`.

    Patrols keep a name that a person gave. Roots can't be changed.
    """
    return topic_names.change(on.store, being.being_id, cluster_id, name=changes.name, root=changes.root)


@router.get("/nodes")
def list_nodes(
    on: On,
    being: ReadBeing,
    cluster: Annotated[UUID | None, Query(description="Only those of this topic.")] = None,
    status: Annotated[NodeStatus | None, Query(description="Only those.")] = None,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NodePage:
    """List memories, newest first, dead and forgotten ones too; looking keeps nothing alive.

    Scope `read`.
    """
    return browsing.node_page(on.store, being.being_id, cluster_id=cluster, status=status, cursor=cursor, limit=limit)


@router.get("/fading")
def list_fading(
    on: On,
    being: ReadBeing,
    patrols: Annotated[int, Query(ge=0, le=10_000, description="How many patrols to look ahead.")] = FADING_PATROLS,
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> NodePage:
    """List what will be dying within so many patrols, soonest first; `patrols_left` says how soon.

    Scope `read`.
    """
    return browsing.fading_page(on.store, being.being_id, patrols=patrols, cursor=cursor, limit=limit)


@router.get("/map")
def show_map(
    on: On,
    being: ReadBeing,
    *,
    dead: Annotated[bool, Query(description="Whether to list dead memories too.")] = False,
    cursor: Cursor = None,
    limit: Annotated[int, Query(ge=1, le=MAP_NODES, description="The most memories of one page.")] = MAP_NODES,
) -> TopicMap:
    """Show the topics, and all memories in few words with their strength, for a drawing of the whole memory.

    Scope `read`.
    """
    return browsing.map_page(on.store, being.being_id, dead=dead, cursor=cursor, limit=limit)


@router.get("/nodes/{node_id}")
def show_node(on: On, being: ReadBeing, node_id: UUID) -> Node:
    """Show a memory.

    Scope `read`.
    """
    return curation.look(on.store, being.being_id, node_id)


@router.get("/nodes/{node_id}/history")
def tell_story(on: On, being: ReadBeing, node_id: UUID) -> NodeStory:
    """Tell where a memory came from and what happened to it.

    Scope `read`.
    """
    return curation.story(on.store, being.being_id, node_id)


@router.patch("/nodes/{node_id}", responses=problems(409))
@body_limit("document")
def change_node(on: On, being: ManagedBeing, node_id: UUID, changes: NodeChanges) -> Node:
    """Pin or unpin a memory, correct what it says, or both at once.

    Scope `manage`.

    Corrected words are embedded anew. A pinned memory never fades; a dead one can't be pinned before it is revived.
    """
    corrections = changes.corrections()
    if corrections:
        return curation.correct(on.store, on.embedders, being.being_id, node_id, corrections, pinned=changes.pinned)
    return curation.pin(on.store, being.being_id, node_id, pinned=bool(changes.pinned))


@router.delete("/nodes/{node_id}", responses=problems(409))
def forget_node(on: On, being: ManagedBeing, node_id: UUID) -> Node:
    """Forget a memory: nothing finds it, until it is revived. A pinned one must be unpinned first.

    Scope `manage`.
    """
    return curation.forget(on.store, being.being_id, node_id)


@router.post("/nodes/{node_id}/revive")
def revive_node(on: On, being: ManagedBeing, node_id: UUID) -> Node:
    """Bring a dying, dead, absorbed or forgotten memory back.

    Scope `manage`.
    """
    return curation.revive(on.store, being.being_id, node_id)


@router.post("/nodes/{node_id}/undo", responses=problems(409))
def undo_node(on: On, being: ManagedBeing, node_id: UUID) -> Node:
    """Undo the latest forgetting or reviving by a person, if nothing else happened to the memory's state since.

    Scope `manage`.

    The memory is what it would be without it: dying, dead, absorbed or active, and as old as it would be by now.
    """
    return curation.undo(on.store, being.being_id, node_id)
