"""Vectors of documents without one in their own row, and of windows of long nodes and facts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from schemas.search import Kind
from store.nodes.embeddings import Vector, halfvec
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class UnembeddedDocument:
    """A document without a vector, with its text, and its speaker, where that is known."""

    kind: Kind
    item_id: UUID
    content: Any
    feeling: str | None
    speaker: str | None


@dataclass(frozen=True, slots=True)
class WindowVector:
    """The vector of a text, or of a window that begins at one of its characters."""

    starts_at: int
    vector: Vector


def unembedded(tx: Transaction, owner_id: UUID, user_id: UUID, limit: int) -> list[UnembeddedDocument]:
    """Documents that wait for a vector, in no promised order; those whose source is gone are taken from the queue."""
    found = tx.rows(
        UnembeddedDocument,
        """
        select q.kind, q.item_id, told.content, told.feeling, m.speaker
        from (
            select * from memory.search_queue where owner_id = %(owner)s and stage = 'meaning' limit %(limit)s
        ) as q
        left join lateral memory.told_item(%(user)s, q.owner_id, q.kind, q.item_id) as told on true
        left join memory.messages as m
            on q.kind = 'message' and m.being_id = q.owner_id and m.message_id = q.item_id
        """,
        {"owner": owner_id, "user": user_id, "limit": limit},
    )
    gone = [one for one in found if one.content is None]
    if gone:
        _take_gone(tx, owner_id, gone)
    return [one for one in found if one.content is not None]


def _take_gone(tx: Transaction, owner_id: UUID, gone: Sequence[UnembeddedDocument]) -> None:
    """Take from the queue rows without a document: left there, they would be read before all others."""
    tx.execute(
        """
        delete from memory.search_queue as q
        using unnest(%(kinds)s::memory.search_kind[], %(items)s::uuid[]) as gone (kind, item_id)
        where q.owner_id = %(owner)s and q.stage = 'meaning' and q.kind = gone.kind and q.item_id = gone.item_id
            and not exists (
                select from memory.search_documents as d
                where d.owner_id = q.owner_id and d.kind = q.kind and d.item_id = q.item_id
            )
        """,
        {"owner": owner_id, "kinds": [one.kind for one in gone], "items": [one.item_id for one in gone]},
    )


def share(tx: Transaction, owner_id: UUID, user_id: UUID, model: str) -> None:
    """Give utterances in rooms that wait the vectors that other Beings have of the same words by the same speaker."""
    tx.execute(
        """
        with waiting as (
            select q.item_id, m.speaker, d.document_id, d.said_at, d.arrived_at
            from memory.search_queue as q
            join memory.messages as m on m.being_id = q.owner_id and m.message_id = q.item_id
            join memory.rooms as r on r.user_id = %(user)s and r.room_id::text = m.conversation
            join memory.search_documents as d
                on d.owner_id = q.owner_id and d.kind = 'message' and d.item_id = q.item_id
            where q.owner_id = %(owner)s and q.stage = 'meaning' and q.kind = 'message'
                and exists (select from memory.rooms where user_id = %(user)s)
        ),
        shared as (
            insert into memory.search_vectors
                (owner_id, embedding_model, document_id, starts_at, kind, said_at, arrived_at, vector)
            select %(owner)s, v.embedding_model, w.document_id, v.starts_at, v.kind, w.said_at, w.arrived_at, v.vector
            from waiting as w
            join memory.beings as b on b.user_id = %(user)s and b.being_id <> %(owner)s
            join memory.messages as m on m.being_id = b.being_id and m.message_id = w.item_id
                and m.speaker is not distinct from w.speaker
            join memory.search_documents as d
                on d.owner_id = m.being_id and d.kind = 'message' and d.item_id = m.message_id
            join memory.search_vectors as v
                on v.owner_id = d.owner_id and v.embedding_model = %(model)s and v.document_id = d.document_id
            on conflict do nothing
            returning document_id
        )
        delete from memory.search_queue as q
        using waiting as w
        where q.owner_id = %(owner)s and q.stage = 'meaning' and q.kind = 'message' and q.item_id = w.item_id
            and w.document_id in (select document_id from shared)
        """,
        {"owner": owner_id, "user": user_id, "model": model},
    )


def keep(
    tx: Transaction,
    owner_id: UUID,
    model: str,
    vectors: Mapping[tuple[Kind, UUID], Sequence[WindowVector]],
    seen: Sequence[UnembeddedDocument],
) -> None:
    """Keep vectors of documents that have not changed since they were read, in place of earlier ones.

    These documents are taken from the queue.
    """
    by = {
        "owner": owner_id,
        "model": model,
        "kinds": [one.kind for one in seen],
        "items": [one.item_id for one in seen],
    }
    taken = tx.execute(
        """
        delete from memory.search_queue as q
        using unnest(%(kinds)s::memory.search_kind[], %(items)s::uuid[]) as seen (kind, item_id)
        where q.owner_id = %(owner)s and q.stage = 'meaning' and q.kind = seen.kind and q.item_id = seen.item_id
            and not exists (
                select from memory.search_queue as changed
                where changed.owner_id = q.owner_id and changed.stage = 'words' and changed.kind = q.kind
                    and changed.item_id = q.item_id
            )
        returning q.kind, q.item_id
        """,
        by,
    ).fetchall()
    known = {(row["kind"], row["item_id"]) for row in taken}
    kept = [(*item, one) for item, made in vectors.items() if item in known for one in made]
    # A message's text never changes, and so is queued only where it has no vector of the model.
    changeable = [(kind, item_id) for kind, item_id in known if kind != "message"]
    by |= {
        "taken_kinds": [kind for kind, _ in changeable],
        "taken_items": [item_id for _, item_id in changeable],
        "kinds": [kind for kind, _, _ in kept],
        "items": [item_id for _, item_id, _ in kept],
        "starts": [one.starts_at for _, _, one in kept],
        "vectors": [halfvec(one.vector) for _, _, one in kept],
    }
    if changeable:
        # By arrays: as a join, all vectors of an owner were read while the statistics did not know of them yet.
        tx.execute(
            """
            delete from memory.search_vectors
            where owner_id = %(owner)s and embedding_model = %(model)s
                and kind = any(%(taken_kinds)s::memory.search_kind[])
                and document_id = any(array(
                    select d.document_id
                    from unnest(%(taken_kinds)s::memory.search_kind[], %(taken_items)s::uuid[]) as taken (kind, item_id)
                    join memory.search_documents as d
                        on d.owner_id = %(owner)s and d.kind = taken.kind and d.item_id = taken.item_id
                ))
            """,
            by,
        )
    tx.execute(
        """
        insert into memory.search_vectors
            (owner_id, embedding_model, document_id, starts_at, kind, said_at, arrived_at, vector)
        select d.owner_id, %(model)s, d.document_id, new.starts_at, d.kind, d.said_at, d.arrived_at, new.vector
        from unnest(%(kinds)s::memory.search_kind[], %(items)s::uuid[], %(starts)s::integer[], %(vectors)b::halfvec[])
            as new (kind, item_id, starts_at, vector)
        join memory.search_documents as d
            on d.owner_id = %(owner)s and d.kind = new.kind and d.item_id = new.item_id
        order by d.document_id, new.starts_at
        on conflict do nothing
        """,
        by,
    )


def serve(tx: Transaction, owner_id: UUID, model: str) -> bool:
    """Let a model's vectors serve once no document waits for one, and delete all others; False while one waits.

    Until then the vectors of the model before serve. An owner's first model serves from its first vector on.
    """
    served = tx.execute(
        """
        update memory.search_owners as o set embedding_model = %(model)s
        where owner_id = %(owner)s and embedding_model is distinct from %(model)s
            and (
                embedding_model is null
                or not exists (
                    select from memory.search_queue as q where q.owner_id = o.owner_id and q.stage = 'meaning'
                )
            )
        returning owner_id
        """,
        {"owner": owner_id, "model": model},
    ).rowcount
    if served:
        tx.execute("delete from memory.search_vectors where owner_id = %s and embedding_model <> %s", [owner_id, model])
    return bool(served)


def embed_again(tx: Transaction, owner_id: UUID, model: str, kinds: Sequence[Kind]) -> None:
    """Queue an owner's documents that have no vector of a model: those of these kinds, and long ones of others."""
    tx.execute(
        """
        insert into memory.search_queue (owner_id, stage, kind, item_id)
        select d.owner_id, 'meaning', d.kind, d.item_id
        from memory.search_documents as d
        where d.owner_id = %(owner)s
            and (
                d.kind = any(%(kinds)s::memory.search_kind[])
                or exists (
                    select from memory.search_vectors as v
                    where v.owner_id = d.owner_id and v.kind = d.kind and v.document_id = d.document_id
                )
            )
            and not exists (
                select from memory.search_vectors as v
                where v.owner_id = d.owner_id and v.embedding_model = %(model)s and v.kind = d.kind
                    and v.document_id = d.document_id
            )
        on conflict do nothing
        """,
        {"owner": owner_id, "model": model, "kinds": list(kinds)},
    )


def owners_of_other_models(tx: Transaction, model: str, limit: int) -> list[UUID]:
    """Owners whose vectors are of another model than this one."""
    return tx.column(
        "select owner_id from memory.search_owners where embedding_model <> %s order by owner_id limit %s",
        [model, limit],
    )


def being_model(tx: Transaction, owner_id: UUID) -> str | None:
    """The model of a Being's memories; None for an owner that is no Being, or that has no memories yet."""
    found: str | None = tx.value("select embedding_model from memory.beings where being_id = %s", [owner_id])
    return found
