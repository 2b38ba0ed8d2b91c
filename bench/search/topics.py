"""Measures the topics and roots that memories get without a model, told session by session, with a patrol after each.

Memories are a conversation's scene notes; where it has none, what the user said, as scenes. The root of each note of
LoCoMo's development conversations was labelled by a person in `roots.json`: Business is work, trade and training for
it; `either` has what is both or neither, and is left out.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any
from uuid import UUID

from memory.intake.notes import accept_notes
from memory.patrol import demand, steps
from providers.embedders import Embedders
from providers.thinkers import Thinkers
from schemas.ledger.kinds import PATROL_STEPS
from schemas.limits import BATCH_ITEMS
from schemas.settings import Settings
from store import clock
from store.accounts import beings, users
from store.database import Store
from store.ledger import work

LABELS: Mapping[str, Mapping[str, str]] = json.loads((Path(__file__).parent / "roots.json").read_text(encoding="utf-8"))
LEASE = timedelta(minutes=10)
SCENE_CHARACTERS = 300
# Conversations of many sessions are told in so many portions: a memory fades after 69 patrols.
MOST_PATROLS = 25
ENOUGH = 100


def topics_without_model(
    store: Store, embedders: Embedders, name: str, messages: Sequence[Mapping[str, Any]], notes: Sequence[Any]
) -> dict[str, list[float]]:
    """Feed a new Being a conversation, and measure its topics.

    Args:
        store: The ledger.
        embedders: Embed the memories.
        name: The conversation's.
        messages: Its messages in the wire format, with ids that begin with the session's.
        notes: Its scene notes, ordered by session; empty: scenes are made of the user's messages.
    """
    settings = Settings(embedder="minilm")
    with store.transaction() as tx:
        user = users.add_user(tx, f"{name} by topics", "UTC")
        being_id = beings.add_being(tx, user.user_id, "topics", "Being").being_id
    largest = 0.0
    with closing(Thinkers(settings)) as thinkers:
        for portion in _portions(notes or _scenes(messages)):
            with store.transaction() as tx:
                clock.set_to(tx, datetime.fromisoformat(f"{portion[-1]['content']['when'][0]}T23:00:00+00:00"))
            for start in range(0, len(portion), BATCH_ITEMS):
                accept_notes(store, settings, being_id, portion[start : start + BATCH_ITEMS])
            _patrol(store, embedders, thinkers, settings, being_id)
            sizes = [len(nodes) for _, nodes in _topics(store, being_id)]
            if (total := _memories(store, being_id)) >= ENOUGH and sizes:
                largest = max(largest, max(sizes) / total)
    topics = _topics(store, being_id)
    names = [[_share(word, nodes) for word in topic.split(", ")] for topic, nodes in topics]
    people = {word for note in notes for actor in note["content"].get("actors", ()) for word in _words(actor)}
    return {
        "topics": [len(topics)],
        "share of memories in topics": [sum(len(nodes) for _, nodes in topics) / _memories(store, being_id)],
        "largest share of a topic, of 100 memories or more": [largest],
        "least share of its memories that have a word of a topic's name": [min(map(min, names))],
        "topics named after an actor": [sum(not people.isdisjoint(_words(topic)) for topic, _ in topics)],
        **_roots(store, being_id, LABELS.get(name, {})),
    }


def _roots(store: Store, being_id: UUID, labels: Mapping[str, str]) -> dict[str, list[float]]:
    """For each labelled note whether its node is below the right root, and whether it is Private."""
    if not labels:
        return {}
    wanted = {note: root for root in ("Business", "Private") for note in labels[root].split()}
    with store.transaction() as tx:
        rows = tx.execute(
            """
            select n.producer_id, root.name
            from memory.notes as n
            join memory.memory_nodes as m using (being_id, note_id)
            join memory.clusters as c using (being_id, cluster_id)
            join memory.clusters as root on root.being_id = c.being_id and root.cluster_id = c.parent_id
            where n.being_id = %s
            """,
            [being_id],
        ).fetchall()
    given = {row["producer_id"].partition(":")[2]: row["name"] for row in rows}
    return {
        "right root": [float(given[note] == root) for note, root in wanted.items()],
        "Private": [float(root == "Private") for root in wanted.values()],
    }


def _scenes(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [
        {
            "id": message["id"],
            "type": "scene",
            "content": {
                "action": message["content"][:SCENE_CHARACTERS],
                "actors": ["User"],
                "when": [message["created_at"][:10]],
            },
        }
        for message in messages
        if message["role"] == "user" and message["content"].strip()
    ]


def _portions(notes: Sequence[Any]) -> Iterator[list[Any]]:
    """The notes of each session, or of some sessions in a row."""
    # `conversation:session:…` or `session#…`
    sessions = [list(some) for _, some in groupby(notes, lambda note: note["id"].split("#")[0].split(":")[:2])]
    at_once = -(-len(sessions) // MOST_PATROLS)
    for start in range(0, len(sessions), at_once):
        yield [note for session in sessions[start : start + at_once] for note in session]


def _patrol(store: Store, embedders: Embedders, thinkers: Thinkers, settings: Settings, being_id: UUID) -> None:
    run = demand.demand(store, settings, being_id)
    doing = {
        "embed": lambda claim: steps.embed(store, embedders, thinkers, settings, claim),
        "assign": lambda claim: steps.assign(store, embedders, thinkers, settings, claim),
        "session_counts": lambda claim: steps.session_counts(store, settings, claim),
        "dying": lambda claim: steps.dying(store, claim),
        "consolidate": lambda claim: steps.consolidate(store, embedders, thinkers, settings, claim),
        "revive": lambda claim: steps.revive(store, claim),
        "split": lambda claim: steps.split(store, embedders, thinkers, settings, claim),
        "merge": lambda claim: steps.merge(store, claim),
        "diary": lambda claim: steps.diary(store, thinkers, settings, claim),
    }
    for step in PATROL_STEPS:
        with store.transaction() as tx:
            claim = work.claim(tx, being_id, f"patrol.{step}", str(run), lease=LEASE, attempts=1)
        if claim is None:
            raise RuntimeError(f"{step} is not due.")
        doing[step](claim)


def _topics(store: Store, being_id: UUID) -> list[tuple[str, list[str]]]:
    """Each topic's name, and the words of its active memories."""
    with store.transaction() as tx:
        rows = tx.execute(
            """
            select c.name, array_agg(concat_ws(' ', n.scene ->> 'action', array_to_string(n.themes, ' '))) as nodes
            from memory.clusters as c
            join memory.memory_nodes as n using (being_id, cluster_id)
            where c.being_id = %s and not c.is_parent and c.removed_at is null and n.status = 'active'
            group by c.cluster_id, c.name
            order by count(*) desc, c.cluster_id
            """,
            [being_id],
        ).fetchall()
    return [(row["name"], row["nodes"]) for row in rows]


def _memories(store: Store, being_id: UUID) -> int:
    with store.transaction() as tx:
        (row,) = tx.execute(
            "select count(*) as nodes from memory.memory_nodes where being_id = %s and status = 'active'", [being_id]
        )
    return int(row["nodes"])


def _share(word: str, nodes: Sequence[str]) -> float:
    """The share of memories that have a word of a name; the number that tells two names apart is none."""
    word = re.sub(r" \d+$", "", word)
    return sum(word.casefold() in text.casefold() for text in nodes) / len(nodes)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
