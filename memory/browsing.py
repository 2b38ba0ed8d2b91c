"""Looking through what a Being was told and remembers, page by page. Being looked at keeps nothing alive."""

from uuid import UUID

from memory.recall import BadQuestion, read_cursor, write_cursor
from schemas.answers import NodePage, NotePage
from schemas.rows import NodeStatus, NoteState
from store import clusters, nodes, notes
from store.database import Store
from store.errors import NotFound


def note_page(store: Store, being_id: UUID, *, state: NoteState | None, cursor: str | None, limit: int) -> NotePage:
    """Notes in the order in which they are kept, those of one state or all.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    try:
        after = None if cursor is None else UUID(cursor)
    except ValueError:
        raise BadQuestion("The cursor is none that was given out: leave it away to begin anew.") from None
    with store.transaction() as tx:
        page = notes.page(tx, being_id, state=state, after=after, limit=limit + 1)
    shown = page[:limit]
    return NotePage(notes=shown, cursor=str(shown[-1].note_id) if len(page) > limit else None)


def node_page(
    store: Store,
    being_id: UUID,
    *,
    cluster_id: UUID | None,
    status: NodeStatus | None,
    cursor: str | None,
    limit: int,
) -> NodePage:
    """Nodes, newest first, also dead and forgotten ones; those of one cluster or status, or all.

    Raises:
        NotFound: This Being has no such cluster.
        BadQuestion: The cursor is none that was given out.
    """
    before = read_cursor(cursor)
    with store.transaction() as tx:
        if cluster_id is not None:
            cluster = clusters.find(tx, being_id, cluster_id)
            if cluster is None:
                raise NotFound(f"This Being has no cluster {cluster_id}.")
            cluster_id = cluster.cluster_id
        page = nodes.page(tx, being_id, cluster_id=cluster_id, status=status, before=before, limit=limit + 1)
    shown = page[:limit]
    return NodePage(nodes=shown, cursor=write_cursor(shown[-1]) if len(page) > limit else None)
