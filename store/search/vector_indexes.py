"""The HNSW indexes of very large Beings: which there should be, and their DDL, for the schema's own role."""

from dataclasses import dataclass
from typing import Literal, LiteralString
from uuid import UUID

from psycopg.sql import SQL, Identifier
from psycopg.sql import Literal as SqlLiteral

from schemas.ledger.kinds import INDEX_VECTORS
from store.database import Store
from store.transaction import Transaction

Of = Literal["told", "nodes"]
# A build keeps its graph in memory: links of some 600 bytes beside each vector's half floats.
BYTES_OF_LINKS = 600
# pgvector's default of 64 is less than a topic may have, and leaves topics without links from others: of a million
# vectors around ten thousand topics it lost one in forty, however many were searched.
EF_CONSTRUCTION = 128
MOST_MEMORY_KB = 2_000_000
# The table of these vectors, their owner's column, and the operators that they are compared with.
TABLES: dict[Of, tuple[LiteralString, LiteralString, LiteralString]] = {
    "told": ("search_vectors", "owner_id", "halfvec_ip_ops"),
    "nodes": ("node_vectors", "being_id", "halfvec_cosine_ops"),
}


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index over one owner's vectors of one model and length.

    Attributes:
        of: The vectors: of documents, or of nodes.
        name: Its name in the schema.
    """

    of: Of
    owner_id: UUID
    embedding_model: str
    dimensions: int
    name: str


def required(tx: Transaction, least: int) -> list[VectorIndex]:
    """The indexes that owners with at least `least` vectors should have."""
    return tx.rows(
        VectorIndex,
        "select of, owner_id, embedding_model, dimensions, name from memory.wanted_vector_indexes(%s)",
        [least],
    )


def existing(tx: Transaction) -> dict[str, bool]:
    """The indexes that there are, by their names, and whether each serves."""
    rows = tx.execute(
        r"""
        select c.relname, i.indisvalid
        from pg_catalog.pg_index as i
        join pg_catalog.pg_class as c on c.oid = i.indexrelid
        where c.relnamespace = to_regnamespace('memory') and c.relname ~ '^(told|nodes)_hnsw_[0-9a-f]{32}_'
        """
    )
    return {row["relname"]: row["indisvalid"] for row in rows}


def may_build(tx: Transaction) -> bool:
    """Whether this connection's role owns the tables, as the role that migrates does."""
    return bool(
        tx.value(
            """
            select bool_and(pg_has_role(relowner, 'usage')) from pg_catalog.pg_class
            where oid in (to_regclass('memory.search_vectors'), to_regclass('memory.node_vectors'))
            """,
        )
    )


def at_work(tx: Transaction) -> set[UUID]:
    """Owners whose indexes are being built, or whose building was given up."""
    rows = tx.execute(
        "select owner_id from memory.work where kind = %s and state in ('ready', 'running', 'dead')",
        [INDEX_VECTORS.name],
    )
    return {row["owner_id"] for row in rows}


def build(store: Store, index: VectorIndex) -> bool:
    """Build an index while its table is read and written; False while another is being built or dropped.

    An index that a killed process left half built is dropped first. An index that is being built for a worker that
    died goes on being built: its connection holds the lock.
    """
    table, owner, operators = TABLES[index.of]
    with store.maintenance() as session:
        if not _locked(session):
            return False
        rows = session.value(
            "select reltuples::bigint from pg_catalog.pg_class where oid = to_regclass(%s)",
            [f"memory.{table}"],
        )
        memory = min(MOST_MEMORY_KB, max(64_000, (2 * index.dimensions + BYTES_OF_LINKS) * max(rows, 0) // 800))
        session.execute(SQL("set maintenance_work_mem = {}").format(SqlLiteral(f"{memory}kB")))
        # Parallel builders share memory that containers limit, and leave none for live work.
        session.execute("set max_parallel_maintenance_workers = 0")
        session.execute(SQL("drop index concurrently if exists memory.{}").format(Identifier(index.name)))
        session.execute(
            SQL(
                """
                create index concurrently {} on memory.{} using hnsw ((vector::halfvec({})) {})
                with (ef_construction = {})
                where {} = {} and embedding_model = {} and vector_dims(vector) = {}
                """
            ).format(
                Identifier(index.name),
                Identifier(table),
                SqlLiteral(index.dimensions),
                SQL(operators),
                SqlLiteral(EF_CONSTRUCTION),
                Identifier(owner),
                SqlLiteral(index.owner_id),
                SqlLiteral(index.embedding_model),
                SqlLiteral(index.dimensions),
            )
        )
    return True


def remove(store: Store, name: str) -> bool:
    """Remove an index; False while another is being built or removed."""
    with store.maintenance() as session:
        if not _locked(session):
            return False
        session.execute(SQL("drop index concurrently if exists memory.{}").format(Identifier(name)))
    return True


def _locked(session: Transaction) -> bool:
    """Take the session's lock of all such DDL: two concurrent builds would wait for each other's snapshots."""
    return bool(session.value("select pg_try_advisory_lock(hashtextextended('vector indexes', 0))"))
