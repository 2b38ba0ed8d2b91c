"""Erasure for good of Beings, and of nodes with their notes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.accounts.accounts import Being
from store.accounts import request_answers
from store.nodes.embeddings import halfvec
from store.nodes.nodes import NodeWords
from store.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Survivor:
    """A node that absorbed a node to be erased, directly or through others: its note's content, and its action."""

    node_id: UUID
    note: Any
    action: str


def count_rows(tx: Transaction, being: Being) -> dict[str, int]:
    """Count a Being's rows by kind, and its user's facts."""
    row = tx.execute(
        """
        select (select count(*) from memory.notes where being_id = %(being)s) as notes,
            (select count(*) from memory.memory_nodes where being_id = %(being)s) as nodes,
            (
                (select count(*) from memory.messages where being_id = %(being)s)
                + (select count(*) from memory.retracted_messages where being_id = %(being)s)
            ) as messages,
            (select count(*) from memory.todos where being_id = %(being)s) as todos,
            (select count(*) from memory.diary where being_id = %(being)s) as diary_entries,
            (
                select count(*) from memory.vault_records where user_id = %(user)s and being_id = %(being)s
            ) as vault_records,
            (select count(*) from memory.facts where user_id = %(user)s) as facts
        """,
        {"being": being.being_id, "user": being.user_id},
    ).fetchone()
    return dict(row or {})


def erase_being(tx: Transaction, being: Being) -> None:
    """Erase a Being with its memory. The caller has locked the user's facts."""
    tx.execute(
        """
        select memory.forget_in_summaries(
            %(being)s, array(select message_id from memory.messages where being_id = %(being)s)
        )
        """,
        {"being": being.being_id},
    )
    (led,) = tx.execute(
        """
        select array_agg(m.message_id) as message_ids,
            array_agg(m.message_id) filter (where not m.judged and m.role <> 'assistant') as unjudged
        from memory.rooms as r
        join memory.messages as m on m.being_id = %s and m.conversation = r.room_id::text and not m.follows
        where r.user_id = %s
        """,
        [being.being_id, being.user_id],
    )
    tx.execute("delete from memory.beings where being_id = %s", [being.being_id])
    # Copies of messages that it heard in rooms are judged, and included in the spine, for the others.
    tx.execute(
        "select memory.settle_utterances(%s, %s, null, %s)",
        [being.user_id, led["message_ids"] or [], led["unjudged"] or []],
    )
    request_answers.remove(tx, being.user_id)


def remove_unused_names(tx: Transaction, user_id: UUID) -> None:
    """Delete a user's entity labels and aliases that no statement of their scope mentions any more."""
    tx.execute(
        """
        with mentioned as materialized (
            select distinct f.being_id, name.ref
            from memory.fact_statements as s
            join memory.facts as f using (user_id, fact_id), unnest(s.mentioned_refs) as name (ref)
            where s.user_id = %(user)s
        )
        delete from memory.entity_labels as l
        where l.user_id = %(user)s and not exists (
            select from mentioned as m where m.ref = l.alias_ref and m.being_id is not distinct from l.being_id
        )
        """,
        {"user": user_id},
    )
    tx.execute(
        """
        delete from memory.entity_aliases
        where user_id = %(user)s and alias_ref not in (
            select unnest(array[a.alias_ref, a.entity_ref])
            from memory.entity_aliases as a
            where a.user_id = %(user)s and a.alias_ref in (
                select unnest(mentioned_refs) from memory.fact_statements where user_id = %(user)s
            )
        )
        """,
        {"user": user_id},
    )


def with_absorbed(tx: Transaction, being_id: UUID, node_id: UUID) -> list[UUID]:
    """Return a node and all that it absorbed, directly or through others; empty if the node does not exist."""
    return tx.column(
        """
        with recursive absorbed (node_id) as (
            select node_id from memory.memory_nodes where being_id = %(being)s and node_id = %(node)s
            union
            select n.node_id
            from absorbed
            join memory.memory_nodes as n on n.being_id = %(being)s and n.absorbed_into = absorbed.node_id
        )
        select node_id from absorbed order by node_id
        """,
        {"being": being_id, "node": node_id},
    )


def survivors_of(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> list[Survivor]:
    """Return the nodes that absorbed some of these nodes, directly or through others, and are none of them."""
    rows = tx.execute(
        """
        with recursive survivor (node_id, absorbed_into, depth) as (
            select node_id, absorbed_into, 0
            from memory.memory_nodes
            where being_id = %(being)s and node_id = any(%(nodes)s)
            union
            select n.node_id, n.absorbed_into, survivor.depth + 1
            from survivor
            join memory.memory_nodes as n on n.being_id = %(being)s and n.node_id = survivor.absorbed_into
        )
        select n.node_id, o.content as note, n.scene ->> 'action' as action
        from (select node_id, max(depth) as depth from survivor group by node_id) as reached
        join memory.memory_nodes as n on n.being_id = %(being)s and n.node_id = reached.node_id
        join memory.notes as o on o.being_id = n.being_id and o.note_id = n.note_id
        where reached.depth > 0 and n.node_id <> all(%(nodes)s)
        order by reached.depth, n.node_id
        """,
        {"being": being_id, "nodes": list(node_ids)},
    )
    return [Survivor(**row) for row in rows]


def node_of(tx: Transaction, being_id: UUID, note_id: UUID) -> UUID | None:
    """Return the node that was made from a note, if there is one."""
    return tx.value("select node_id from memory.memory_nodes where being_id = %s and note_id = %s", [being_id, note_id])


def nodes_of(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID]) -> list[UUID]:
    """Return the nodes that were made from these notes."""
    return tx.column(
        "select node_id from memory.memory_nodes where being_id = %s and note_id = any(%s) order by node_id",
        [being_id, list(note_ids)],
    )


def erase_note(tx: Transaction, being_id: UUID, note_id: UUID) -> bool:
    """Erase a note that has no node; returns whether it existed. The caller has locked the Being."""
    return tx.changes("delete from memory.notes where being_id = %s and note_id = %s", [being_id, note_id])


def remove_derived(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> int:
    """Delete texts that models derived from nodes: diary pages, think_md, the snapshot, responses.

    The transaction has called `calls.refuse_answers`.

    Returns:
        The number of deleted diary pages.
    """
    pages = tx.execute(
        """
        delete from memory.diary
        where being_id = %(being)s and day in (
            select (
                select day
                from memory.diary as d
                where d.being_id = %(being)s and d.last_node_id >= erased.node_id
                order by d.last_node_id, d.day
                limit 1
            )
            from unnest(%(nodes)s::uuid[]) as erased (node_id)
        )
        """,
        {"being": being_id, "nodes": list(node_ids)},
    ).rowcount
    tx.execute("update memory.souls set think_md = '', thought_at = null where being_id = %s", [being_id])
    tx.execute("delete from memory.session_snapshot where being_id = %s", [being_id])
    tx.execute(
        """
        delete from memory.model_responses
        where owner_id = %(being)s and (
            not retained and kind like 'patrol.%%'
            or shown_ids && %(nodes)s::uuid[]
            -- Retained before the nodes were recorded that a response was about.
            or response_id::text in (
                select detail ->> 'response_id'
                from memory.node_history
                where being_id = %(being)s and node_id = any(%(nodes)s)
            )
        )
        """,
        {"being": being_id, "nodes": list(node_ids)},
    )
    return pages


def restore_absorbed(tx: Transaction, being_id: UUID, survivors: Sequence[UUID], erased: Sequence[UUID]) -> int:
    """Make nodes that these survivors absorbed active again, except erased ones; returns their number.

    They are marked fresh for the next patrol, and their session counts go on from where they stopped.
    """
    return tx.execute(
        """
        update memory.memory_nodes as n
        set status = 'active', absorbed_into = null, fresh = true, reactivations_at_death = null,
            session_count_base = b.patrol_counter - n.final_session_count, final_session_count = null
        from memory.beings as b
        where b.being_id = n.being_id and n.being_id = %s and n.absorbed_into = any(%s) and n.node_id <> all(%s)
        """,
        [being_id, list(survivors), list(erased)],
    ).rowcount


def replace_words(tx: Transaction, being_id: UUID, node_id: UUID, model: str, words: NodeWords) -> None:
    """Replace a node's scene, feeling, themes and vector; its importance stays."""
    tx.execute(
        """
        update memory.memory_nodes
        set scene = %s, feeling = %s, themes = %s, emotion = %s, text_hash = %s
        where being_id = %s and node_id = %s
        """,
        [
            *(Jsonb(words.scene), words.feeling, words.themes, None if words.emotion is None else Jsonb(words.emotion)),
            *(words.text_hash, being_id, node_id),
        ],
    )
    tx.execute(
        "select memory.put_vectors(%s, %s, array[%s::uuid], array[%s::halfvec])",
        [being_id, model, node_id, halfvec(words.vector)],
    )


def erase_nodes(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Erase nodes with their notes, history and vectors. The caller has locked the Being."""
    erased = tx.execute(
        "delete from memory.memory_nodes where being_id = %s and node_id = any(%s) returning note_id",
        [being_id, list(node_ids)],
    ).fetchall()
    tx.execute(
        "delete from memory.notes where being_id = %s and note_id = any(%s)",
        [being_id, [row["note_id"] for row in erased]],
    )
    # Vectors that a patrol has computed and not applied yet go too, and are computed again.
    tx.execute(
        """
        delete from memory.embeddings as e
        where being_id = %s and not exists (
            select from memory.memory_nodes as n where n.being_id = e.being_id and n.text_hash = e.text_hash
        )
        """,
        [being_id],
    )


def return_to_notes(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Erase nodes and make their notes pending, so that the next patrol makes the nodes anew.

    The caller has locked the Being.
    """
    tx.execute(
        """
        with erased as (
            delete from memory.memory_nodes
            where being_id = %(being)s and node_id = any(%(nodes)s)
            returning note_id
        )
        update memory.notes as n
        set state = 'pending', reason = null, run_id = null
        from erased
        where n.being_id = %(being)s and n.note_id = erased.note_id
        """,
        {"being": being_id, "nodes": list(node_ids)},
    )
