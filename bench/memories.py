"""Beings with many nodes: topics of a hundred nodes each, inserted directly into the tables.

A topic is a direction, and its memories lie around it with cosine similarities to it of about 0.8. Every memory has
an importance of 0.5 and an age of 1 to 60 patrols, so that none fades while it is measured.
"""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import islice
from typing import TypeVar
from uuid import UUID

import numpy as np
from numpy.typing import NDArray
from pgvector import HalfVector
from psycopg.sql import SQL, Identifier

from bench.ground import Ground
from providers.embedders import Embedders
from providers.sdk.openai_embeddings import MAX_TOKENS, PORTION
from providers.tokens import estimated_tokens
from schemas.settings import Settings
from store.transaction import Transaction

T = TypeVar("T")

# As long as names of models are.
MODEL = "measured-embedding-3-small/1536"
TOPIC = 100
SPREAD = 0.75

_DEEDS = ("baked", "mended", "painted", "lost", "found", "sold", "borrowed", "polished", "hid", "carried")
_THINGS = ("a crimson umbrella", "the bakery oven", "an old violin", "two lanterns", "the tortoise", "a harbour map")
_PLACES = ("on Quay Street", "behind the chapel", "at the fish market", "in the workshop", "under the bridge")


class Measured:
    """An embedder that costs no time: half of all texts are near a known topic, half are anywhere."""

    model = MODEL

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.max_tokens = MAX_TOKENS
        self.portion = PORTION
        self._topics = topics(TOPIC, dimensions)

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate the tokens of texts."""
        return [estimated_tokens(text) for text in texts]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return a unit vector for each text, a function of the text alone."""
        vectors = []
        for text in texts:
            seed = int.from_bytes(sha256(text.encode()).digest()[:8])
            chance = np.random.default_rng(seed)
            anywhere = chance.normal(size=self.dimensions) / self.dimensions**0.5
            vectors.append(SPREAD * anywhere + (seed % 2) * self._topics[seed % TOPIC])
        return unit(np.asarray(vectors))

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Embed queries as any text."""
        return self.embed(texts)


class MeasuredEmbedders(Embedders):
    """The same embedder for every Being."""

    def __init__(self, dimensions: int) -> None:
        super().__init__(Settings())
        self._measured = Measured(dimensions)

    def serving(self, model: str | None) -> Measured:
        """Return the one embedder, whatever the model."""
        del model
        return self._measured


def action(position: int) -> str:
    """Return a distinct sentence for each position."""
    deed, thing, place = (
        words[position // step % len(words)] for words, step in ((_DEEDS, 1), (_THINGS, 10), (_PLACES, 60))
    )
    return f"Pip {deed} {thing} {place}, as entry {position} of the log tells."


def scene_note(position: int) -> dict[str, object]:
    """Return a scene note as a producer sends it."""
    return {
        "id": f"note {position}",
        "type": "scene",
        "content": {
            "action": action(position),
            "actors": ["Pip", "Neighbour"],
            "when": [f"2026-03-{1 + position % 28:02}"],
            "feeling": "I was glad to be there, and said so.",
        },
    }


def in_batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the items in lists of `size`; the last list may be shorter."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


def topics(count: int, dimensions: int) -> NDArray[np.float32]:
    """Return random directions as rows of unit length, the same for every call."""
    return unit(np.random.default_rng(1).normal(size=(count, dimensions)))


def filled_being(ground: Ground, nodes: int, dimensions: int, model: str = MODEL) -> UUID:
    """Make a Being with so many active nodes, whose vectors are a model's, and the narrow table of the same vectors."""
    being_id = ground.new_being()
    with ground.store.transaction() as tx:
        _write_material(tx, nodes, dimensions)
        _write_being(tx, being_id, nodes, model)
        _write_bare(tx, nodes, dimensions)
    with ground.store.transaction() as tx:
        # Keeps autovacuum and missing statistics out of the measurements.
        tx.commit()
        tx.execute("vacuum analyze memory.memory_nodes, memory.notes, memory.node_history, memory.clusters")
        tx.execute(SQL("vacuum analyze {}").format(bare_table(nodes, dimensions)))
    return being_id


def bare_table(nodes: int, dimensions: int) -> Identifier:
    """Return the table with only a Being's vectors."""
    return Identifier("bench", f"bare_{nodes}_{dimensions}")


def _write_material(tx: Transaction, nodes: int, dimensions: int) -> None:
    chance = np.random.default_rng(2)
    directions = topics(max(nodes // TOPIC, 1), dimensions)
    tx.execute(
        "create temporary table material (position integer, note_id uuid default uuidv7(),"
        " node_id uuid default uuidv7(), topic integer, words text, vector halfvec) on commit drop"
    )
    with (
        tx.cursor() as cursor,
        cursor.copy("copy material (position, topic, words, vector) from stdin with (format binary)") as copy,
    ):
        copy.set_types(["int4", "int4", "text", "halfvec"])
        for start in range(0, nodes, TOPIC):
            topic = start // TOPIC
            around = chance.normal(size=(TOPIC, dimensions)) / dimensions**0.5
            for offset, vector in enumerate(unit(directions[topic] + SPREAD * around)[: nodes - start]):
                copy.write_row((start + offset, topic, action(start + offset), HalfVector(vector)))


def _write_being(tx: Transaction, being_id: UUID, nodes: int, model: str) -> None:
    named = {"being": being_id, "model": model, "topics": max(nodes // TOPIC, 1)}
    tx.execute(
        "update memory.beings set embedding_model = %(model)s, patrol_counter = 60, ticked_at = memory.now()"
        " where being_id = %(being)s",
        named,
    )
    tx.execute(
        "create temporary table homes on commit drop as select topic, uuidv7() as cluster_id"
        " from generate_series(0, %(topics)s - 1) as topic",
        named,
    )
    tx.execute(
        "insert into memory.clusters (being_id, cluster_id, name, parent_id, arrivals_since_split)"
        " select %(being)s, homes.cluster_id, 'Topic ' || topic, root.cluster_id, 0 from homes, memory.clusters as root"
        " where root.being_id = %(being)s and root.name = 'Private'",
        named,
    )
    tx.execute(
        "insert into memory.notes (being_id, note_id, type, content, content_hash, state)"
        " select %(being)s, note_id, 'scene', jsonb_build_object('action', words), sha256(words::bytea), 'remembered'"
        " from material",
        named,
    )
    tx.execute(
        "insert into memory.memory_nodes (being_id, node_id, note_id, run_id, cluster_id, scene, feeling, themes,"
        " importance, fresh, session_count_base, text_hash, created_at)"
        " select %(being)s, node_id, note_id, uuidv7(), cluster_id, jsonb_build_object("
        "'action', words, 'actors', jsonb_build_array('Pip'), 'when', jsonb_build_array('2026-03-02')),"
        " 'I was glad to be there, and said so.', array['harbour'], 0.5, false, 1 + position %% 60,"
        " sha256(words::bytea), memory.now() - position * interval '1 minute'"
        " from material join homes using (topic)",
        named,
    )
    tx.execute(
        "insert into memory.node_vectors (being_id, node_id, embedding_model, living, standing, vector)"
        " select %(being)s, node_id, %(model)s, true, true, vector from material",
        named,
    )


def _write_bare(tx: Transaction, nodes: int, dimensions: int) -> None:
    table = bare_table(nodes, dimensions)
    tx.execute(SQL("drop table if exists {}").format(table))
    tx.execute(SQL("create table {} (position integer, vector halfvec)").format(table))
    tx.execute(SQL("alter table {} alter column vector set storage plain").format(table))
    tx.execute(SQL("insert into {} select position, vector from material").format(table))


def unit(rows: NDArray[np.float64]) -> NDArray[np.float32]:
    """Scale each row to length 1."""
    scaled: NDArray[np.float32] = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    return scaled
