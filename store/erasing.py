"""Erasing for good: a Being, or a memory with the note that it was made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.limits import TOPIC_NAME_CHARACTERS
from schemas.rows import Being
from store.embeddings import literal
from store.nodes import NodeWords
from store.transaction import Transaction, value

UNNAMED = "Unnamed"


@dataclass(frozen=True, slots=True)
class Grown:
    """A memory that took in what is to be erased, directly or by others: what it says, and the note it was made of."""

    node_id: UUID
    note: Any
    action: str


def weigh(tx: Transaction, being: Being) -> dict[str, int]:
    """How much there is of a Being, and of its user's facts."""
    row = tx.execute(
        "select (select count(*) from memory.notes where being_id = %(being)s) as notes,"
        " (select count(*) from memory.memory_nodes where being_id = %(being)s) as nodes,"
        " (select count(*) from memory.messages where being_id = %(being)s) as messages,"
        " (select count(*) from memory.todos where being_id = %(being)s) as todos,"
        " (select count(*) from memory.diary where being_id = %(being)s) as diary_entries,"
        " (select count(*) from memory.vault_records where user_id = %(user)s and being_id = %(being)s)"
        " as vault_records,"
        " (select count(*) from memory.facts where user_id = %(user)s) as facts",
        {"being": being.being_id, "user": being.user_id},
    ).fetchone()
    return dict(row or {})


def erase_being(tx: Transaction, being: Being) -> None:
    """Erase a Being with all that it was told and remembers. Whoever does holds its user's facts."""
    tx.execute(
        "select memory.forget_in_summaries(%(being)s, array(select message_id from memory.messages"
        " where being_id = %(being)s))",
        {"being": being.being_id},
    )
    tx.execute("delete from memory.beings where being_id = %s", [being.being_id])
    tx.execute(
        "delete from memory.model_responses where user_id = %s and being_id is null and not kept", [being.user_id]
    )


def forget_names(tx: Transaction, user_id: UUID) -> None:
    """Forget names that no statement holds any more, and what they stood for."""
    tx.execute(
        "delete from memory.entity_aliases where user_id = %(user)s and alias_ref not in"
        " (select unnest(array[a.alias_ref, a.entity_ref]) from memory.entity_aliases as a where a.user_id = %(user)s"
        " and a.alias_ref in (select unnest(told_as) from memory.fact_statements where user_id = %(user)s))",
        {"user": user_id},
    )


def taken_in(tx: Transaction, being_id: UUID, node_id: UUID) -> list[UUID]:
    """A memory and all that it took in, they themselves, and so on; none where there is no such memory."""
    rows = tx.execute(
        "with recursive way (node_id) as (select node_id from memory.memory_nodes where being_id = %(being)s"
        " and node_id = %(node)s union select n.node_id from way join memory.memory_nodes as n"
        " on n.being_id = %(being)s and n.absorbed_into = way.node_id) select node_id from way order by node_id",
        {"being": being_id, "node": node_id},
    )
    return [row["node_id"] for row in rows]


def grown_by(tx: Transaction, being_id: UUID, node_id: UUID) -> list[Grown]:
    """The memories that took this one in, the first first."""
    rows = tx.execute(
        "with recursive way (node_id, absorbed_into, depth) as (select node_id, absorbed_into, 0"
        " from memory.memory_nodes where being_id = %(being)s and node_id = %(node)s union select n.node_id,"
        " n.absorbed_into, way.depth + 1 from way join memory.memory_nodes as n on n.being_id = %(being)s"
        " and n.node_id = way.absorbed_into) select n.node_id, o.content as note, n.scene ->> 'action' as action"
        " from way join memory.memory_nodes as n on n.being_id = %(being)s and n.node_id = way.node_id"
        " join memory.notes as o on o.being_id = n.being_id and o.note_id = n.note_id"
        " where depth > 0 order by depth",
        {"being": being_id, "node": node_id},
    )
    return [Grown(**row) for row in rows]


def node_of(tx: Transaction, being_id: UUID, note_id: UUID) -> UUID | None:
    """The memory that was made of a note."""
    found: UUID | None = value(
        tx, "select node_id from memory.memory_nodes where being_id = %s and note_id = %s", [being_id, note_id]
    )
    return found


def erase_note(tx: Transaction, being_id: UUID, note_id: UUID) -> bool:
    """Erase a note of which no memory was made; False where there is none. Whoever does holds the Being."""
    return (
        tx.execute("delete from memory.notes where being_id = %s and note_id = %s", [being_id, note_id]).rowcount == 1
    )


def actions(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> list[str]:
    """What happened in these memories."""
    rows = tx.execute(
        "select scene ->> 'action' as action from memory.memory_nodes where being_id = %s and node_id = any(%s)",
        [being_id, list(node_ids)],
    )
    return [row["action"] for row in rows]


def unsay(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> int:
    """Erase what was made of memories beside others: pages, thoughts, what models said. Returns how many pages."""
    pages = tx.execute(
        "delete from memory.diary where being_id = %(being)s and day in (select (select day from memory.diary as d"
        " where d.being_id = %(being)s and d.told_to >= told.node_id order by d.told_to, d.day limit 1)"
        " from unnest(%(nodes)s::uuid[]) as told (node_id))",
        {"being": being_id, "nodes": list(node_ids)},
    ).rowcount
    tx.execute("update memory.souls set think_md = '', thought_at = null where being_id = %s", [being_id])
    tx.execute("delete from memory.session_snapshot where being_id = %s", [being_id])
    tx.execute(
        "delete from memory.model_responses where owner_id = %(being)s and (not kept and kind like 'patrol.%%'"
        " or response_id::text in (select detail ->> 'response_id' from memory.node_history"
        " where being_id = %(being)s and node_id = any(%(nodes)s)))",
        {"being": being_id, "nodes": list(node_ids)},
    )
    return pages


def part(tx: Transaction, being_id: UUID, grown: Sequence[UUID], gone: Sequence[UUID]) -> int:
    """Give back what memories took in, but for what is gone: to be looked at again, it goes on from where it stopped.

    Returns:
        How many stand by themselves again.
    """
    return tx.execute(
        "update memory.memory_nodes as n set status = 'active', absorbed_into = null, fresh = true,"
        " counted_from = b.patrol_counter - n.stopped_at, stopped_at = null, reactivations_at_death = null"
        " from memory.beings as b where b.being_id = n.being_id and n.being_id = %s and n.absorbed_into = any(%s)"
        " and n.node_id <> all(%s)",
        [being_id, list(grown), list(gone)],
    ).rowcount


def reword(tx: Transaction, being_id: UUID, node_id: UUID, model: str, words: NodeWords) -> None:
    """Let a memory say this from now on; it weighs what it weighed."""
    tx.execute(
        "update memory.memory_nodes set scene = %s, feeling = %s, themes = %s, text_hash = %s, embedding_model = %s,"
        " vector = %s::halfvec where being_id = %s and node_id = %s",
        [
            *(Jsonb(words.scene), words.feeling, words.themes, words.text_hash, model, literal(words.vector)),
            *(being_id, node_id),
        ],
    )


def erase_nodes(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID]) -> None:
    """Erase memories with their notes, history and vectors. Whoever does holds the Being."""
    gone = tx.execute(
        "delete from memory.memory_nodes where being_id = %s and node_id = any(%s) returning note_id",
        [being_id, list(node_ids)],
    ).fetchall()
    tx.execute(
        "delete from memory.notes where being_id = %s and note_id = any(%s)",
        [being_id, [row["note_id"] for row in gone]],
    )
    # What a patrol has just paid for and has made nothing of yet goes too, and is paid for again.
    tx.execute(
        "delete from memory.embeddings as e where being_id = %s and not exists (select from memory.memory_nodes as n"
        " where n.being_id = e.being_id and n.text_hash = e.text_hash)",
        [being_id],
    )


def rename_topics(tx: Transaction, being_id: UUID, names: Sequence[str]) -> int:
    """Call topics that bear one of these names after their newest memory; returns how many."""
    return tx.execute(
        "update memory.clusters as c set name = coalesce((select left(n.scene ->> 'action', %s)"
        " from memory.memory_nodes as n where n.being_id = c.being_id and n.cluster_id = c.cluster_id"
        " and n.status = 'active' order by n.created_at desc, n.node_id desc limit 1), %s)"
        " where being_id = %s and not is_parent and name = any(%s)",
        [TOPIC_NAME_CHARACTERS, UNNAMED, being_id, list(names)],
    ).rowcount
