"""Memory nodes: born, read, corrected, pinned, forgotten."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, LiteralString
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.nodes.nodes import HistoryEvent, Node
from store.nodes.embeddings import Vector, halfvec
from store.transaction import Transaction

StateChange = Literal["pin", "unpin", "forget", "revive", "undo"]
"""A person's decision about a node."""

_STATE_CHANGES: Mapping[StateChange, LiteralString] = {
    "pin": "select memory.pin_node(%s, %s)",
    "unpin": "select memory.unpin_node(%s, %s)",
    "forget": "select memory.forget_node(%s, %s)",
    "revive": "select memory.revive_node(%s, %s)",
    "undo": "select memory.undo_node(%s, %s)",
}


@dataclass(frozen=True, slots=True)
class NodeWords:
    """The content of a node, and the values computed from it."""

    scene: dict[str, Any]
    feeling: str | None
    themes: list[str]
    emotion: dict[str, float] | None
    importance: float
    text_hash: bytes
    vector: Vector


def insert(tx: Transaction, being_id: UUID, run_id: UUID, model: str, born: Sequence[tuple[UUID, NodeWords]]) -> None:
    """Make one fresh node for each (note id, words), active from the Being's present patrol on."""
    words = [each for _, each in born]
    tx.execute(
        """
        insert into memory.memory_nodes (
            being_id, run_id, session_count_base, note_id, scene, feeling, themes, emotion, importance, text_hash
        )
        select b.being_id, %(run)s, b.patrol_counter, born.note_id, born.scene, born.feeling,
            array(select jsonb_array_elements_text(born.themes)), born.emotion, born.importance, born.text_hash
        from memory.beings as b,
            unnest(
                %(notes)s::uuid[], %(scenes)s::jsonb[], %(feelings)s::text[], %(themes)s::jsonb[],
                %(emotions)s::jsonb[], %(importances)s::float8[], %(hashes)s::bytea[]
            ) as born (note_id, scene, feeling, themes, emotion, importance, text_hash)
        where b.being_id = %(being)s
        """,
        {
            "being": being_id,
            "run": run_id,
            "notes": [note_id for note_id, _ in born],
            "scenes": [Jsonb(each.scene) for each in words],
            "feelings": [each.feeling for each in words],
            "themes": [Jsonb(each.themes) for each in words],
            "emotions": [None if each.emotion is None else Jsonb(each.emotion) for each in words],
            "importances": [each.importance for each in words],
            "hashes": [each.text_hash for each in words],
        },
    )
    tx.execute(
        """
        select memory.put_vectors(%(being)s, %(model)s, array_agg(n.node_id), array_agg(born.vector))
        from unnest(%(notes)s::uuid[], %(vectors)b::halfvec[]) as born (note_id, vector)
        join memory.memory_nodes as n on n.being_id = %(being)s and n.note_id = born.note_id
        """,
        {
            "being": being_id,
            "model": model,
            "notes": [note_id for note_id, _ in born],
            "vectors": [halfvec(each.vector) for each in words],
        },
    )


def age_new(tx: Transaction, being_id: UUID, note_ids: Sequence[UUID], tick: timedelta) -> None:
    """Age the new nodes of these notes by the ticks since the time from which the notes say that they age."""
    tx.execute(
        """
        update memory.memory_nodes as n
        set session_count_base = n.session_count_base - floor(
            extract(epoch from memory.now() - o.ages_from) / extract(epoch from %(tick)s::interval)
        )::bigint
        from memory.notes as o
        where n.being_id = %(being)s and n.note_id = any(%(notes)s)
            and o.being_id = n.being_id and o.note_id = n.note_id and o.ages_from <= memory.now()
        """,
        {"being": being_id, "notes": list(note_ids), "tick": max(tick, timedelta(seconds=1))},
    )


def get(tx: Transaction, being_id: UUID, node_id: UUID, *, muted: bool = True) -> Node | None:
    """One node of this Being; a muted one with `muted`."""
    return tx.row(
        Node,
        """
        select * from memory.seen_nodes
        where being_id = %s and node_id = %s and (%s or not memory.is_muted(being_id, 'node', node_id))
        """,
        [being_id, node_id, muted],
    )


def named(tx: Transaction, being_id: UUID, name: str) -> list[UUID]:
    """Up to two nodes whose id ends so, or whose note has this producer id."""
    return tx.column(
        "select node_id from memory.memory_nodes join memory.notes using (being_id, note_id)"
        " where being_id = %(being)s and (right(node_id::text, length(%(name)s)) = lower(%(name)s)"
        " or producer_id = %(name)s) order by node_id limit 2",
        {"being": being_id, "name": name},
    )


def page(
    tx: Transaction,
    being_id: UUID,
    *,
    limit: int,
    cluster_id: UUID | None = None,
    status: str | None = None,
    forgotten: bool = True,
    muted: bool = True,
    before: tuple[datetime, UUID] | None = None,
) -> list[Node]:
    """Nodes by birth, newest first, from `before` (created_at, node_id) on; optionally forgotten and muted ones too."""
    moment, node_id = before or (None, None)
    return tx.rows(
        Node,
        "select * from memory.seen_nodes where being_id = %(being)s"
        " and (%(cluster)s::uuid is null or cluster_id = %(cluster)s)"
        " and (%(status)s::text is null or status = %(status)s)"
        " and (%(forgotten)s or forgotten_at is null)"
        " and (%(muted)s or not memory.is_muted(being_id, 'node', node_id))"
        " and (%(moment)s::timestamptz is null or (created_at, node_id) < (%(moment)s, %(node)s::uuid))"
        " order by created_at desc, node_id desc limit %(limit)s",
        {
            "being": being_id,
            "cluster": cluster_id,
            "status": status,
            "forgotten": forgotten,
            "muted": muted,
            "moment": moment,
            "node": node_id,
            "limit": limit,
        },
    )


def fading(
    tx: Transaction,
    being_id: UUID,
    *,
    patrols: int,
    limit: int,
    muted: bool = True,
    after: tuple[int, UUID] | None = None,
) -> list[tuple[int, Node]]:
    """Nodes, muted ones with `muted`, that will be dying within `patrols` more patrols, soonest first, after `after`.

    Each with the count of patrols at which it fades; that count and the node's id are the order.
    """
    fades_at, node_id = after or (None, None)
    rows = tx.execute(
        """
        select *
        from memory.seen_nodes
        where being_id = %(being)s
            and fades_at_counter <= (
                select patrol_counter + %(patrols)s from memory.beings where being_id = %(being)s
            )
            and (%(muted)s or not memory.is_muted(being_id, 'node', node_id))
            and (%(fades_at)s::bigint is null or (fades_at_counter, node_id) > (%(fades_at)s, %(node)s::uuid))
        order by fades_at_counter, node_id
        limit %(limit)s
        """,
        {
            "being": being_id,
            "patrols": patrols,
            "muted": muted,
            "fades_at": fades_at,
            "node": node_id,
            "limit": limit,
        },
    )
    return [(row["fades_at_counter"], Node.model_validate(row)) for row in rows]


def history(tx: Transaction, being_id: UUID, node_id: UUID) -> list[HistoryEvent]:
    """The events of a node, first to last."""
    return tx.rows(
        HistoryEvent,
        "select event, detail, run_id, happened_at from memory.node_history"
        " where being_id = %s and node_id = %s order by event_id",
        [being_id, node_id],
    )


def absorbed_by(tx: Transaction, being_id: UUID, node_id: UUID) -> list[Node]:
    """The nodes that this one took in, oldest first."""
    return tx.rows(
        Node,
        "select * from memory.seen_nodes where being_id = %s and absorbed_into = %s order by created_at, node_id",
        [being_id, node_id],
    )


def change_state(tx: Transaction, being_id: UUID, node_id: UUID, change: StateChange) -> None:
    """Change a node's state as a person decided.

    `pin` keeps it from fading, `unpin` lets it fade again. After `forget` nothing finds it and no patrol revives it;
    `revive` brings it back as if it had just been recalled. `undo` undoes the latest of these two: the node gets
    the state and age that it would have without it.

    Raises:
        NotFound: This Being has no such node.
        Refused: A dead node is to be pinned, or a pinned one forgotten; or the change can't be undone, since
            something else happened to the node's state, or the memory that had absorbed it was erased.
    """
    tx.execute(_STATE_CHANGES[change], [being_id, node_id])


def correct(tx: Transaction, being_id: UUID, read: Node, model: str, words: NodeWords) -> bool:
    """Replace a node's content.

    Returns:
        False, and nothing is changed, where the node's content is not the one that was read, or the Being has moved to
        another model than the vector's: read again.

    Raises:
        NotFound: This Being has no such node.
    """
    return tx.value(
        "select memory.correct_node(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s::halfvec)",
        [
            being_id,
            read.node_id,
            # Not in JSON's mode, which rounds numbers: the statement compares with stored values.
            Jsonb(read.model_dump(include={"scene", "feeling", "themes", "emotion", "importance"})),
            Jsonb(words.scene),
            words.feeling,
            words.themes,
            None if words.emotion is None else Jsonb(words.emotion),
            words.importance,
            words.text_hash,
            model,
            halfvec(words.vector),
        ],
    )


def reworded_since(tx: Transaction, being_id: UUID, node_ids: Sequence[UUID], moment: datetime) -> set[UUID]:
    """Those of these nodes whose words have changed since a moment: their earlier words are not stored."""
    return tx.distinct(
        """
        select distinct node_id
        from memory.node_history
        where being_id = %s and node_id = any(%s) and event = 'reworded' and happened_at > %s
        """,
        [being_id, list(node_ids), moment],
    )
