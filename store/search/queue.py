"""The queue of documents to be indexed or embedded, with their texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from schemas.ledger.kinds import WorkKind
from schemas.search import Kind, Stage
from store.transaction import Transaction

# No owner has it: every other id is higher.
LOWEST_ID = UUID(int=0)


class QueuedDocument(NamedTuple):
    """A queued document, by its id in the index."""

    owner_id: UUID
    kind: Kind
    item_id: UUID


@dataclass(frozen=True, slots=True)
class UnindexedText:
    """A text that waits for lexical indexing.

    Attributes:
        owner_id: Its owner.
        kind: Its kind.
        item_id: Its id in the index.
        queued_at: When it came in or changed last; together with the ids this names the row of the queue.
        content: Its content, as its own table holds it: text, or a scene or summary as JSON.
        feeling: A node's.
        session_id: Its conversation.
        said_at: The time of the message or event, from its table.
        received_at: When it came in.
    """

    owner_id: UUID
    kind: Kind
    item_id: UUID
    queued_at: datetime
    content: Any
    feeling: str | None
    session_id: UUID | None
    said_at: datetime
    received_at: datetime


def waiting(tx: Transaction, owner_ids: Sequence[UUID], most: int) -> list[UnindexedText]:
    """The documents of each owner whose words wait to be indexed, up to `most` of each, in no promised order.

    Documents whose source is gone are taken from the queue.
    """
    found = tx.rows(
        UnindexedText,
        """
        select q.owner_id, q.kind, q.item_id, q.queued_at, told.content, told.feeling, told.session_id,
            told.said_at, told.received_at
        from unnest(%(owners)s::uuid[]) as asked (owner_id)
        left join memory.beings as b on b.being_id = asked.owner_id
        cross join lateral (
            select * from memory.search_queue where owner_id = asked.owner_id and stage = 'words' limit %(most)s
        ) as q
        left join lateral memory.told_item(coalesce(b.user_id, q.owner_id), q.owner_id, q.kind, q.item_id) as told
            on true
        """,
        {"owners": list(owner_ids), "most": most},
        # A plan that was kept since the tables were small reads all nodes of a Being for each item: notes beside as
        # many others are remembered a quarter slower.
        prepare=False,
    )
    gone = [one for one in found if one.content is None]
    if gone:
        take(tx, gone)
    return [one for one in found if one.content is not None]


def take(tx: Transaction, seen: Sequence[UnindexedText]) -> set[QueuedDocument]:
    """Take documents that were read from the queue; returns those neither erased nor changed since they were read.

    Documents that another transaction is erasing or changing stay, and return when the queue is read again.
    """
    rows = tx.execute(
        "select * from memory.take_told(%s, %s::memory.search_kind[], %s, %s)",
        [
            [one.owner_id for one in seen],
            [one.kind for one in seen],
            [one.item_id for one in seen],
            [one.queued_at for one in seen],
        ],
    )
    return {QueuedDocument(row["owner_id"], row["kind"], row["item_id"]) for row in rows}


def unindexed(tx: Transaction, owners: Sequence[UUID], kinds: Sequence[Kind]) -> int:
    """How much of these kinds was accepted and is not searchable yet by every signal."""
    return int(
        tx.value(
            """
            select count(*)
            from memory.search_queue as q
            where q.owner_id = any(%s) and q.kind = any(%s::memory.search_kind[])
                -- What was changed waits for both.
                and (
                    q.stage = 'words' or q.kind = 'message' or not exists (
                        select from memory.search_queue as changed
                        where changed.owner_id = q.owner_id and changed.stage = 'words' and changed.kind = q.kind
                            and changed.item_id = q.item_id
                    )
                )
            """,
            [list(owners), list(kinds)],
        )
    )


def owners_waiting(tx: Transaction, stage: Stage, kind: WorkKind, limit: int, after: UUID = LOWEST_ID) -> list[UUID]:
    """Owners with something in the queue for whom no work of a kind is under way, or given up as dead, by their ids.

    Args:
        tx: The transaction.
        stage: The stage that they wait for.
        kind: The work.
        limit: How many at most.
        after: Only those with higher ids.
    """
    return tx.column(
        """
        -- From owner to owner: an import may have put a million rows of one into the queue.
        with recursive owners as (
            (
                select owner_id from memory.search_queue where owner_id > %(after)s
                order by owner_id limit 1
            )
            union all
            select (
                select q.owner_id from memory.search_queue as q where q.owner_id > owners.owner_id
                order by q.owner_id limit 1
            )
            from owners
            where owners.owner_id is not null
        )
        select owner_id
        from owners
        where exists (
                select from memory.search_queue as q where q.owner_id = owners.owner_id and q.stage = %(stage)s
            )
            and not exists (
                select from memory.work as w
                where w.owner_id = owners.owner_id and w.kind = %(kind)s and w.state in ('ready', 'running', 'dead')
            )
        order by owner_id
        limit %(limit)s
        """,
        {"stage": stage, "kind": kind.name, "limit": limit, "after": after},
    )
