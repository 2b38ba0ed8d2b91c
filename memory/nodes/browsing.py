"""Lists a Being's notes, nodes and messages page by page, without activating nodes."""

from uuid import UUID

from memory.text.pages import count_and_id, cut_page, parse_cursor, time_and_id
from schemas.errors import NotFound, existing
from schemas.intake.notes import NotePage, NoteState
from schemas.nodes.nodes import NodePage, NodeStatus
from schemas.nodes.topic_map import TopicMap
from schemas.talk.messages import MessagePage, RetractedPage, SessionPage
from store.database import Store
from store.intake import notes
from store.nodes import clusters, nodes, topic_map
from store.talk import messages, retraction, session_summaries


def note_page(
    store: Store, being_id: UUID, *, state: NoteState | None, muted: bool, cursor: str | None, limit: int
) -> NotePage:
    """List notes, muted ones with `muted`, in order of arrival, optionally of one state.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = notes.page(tx, being_id, state=state, muted=muted, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda note: note.note_id)
    return NotePage(notes=shown, cursor=end)


def topic_names(store: Store, being_id: UUID) -> dict[UUID, str]:
    """The names of a Being's topics by their ids, also of those that are gone."""
    with store.transaction() as tx:
        return clusters.names(tx, being_id)


def node_page(
    store: Store,
    being_id: UUID,
    *,
    cluster_id: UUID | None,
    status: NodeStatus | None,
    muted: bool,
    cursor: str | None,
    limit: int,
) -> NodePage:
    """List nodes, newest first, including dead and forgotten ones; optionally muted ones, or of one cluster or status.

    Raises:
        NotFound: This Being has no such cluster.
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, time_and_id)
    with store.transaction() as tx:
        if cluster_id is not None:
            found_cluster = clusters.find(tx, being_id, cluster_id)
            cluster_id = existing(found_cluster, f"This Being has no cluster {cluster_id}.").cluster_id
        found = nodes.page(
            tx, being_id, cluster_id=cluster_id, status=status, muted=muted, before=before, limit=limit + 1
        )
    shown, end = cut_page(found, limit, lambda node: (node.created_at, node.node_id))
    return NodePage(nodes=shown, cursor=end)


def fading_page(store: Store, being_id: UUID, *, patrols: int, muted: bool, cursor: str | None, limit: int) -> NodePage:
    """List nodes, muted ones with `muted`, that will be dying within this many more patrols, soonest first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, count_and_id)
    with store.transaction() as tx:
        found = nodes.fading(tx, being_id, patrols=patrols, muted=muted, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda fading: (fading[0], fading[1].node_id))
    return NodePage(nodes=[node for _, node in shown], cursor=end)


def map_page(store: Store, being_id: UUID, *, dead: bool, muted: bool, cursor: str | None, limit: int) -> TopicMap:
    """List a Being's topics, and its nodes in few words; dead ones only with `dead`, muted ones with `muted`.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        topics = clusters.live(tx, being_id, muted=muted)
        found = topic_map.page(tx, being_id, dead=dead, muted=muted, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda node: node.node_id)
    return TopicMap(clusters=topics, nodes=shown, cursor=end)


def session_page(store: Store, being_id: UUID, *, cursor: str | None, limit: int) -> SessionPage:
    """List sessions, newest first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = messages.sessions(tx, being_id, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda session: session.session_id)
    return SessionPage(sessions=shown, cursor=end)


def party_page(store: Store, being_id: UUID, *, muted: bool, cursor: str | None, limit: int) -> MessagePage:
    """List messages of third speakers, muted ones with `muted`, newest arrival first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = messages.of_others(tx, being_id, muted=muted, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda message: message.message_id)
    return MessagePage(messages=shown, cursor=end)


def retracted_page(
    store: Store, being_id: UUID, *, conversation: str | None, cursor: str | None, limit: int
) -> RetractedPage:
    """List retracted messages, of one conversation or all, newest arrival first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    before = parse_cursor(cursor, UUID)
    with store.transaction() as tx:
        found = retraction.page(tx, being_id, conversation=conversation, before=before, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda message: message.message_id)
    return RetractedPage(messages=shown, cursor=end)


def said_in(
    store: Store, being_id: UUID, session_id: UUID, *, muted: bool, cursor: str | None, limit: int
) -> MessagePage:
    """List the messages of a session, in order; muted ones with `muted`.

    Raises:
        NotFound: This Being has no such session.
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, time_and_id)
    with store.transaction() as tx:
        found = messages.of_session(tx, being_id, session_id, after=after, limit=limit + 1, muted=muted)
        exists = bool(found) or session_summaries.session(tx, being_id, session_id) is not None
    if not exists:
        raise NotFound(f"This Being has no session {session_id}.")
    shown, end = cut_page(found, limit, lambda message: (message.created_at, message.message_id))
    return MessagePage(messages=shown, cursor=end)
