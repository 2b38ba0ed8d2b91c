"""Mutes: the things that a person does not want to be brought up (sql/functions/30_nodes/20_mutes.sql)."""

from collections.abc import Sequence
from typing import LiteralString
from uuid import UUID

from schemas.errors import existing
from schemas.talk.mutes import Mute, MutedKind
from store.transaction import Transaction

_MUTES: LiteralString = """
    select m.mute_id, m.kind, coalesce(m.item_id::text, m.name) as target, m.muted_at,
        coalesce(
            case m.kind
                when 'fact' then (
                    select f.content from memory.facts as f where f.user_id = m.user_id and f.fact_id = m.item_id
                )
                when 'node' then (
                    select n.scene ->> 'action' from memory.memory_nodes as n
                    where n.being_id = m.being_id and n.node_id = m.item_id
                )
                when 'topic' then (
                    select c.name from memory.clusters as c where c.being_id = m.being_id and c.cluster_id = m.item_id
                )
                when 'message' then (
                    select s.content from memory.messages as s
                    where s.being_id = m.being_id and s.message_id = m.item_id
                )
                when 'entity' then (
                    select min(l.label) from memory.entity_labels as l
                    where l.user_id = m.user_id and l.alias_ref = m.name and coalesce(l.being_id, %(being)s) = %(being)s
                )
                else m.name
            end,
            ''
        ) as label,
        (
            select count(*) from memory.muted_items as x where x.user_id = m.user_id and x.mute_id = m.mute_id
        ) as items
    from memory.mutes as m
    where m.user_id = %(user)s and (m.being_id = %(being)s or m.being_id is null)
"""


def add(
    tx: Transaction,
    user_id: UUID,
    being_id: UUID | None,
    kind: MutedKind,
    *,
    item_id: UUID | None = None,
    name: str | None = None,
    asked_in: tuple[UUID, UUID] | None = None,
) -> bool:
    """Mute a thing and all that rests on it; returns whether it was not muted before.

    Args:
        tx: The transaction, which holds the locks of a withdrawal.
        being_id: The Being whose thing it is; None for a thing that all of the user's Beings know.
        kind: Its kind.
        name: The ref of an entity, or the producer's id of a conversation.
        asked_in: The Being and the message in which the user requested it; the message is muted as well.
    """
    made = tx.value(
        "select memory.add_mute(%s, %s, %s, %s, %s, %s, %s)",
        [user_id, being_id, kind, item_id, name, *(asked_in or (None, None))],
    )
    return made is not None


def lift(tx: Transaction, user_id: UUID, mute_id: UUID) -> None:
    """Remove a mute; things without another mute are shown again. The transaction holds the locks of a withdrawal.

    Requests in talk that made it are marked as undone: judging their messages again does not mute it again.
    """
    tx.execute(
        """
        update memory.spoken_requests as r
        set undone_at = memory.now()
        from memory.mutes as m
        join memory.beings as b on b.user_id = m.user_id
        where m.user_id = %(user)s and m.mute_id = %(mute)s and r.being_id = b.being_id and r.effect = 'muted'
            and r.undone_at is null and (
                m.kind = 'entity' and r.name = m.name or m.kind = 'fact' and r.fact_id = m.item_id
                or m.kind = 'message' and r.meant_message_id = m.item_id
            )
        """,
        {"user": user_id, "mute": mute_id},
    )
    tx.execute("delete from memory.mutes where user_id = %s and mute_id = %s", [user_id, mute_id])


def of(
    tx: Transaction, user_id: UUID, being_id: UUID, kind: MutedKind, *, item_id: UUID | None, name: str | None
) -> Mute:
    """The mute of a muted thing."""
    return tx.one(
        Mute,
        _MUTES
        + """
            and m.kind = %(kind)s and m.item_id is not distinct from %(item)s::uuid
            and m.name is not distinct from %(name)s::text
        """,
        {"user": user_id, "being": being_id, "kind": kind, "item": item_id, "name": name},
    )


def get(tx: Transaction, user_id: UUID, being_id: UUID, mute_id: UUID) -> Mute:
    """One mute of a Being's things, or of a thing that all of its user's Beings know.

    Raises:
        NotFound: There is no such mute.
    """
    found = tx.row(Mute, _MUTES + " and m.mute_id = %(mute)s", {"user": user_id, "being": being_id, "mute": mute_id})
    return existing(found, f"Nothing is muted under the id {mute_id}.")


def page(tx: Transaction, user_id: UUID, being_id: UUID, *, before: UUID | None, limit: int) -> list[Mute]:
    """A page of mutes, newest first, starting after `before`."""
    return tx.rows(
        Mute,
        _MUTES
        + """
            and (%(before)s::uuid is null or m.mute_id < %(before)s)
        order by m.mute_id desc
        limit %(limit)s
        """,
        {"user": user_id, "being": being_id, "before": before, "limit": limit},
    )


def topics_named(tx: Transaction, being_id: UUID, name: str) -> list[UUID]:
    """Up to two topics of a Being whose id ends so, or that have this name, ignoring case; roots are left out."""
    return tx.column(
        """
        select cluster_id
        from memory.clusters
        where being_id = %(being)s and not is_parent and removed_at is null
            and (lower(name) = lower(%(name)s) or right(cluster_id::text, length(%(name)s)) = lower(%(name)s))
        order by cluster_id
        limit 2
        """,
        {"being": being_id, "name": name},
    )


def messages_named(tx: Transaction, being_id: UUID, name: str) -> list[UUID]:
    """Up to two messages of a Being whose id ends so, or that have this producer's id."""
    return tx.column(
        """
        select message_id
        from memory.messages
        where being_id = %(being)s
            and (producer_id = %(name)s or right(message_id::text, length(%(name)s)) = lower(%(name)s))
        order by message_id
        limit 2
        """,
        {"being": being_id, "name": name},
    )


def is_conversation(tx: Transaction, being_id: UUID, name: str) -> bool:
    """Whether a Being has a session of this conversation."""
    return tx.exists(
        "select from memory.sessions where being_id = %s and conversation = %s",
        [being_id, name],
    )


def entities_named(tx: Transaction, user_id: UUID, being_id: UUID, name: str) -> list[str]:
    """The entities with this ref, or with a label that a Being may know and that equals this name, ignoring case."""
    return tx.column(
        """
        select distinct a.entity_ref
        from memory.entity_aliases as a
        join memory.entity_labels as l using (user_id, alias_ref)
        where a.user_id = %(user)s and (l.being_id = %(being)s or l.being_id is null)
            and (a.alias_ref = lower(%(name)s) or lower(l.label) = lower(%(name)s))
        order by a.entity_ref
        """,
        {"user": user_id, "being": being_id, "name": name},
    )


def topics_to_rename(tx: Transaction, being_id: UUID) -> Sequence[UUID]:
    """The topics whose names were taken away, because they rested on memories that are muted now."""
    return tx.column(
        """
        select cluster_id
        from memory.clusters
        where being_id = %s and name = 'Unnamed' and named_by = 'words' and name_outdated and not is_parent
            and removed_at is null and active_nodes > 0
        """,
        [being_id],
    )
