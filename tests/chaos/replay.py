"""Replays recorded runs serially in one process, without faults.

A recorded run says which notes it remembered, when it began, which steps it took and whether it counted. Walking the
runs of a Being in their order over an empty database must lead to the same memory, or something was lost, doubled or
mixed up on the way.
"""

from dataclasses import dataclass
from typing import Any
from unittest.mock import patch
from uuid import UUID

import numpy as np
from psycopg.types.json import Jsonb

from memory.patrol import steps
from memory.patrol.consolidation import MORE_TO_COME
from schemas.accounts.accounts import Being
from schemas.patrol.runs import Run
from schemas.settings import Settings
from store import clock
from store.accounts import beings, users
from store.database import Store
from store.llm import breakers
from store.patrol import runs
from store.transaction import Transaction
from tests.chaos.recorded import RecordedThinkers, recorded_thinkers
from tests.chaos.words import WordEmbedders
from tests.models.walking import walk_run

TOLERANCE = 1e-3


@dataclass(frozen=True)
class Memory:
    """A Being's memory without ids and times, which differ between the run and its replay.

    Attributes:
        nodes: By the producer's id of its note, what a node is.
        vectors: By the same, its vector.
        topics: The nodes of each topic, by the topic's name and its root's.
        counter: How many patrols have counted.
    """

    nodes: dict[str, dict[str, Any]]
    vectors: dict[str, np.ndarray]
    topics: dict[frozenset[str], tuple[str, str]]
    counter: int


def memory_of(store: Store, being_id: UUID) -> Memory:
    """Read a Being's memory."""
    with store.transaction() as tx:
        rows = tx.execute(
            "select coalesce(o.producer_id, o.note_id::text) as name, n.cluster_id, c.name as topic, root.name as root,"
            " s.status, s.session_count, s.importance, s.fresh, s.pinned, s.reactivation_count, s.scene, v.vector"
            " from memory.seen_nodes as s"
            " join memory.memory_nodes as n on n.being_id = s.being_id and n.node_id = s.node_id"
            " join memory.node_vectors as v on v.being_id = s.being_id and v.node_id = s.node_id"
            " join memory.notes as o on o.being_id = s.being_id and o.note_id = s.note_id"
            " left join memory.clusters as c on c.being_id = s.being_id and c.cluster_id = s.cluster_id"
            " left join memory.clusters as root on root.being_id = s.being_id and root.cluster_id = c.parent_id"
            " where s.being_id = %s",
            [being_id],
        ).fetchall()
        counter = beings.get_being(tx, being_id).patrol_counter
    described = ("status", "session_count", "importance", "fresh", "pinned", "reactivation_count", "scene")
    members: dict[tuple[UUID, str, str], set[str]] = {}
    for row in rows:
        members.setdefault((row["cluster_id"], row["topic"], row["root"]), set()).add(row["name"])
    return Memory(
        nodes={row["name"]: {name: row[name] for name in described} for row in rows},
        vectors={row["name"]: np.asarray(row["vector"].to_numpy(), np.float64) for row in rows},
        topics={frozenset(names): (topic, root) for (_, topic, root), names in members.items()},
        counter=counter,
    )


def differences(lived: Memory, replayed: Memory) -> list[str]:
    """Return the differences of two memories; empty if they are equal."""
    found = [f"{lived.counter} patrols counted, and {replayed.counter} when replayed"] * (
        lived.counter != replayed.counter
    )
    found += [f"{name} is no memory when replayed" for name in sorted(lived.nodes.keys() - replayed.nodes.keys())]
    found += [f"{name} is a memory only when replayed" for name in sorted(replayed.nodes.keys() - lived.nodes.keys())]
    for name in sorted(lived.nodes.keys() & replayed.nodes.keys()):
        found += [
            f"{name}: {what} is {value!r}, and {replayed.nodes[name][what]!r} when replayed"
            for what, value in lived.nodes[name].items()
            if value != replayed.nodes[name][what]
        ]
        if not np.allclose(lived.vectors[name], replayed.vectors[name], rtol=0, atol=TOLERANCE):
            found.append(f"{name}: another vector when replayed")
    for members, topic in lived.topics.items():
        if replayed.topics.get(members) != topic:
            found.append(f"the {len(members)} memories of {topic} are not together when replayed")
    return found


def replayed(recorded: Store, fresh: Store, being_id: UUID, settings: Settings) -> Memory:
    """Replay a Being's recorded runs, and return its memory.

    Args:
        recorded: The ledger of the life that was lived.
        fresh: A ledger without that Being.
        being_id: The Being.
        settings: The settings as they were.
    """
    embedders = WordEmbedders(settings.openai_embedding_dimensions or 0)
    with recorded.transaction() as tx:
        # At most one run waits at a time, so that run ids are in the order of starting.
        walked = [run for run in reversed(runs.newest(tx, being_id, 1_000_000)) if run.state in {"done", "failed"}]
        being = beings.get_being(tx, being_id)
        notes = {run.run_id: _remembered(tx, being_id, run.run_id) for run in walked}
        thinkers = {run.run_id: recorded_thinkers(tx, being_id, run) for run in walked}
    with fresh.transaction() as tx:
        again = beings.add_being(tx, users.add_user(tx, f"of {being_id}", "UTC").user_id, being.slug, being.name)
    for run in walked:
        _walk_again(fresh, embedders, thinkers[run.run_id], settings, again, run, notes[run.run_id])
    return memory_of(fresh, again.being_id)


def _remembered(tx: Transaction, being_id: UUID, run_id: UUID) -> list[dict[str, Any]]:
    return tx.execute(
        "select note_id, producer_id, type, content, content_hash, received_at, origin, ages_from from memory.notes"
        " where being_id = %s and run_id = %s and state in ('remembered', 'parse_failed', 'embed_failed')",
        [being_id, run_id],
    ).fetchall()


def _walk_again(
    fresh: Store,
    embedders: WordEmbedders,
    thinkers: RecordedThinkers,
    settings: Settings,
    being: Being,
    run: Run,
    notes: list[dict[str, Any]],
) -> None:
    counted = run.steps.get("session_counts", {}).get("outcome") == "done"
    with fresh.transaction() as tx:
        with tx.cursor() as cursor:
            cursor.executemany(
                "insert into memory.notes"
                " (being_id, note_id, producer_id, type, content, content_hash, received_at, origin, ages_from, state)"
                " values (%s, %s, %s, %s, %s, %s, %s, %s, %s, 'pending')",
                [[being.being_id, *({**note, "content": Jsonb(note["content"])}).values()] for note in notes],
            )
        assert run.as_of is not None
        clock.set_to(tx, run.as_of)
        run_id = runs.want(tx, being.being_id, demanded=counted, notes=max(1, len(notes)))
        if not counted:
            tx.execute("update memory.beings set ticked_at = memory.now() where being_id = %s", [being.being_id])
    # Both depend on notes and nodes that wait, and those of other runs are not here.
    left = run.steps.get("consolidate", {}).get("reason") == MORE_TO_COME
    with (
        patch.object(steps, "is_left_to_later_runs", return_value=left),
        patch.object(steps, "not_taken_up", return_value=0),
        # Which steps went without a model is recorded: no skipped one keeps the model from those behind it.
        patch.object(breakers, "trip"),
    ):
        walk_run(fresh, embedders, settings, being.being_id, run_id, run.steps, thinkers=thinkers)
    if run.state == "failed":
        with fresh.transaction() as tx:
            runs.end(tx, being.being_id, run_id, notes=1, error="as recorded")
