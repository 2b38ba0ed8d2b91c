"""The memories of a Being in few words, for the map of its topics."""

from uuid import UUID

from schemas.nodes.topic_map import MappedNode
from store.transaction import Transaction


def page(
    tx: Transaction, being_id: UUID, *, dead: bool, muted: bool, after: UUID | None, limit: int
) -> list[MappedNode]:
    """List nodes by id; dead ones only with `dead`, muted ones with `muted`."""
    return tx.rows(
        MappedNode,
        """
        select node_id, cluster_id,
            case
                when length(scene ->> 'action') > 160 then left(scene ->> 'action', 159) || '…'
                else scene ->> 'action'
            end as action,
            importance, effective_importance, session_count, status, pinned, created_at, patrols_left,
            absorbed_into, forgotten_at,
            left(coalesce(scene #>> '{when,0,date}', scene #>> '{when,0}'), 40) as "when",
            case
                when status <> 'active' then (
                    select max(h.happened_at)
                    from memory.node_history as h
                    where h.being_id = n.being_id and h.node_id = n.node_id
                        and h.event in ('dying', 'absorbed', 'forgotten', 'dead')
                )
            end as changed_at
        from memory.seen_nodes as n
        where being_id = %(being)s and (%(dead)s or status <> 'dead')
            and (%(muted)s or not memory.is_muted(being_id, 'node', node_id))
            and (%(after)s::uuid is null or node_id > %(after)s)
        order by node_id
        limit %(limit)s
        """,
        {"being": being_id, "dead": dead, "muted": muted, "after": after, "limit": limit},
    )
