"""Vectors that were paid for, by text: kept before they are applied, so that no text is embedded twice.

numpy is imported with the first vector: the stream reader and most commands of the command line need none.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from pgvector import HalfVector

from schemas.ledger.kinds import REEMBED
from store.transaction import Transaction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
else:
    Vector = Any


@dataclass(frozen=True, slots=True)
class ModelVectors:
    """A question's vectors, more than one if it is long, and the model whose vectors they may be compared with."""

    model: str
    vectors: Sequence[Vector]


@dataclass(frozen=True, slots=True)
class EmbeddingText:
    """A node's text, and whether a vector of the model that is to come is kept for it."""

    text_hash: bytes
    scene: dict[str, Any]
    feeling: str | None
    kept: bool


def halfvec(vector: Vector) -> HalfVector:
    """A vector as a parameter of a statement, at half precision. It is sent in binary: text costs 30 times the time.

    A list of them is sent in binary only where the statement has `%b`, not `%s`.
    """
    return HalfVector(vector)


def known(tx: Transaction, being_id: UUID, model: str, hashes: Sequence[bytes]) -> dict[bytes, Vector]:
    """Vectors of this model that a node has, or that wait to be applied, by the hash of their text."""
    rows = tx.execute(
        "select text_hash, vector from memory.embeddings"
        " where being_id = %(being)s and embedding_model = %(model)s and text_hash = any(%(hashes)s)"
        " union all select distinct on (n.text_hash) n.text_hash, v.vector from memory.memory_nodes as n, lateral ("
        "select vector from memory.node_vectors as v where v.being_id = n.being_id and v.node_id = n.node_id"
        " and v.embedding_model = %(model)s limit 1) as v"
        " where n.being_id = %(being)s and n.text_hash = any(%(hashes)s)",
        {"being": being_id, "model": model, "hashes": list(hashes)},
        binary=True,
    )
    return {row["text_hash"]: as_array(row["vector"]) for row in rows}


def keep(tx: Transaction, being_id: UUID, model: str, vectors: Mapping[bytes, Vector]) -> None:
    """Keep vectors before anything is made of them; not those that another worker has stored meanwhile."""
    tx.execute(
        "insert into memory.embeddings (being_id, embedding_model, text_hash, vector)"
        " select %(being)s, %(model)s, new.text_hash, new.vector"
        " from unnest(%(hashes)s::bytea[], %(vectors)b::halfvec[]) as new (text_hash, vector)"
        " where not exists (select from memory.memory_nodes as n"
        " join memory.node_vectors as v on v.being_id = n.being_id and v.node_id = n.node_id"
        " where n.being_id = %(being)s and v.embedding_model = %(model)s and n.text_hash = new.text_hash)"
        " on conflict do nothing",
        {
            "being": being_id,
            "model": model,
            "hashes": list(vectors),
            "vectors": [halfvec(vector) for vector in vectors.values()],
        },
    )


def remove(tx: Transaction, being_id: UUID, model: str, hashes: Sequence[bytes]) -> None:
    """Delete kept vectors that nodes have now."""
    tx.execute(
        "delete from memory.embeddings where being_id = %s and embedding_model = %s and text_hash = any(%s)",
        [being_id, model, list(hashes)],
    )


def beings_of_other_models(tx: Transaction, model: str, limit: int) -> list[UUID]:
    """Beings whose vectors are of another model than this one, and whose move to it is not given up as dead."""
    return tx.column(
        "select being_id from memory.beings where embedding_model <> %(model)s and not exists (select from memory.work"
        " where owner_id = being_id and kind = %(kind)s and key = %(model)s and state = 'dead')"
        " order by being_id limit %(limit)s",
        {"model": model, "kind": REEMBED.name, "limit": limit},
    )


def texts_of_other_models(
    tx: Transaction, being_id: UUID, model: str, *, after: bytes, limit: int
) -> list[EmbeddingText]:
    """Texts of nodes whose vectors are of another model than this one, each once, by hash from `after` on."""
    return tx.rows(
        EmbeddingText,
        "with page as materialized (select distinct on (text_hash) text_hash, scene, feeling"
        " from memory.memory_nodes as n where being_id = %(being)s and text_hash > %(after)s and not exists ("
        "select from memory.node_vectors as v where v.being_id = n.being_id and v.node_id = n.node_id"
        " and v.embedding_model = %(model)s)"
        " and exists (select from memory.beings as b where b.being_id = n.being_id"
        " and b.embedding_model <> %(model)s)"
        " order by text_hash limit %(limit)s)"
        " select page.*, exists(select from memory.embeddings as e where e.being_id = %(being)s"
        " and e.embedding_model = %(model)s and e.text_hash = page.text_hash) as kept from page order by text_hash",
        {"being": being_id, "model": model, "after": after, "limit": limit},
    )


def serve(tx: Transaction, being_id: UUID, model: str) -> bool:
    """Let the kept vectors of a model serve from now on; False, and nothing changed, while one is missing."""
    return tx.value("select memory.serve_model(%s, %s)", [being_id, model])


def as_array(vector: Any) -> Vector:
    """Convert a `halfvec` that was read from the database."""
    import numpy as np  # noqa: PLC0415  # see the module

    return np.asarray(vector.to_numpy(), dtype=np.float32)
