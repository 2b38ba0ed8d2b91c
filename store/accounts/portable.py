"""Exports a Being's rows as lines of JSON, and imports such lines under the tables' constraints."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg import Error, sql
from psycopg.rows import scalar_row
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from schemas.accounts.accounts import Being
from schemas.accounts.portability import BeingLine, ImportReport
from schemas.nodes.nodes import UNEMBEDDED
from schemas.vault.lines import RejectedLine
from store.accounts.portable_kinds import KINDS, Kind
from store.transaction import Transaction

PAGE_ROWS = 500
OWNERS = {"being_id", "user_id", "owner_id"}
# In lines, the name of a column `kind`, because each line has a `kind` of its own.
WHAT = "what"
# Classes of SQLSTATE that a line itself can cause: bad values, violated constraints, exceeded limits of a row.
OF_A_LINE = {"22", "23", "54", "MP"}
REASONS = {
    "23502": "lacks {column}",
    "23503": "refers to a row that no earlier line holds",
    "23505": "duplicates a row that exists already",
    "23514": "violates the constraint {constraint}",
}
_TROUBLES = TypeAdapter(list[RejectedLine])


class InvalidLine(Exception):
    """A line is invalid; the text gives the reason, without quoting it."""


def snapshot(tx: Transaction) -> None:
    """Make a new transaction read-only, with one snapshot for all its statements."""
    tx.execute("set transaction isolation level repeatable read, read only")
    tx.execute("set local time zone 'UTC'")


def columns(tx: Transaction, kind: Kind) -> set[str]:
    """Return the columns that lines of a kind hold."""
    rows = tx.execute(
        """
        select attname
        from pg_attribute
        where attrelid = %s::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
        """,
        [f"memory.{kind.table}"],
    )
    return {row["attname"] for row in rows} - OWNERS - set(kind.apart)


def rows(tx: Transaction, being: Being, kind: Kind) -> Iterator[str]:
    """Yield the rows of a kind as JSON objects, read page by page."""
    held = columns(tx, kind)
    query = sql.SQL(
        """
        select (
            jsonb_strip_nulls(jsonb_build_object('of', {of}::text)) || (
                select jsonb_object_agg(case key when 'kind' then %(what)s else key end, value)
                from jsonb_each(to_jsonb(t))
                where key = any(%(held)s)
            )
        )::text
        from memory.{table} as t {rows}
        """
    ).format(of=sql.SQL(kind.of or "null"), table=sql.Identifier(kind.table), rows=sql.SQL(kind.rows))
    with tx.cursor("export", row_factory=scalar_row) as cursor:
        cursor.itersize = PAGE_ROWS
        yield from cursor.execute(query, {**_owners(being), "held": list(held), "what": WHAT})


def earlier_import(tx: Transaction, being_id: UUID, file_hash: bytes) -> ImportReport | None:
    """Return the report of this file's import into the Being, if it was imported before."""
    return tx.row(
        ImportReport,
        """
        select taken, rejected, true as known
        from memory.imports
        where being_id = %s and file_hash = %s
        """,
        [being_id, file_hash],
    )


def record_import(tx: Transaction, being_id: UUID, file_hash: bytes, arrived: ImportReport) -> None:
    """Store the report of an import."""
    tx.execute(
        "insert into memory.imports (being_id, file_hash, taken, rejected) values (%s, %s, %s, %s)",
        [being_id, file_hash, Jsonb(arrived.taken), Jsonb(_TROUBLES.dump_python(arrived.rejected, mode="json"))],
    )


def is_empty(tx: Transaction, being: Being) -> bool:
    """Return whether a Being has no rows but its root clusters, and a session state of no message, made to lock it."""
    some = {"clusters": "not is_parent", "session_states": "message_count > 0"}
    for kind in KINDS:
        if kind.owner == "user":
            continue
        found = sql.SQL("select exists (select from memory.{table} where being_id = %s and {more})").format(
            table=sql.Identifier(kind.table),
            more=sql.SQL(some.get(kind.table, "true")),
        )
        if tx.value(found, [being.being_id]):
            return False
    return not tx.value(
        """
        select exists (select from memory.facts where user_id = %(user)s and being_id = %(being)s)
            or exists (select from memory.user_seeds where user_id = %(user)s and being_id = %(being)s)
            or exists (select from memory.vault_records where user_id = %(user)s and being_id = %(being)s)
        """,
        _owners(being),
    )


def remove_defaults(tx: Transaction, being: Being) -> None:
    """Delete a new Being's root clusters and session state, because an export has its own."""
    for table in ("clusters", "session_states"):
        statement = sql.SQL("delete from memory.{} where being_id = %s")
        tx.execute(statement.format(sql.Identifier(table)), [being.being_id])


def take(tx: Transaction, being: Being, kind: Kind, held: set[str], lines: Sequence[Mapping[str, Any]]) -> int:
    """Insert lines of one kind, all or none; returns the number of new rows.

    Args:
        being: The Being to import into.
        kind: The lines' kind.
        held: The columns of such lines, from `columns`.
        lines: Objects of these columns, and for a scoped kind `being_id`.

    Raises:
        InvalidLine: One of them is invalid.
    """
    owner = "user_id" if kind.owner == "user" else "being_id"
    scope = ["being_id"] if kind.scoped else []
    targets: dict[str, sql.Composable] = {
        **{column: sql.Identifier("r", column) for column in [*sorted(held), *scope]},
        **{column: sql.SQL(expression) for column, expression in kind.filled.items()},
        owner: sql.SQL("%(user)s" if kind.owner == "user" else "%(being)s"),
    }
    query = sql.SQL(
        """
        with new as (
            insert into memory.{table} ({columns})
            select {values}
            from jsonb_populate_recordset(null::memory.{table}, %(lines)s) with ordinality as r
            where not ({unless})
            order by ordinality
            {there}
            returning 1
        )
        select count(*) from new
        """
    ).format(
        table=sql.Identifier(kind.table),
        columns=sql.SQL(", ").join(map(sql.Identifier, targets)),
        values=sql.SQL(", ").join(targets.values()),
        unless=sql.SQL(kind.unless),
        there=sql.SQL("on conflict do nothing" if kind.owner == "user" else ""),
    )
    try:
        with tx.transaction():
            return tx.value(query, {**_owners(being), "lines": Jsonb(list(lines))})
    except Error as fault:
        state = fault.sqlstate or ""
        if state[:2] not in OF_A_LINE:
            raise
        reason = REASONS.get(state, "has a value of the wrong type")
        raise InvalidLine(
            reason.format(column=fault.diag.column_name, constraint=fault.diag.constraint_name)
        ) from fault


def remove_trigger_history(tx: Transaction, being: Being, kind: Kind, lines: Sequence[Mapping[str, Any]]) -> None:
    """Delete the history that triggers wrote about the insertion of these rows."""
    if kind.history is None:
        return
    table, column = kind.history
    tx.execute(
        sql.SQL("delete from memory.{table} where being_id = %s and {column} = any(%s)").format(
            table=sql.Identifier(table), column=sql.Identifier(column)
        ),
        [being.being_id, [UUID(str(line[column])) for line in lines]],
    )


def settle(tx: Transaction, being: Being, line: BeingLine) -> None:
    """Restore state across rows: the Being's own columns, missing roots, topics' counters, facts without evidence."""
    tx.execute(
        """
        update memory.beings
        set name = %(name)s, patrol_counter = %(patrol_counter)s, ticked_at = %(ticked_at)s,
            created_at = %(created_at)s, off_the_record = off_the_record or %(off_the_record)s,
            off_the_record_in = %(off_the_record_in)s,
            embedding_model = (
                select coalesce(v.embedding_model, %(unembedded)s)
                from memory.memory_nodes as n
                left join memory.node_vectors as v on v.being_id = n.being_id and v.node_id = n.node_id
                where n.being_id = %(being)s
                order by v.node_id nulls first
                limit 1
            )
        where being_id = %(being)s
        """,
        {**dict(line), **_owners(being), "unembedded": UNEMBEDDED},
    )
    tx.execute(
        """
        insert into memory.clusters (being_id, cluster_id, name, is_parent, parent_id)
        select %(being)s, root.id, root.name, true, root.id
        from (select uuidv7() as id, unnest(array['Business', 'Private']) as name) as root
        where not exists (
            select from memory.clusters as c where c.being_id = %(being)s and c.is_parent and c.name = root.name
        )
        """,
        _owners(being),
    )
    # The insertion of its nodes counted as arrivals, which are counted since the last split only.
    tx.execute(
        """
        update memory.clusters
        set arrivals_since_split = arrivals_since_split - active_nodes
        where being_id = %(being)s and arrivals_since_split is not null
        """,
        _owners(being),
    )
    tx.execute(
        """
        delete from memory.fact_statements as s
        where s.user_id = %(user)s and s.source <> 'corrected' and not exists (
            select from memory.fact_evidence as e where e.user_id = s.user_id and e.statement_id = s.statement_id
        )
        """,
        _owners(being),
    )
    tx.execute(
        """
        select memory.settle_facts(%(user)s, array(
            select fact_id
            from memory.facts as f
            where f.user_id = %(user)s and not exists (
                select from memory.fact_statements as s where s.user_id = f.user_id and s.fact_id = f.fact_id
            )
        ))
        """,
        _owners(being),
    )


def in_absorption_cycles(tx: Transaction, being_id: UUID) -> int:
    """Count nodes whose chain of absorptions ends in a cycle."""
    return tx.value(
        """
        with recursive ended (node_id) as (
            select node_id from memory.memory_nodes where being_id = %(being)s and absorbed_into is null
            union all
            select n.node_id
            from ended
            join memory.memory_nodes as n on n.being_id = %(being)s and n.absorbed_into = ended.node_id
        )
        select count(*) - (select count(*) from ended)
        from memory.memory_nodes
        where being_id = %(being)s
        """,
        {"being": being_id},
    )


def waiting_sessions(tx: Transaction, being_id: UUID) -> list[UUID]:
    """Return the sessions with unjudged messages."""
    return tx.column("select distinct session_id from memory.messages where being_id = %s and not judged", [being_id])


def _owners(being: Being) -> dict[str, Any]:
    return {"being": being.being_id, "user": being.user_id}
