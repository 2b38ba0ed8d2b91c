"""A Being's rows as lines of JSON, out of the ledger and into it. What comes in is held against the tables' rules."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from psycopg import Error, sql
from psycopg.rows import class_row, scalar_row
from psycopg.types.json import Jsonb
from pydantic import TypeAdapter

from schemas.portability import Arrived, BeingLine
from schemas.rows import UNEMBEDDED, Being
from schemas.vault import LineTrouble
from store.portable_kinds import KINDS, Kind
from store.transaction import Transaction, value

PAGE_ROWS = 500
OWNERS = {"being_id", "user_id", "owner_id"}
# A column of that name would be taken for the line's own.
WHAT = "what"
# What a line itself can be the reason of: its values, the rules of its table, the limits of a row.
OF_A_LINE = {"22", "23", "54", "MP"}
REASONS = {
    "23502": "lacks {column}",
    "23503": "names something that did not come in before it",
    "23505": "is in the place of something that is there already",
    "23514": "breaks a rule of what it is a part of ({constraint})",
}
_TROUBLES = TypeAdapter(list[LineTrouble])


class Unfit(Exception):
    """Lines can't be taken; the text says why, without a word of them."""


def snapshot(tx: Transaction) -> None:
    """Let this transaction, which has done nothing yet, see one moment to its end."""
    tx.execute("set transaction isolation level repeatable read, read only")
    tx.execute("set local time zone 'UTC'")


def columns(tx: Transaction, kind: Kind) -> set[str]:
    """What lines of a kind hold, vectors too."""
    rows = tx.execute(
        "select attname from pg_attribute where attrelid = %s::regclass and attnum > 0 and not attisdropped"
        " and attgenerated = '' and attidentity = ''",
        [f"memory.{kind.table}"],
    )
    return {row["attname"] for row in rows} - OWNERS - set(kind.apart)


def rows(tx: Transaction, being: Being, kind: Kind, *, vectors: bool) -> Iterator[str]:
    """Every row of a kind as a JSON object, read page by page."""
    held = columns(tx, kind) - (set() if vectors else set(kind.vectors))
    query = sql.SQL(
        "select (jsonb_strip_nulls(jsonb_build_object('of', {of}::text)) || (select"
        " jsonb_object_agg(case key when 'kind' then %(what)s else key end, value) from jsonb_each(to_jsonb(t))"
        " where key = any(%(held)s)))::text from memory.{table} as t {rows}"
    ).format(of=sql.SQL(kind.of or "null"), table=sql.Identifier(kind.table), rows=sql.SQL(kind.rows))
    with tx.cursor("export", row_factory=scalar_row) as cursor:
        cursor.itersize = PAGE_ROWS
        yield from cursor.execute(query, {**_owners(being), "held": list(held), "what": WHAT})


def taken(tx: Transaction, being_id: UUID, file_hash: bytes) -> Arrived | None:
    """What became of this very file, where this Being was brought along with it."""
    with tx.cursor(row_factory=class_row(Arrived)) as cursor:
        return cursor.execute(
            "select taken, rejected, true as known from memory.imports where being_id = %s and file_hash = %s",
            [being_id, file_hash],
        ).fetchone()


def keep_taken(tx: Transaction, being_id: UUID, file_hash: bytes, arrived: Arrived) -> None:
    """Keep what became of a file."""
    tx.execute(
        "insert into memory.imports (being_id, file_hash, taken, rejected) values (%s, %s, %s, %s)",
        [being_id, file_hash, Jsonb(arrived.taken), Jsonb(_TROUBLES.dump_python(arrived.rejected, mode="json"))],
    )


def is_empty(tx: Transaction, being: Being) -> bool:
    """Whether nothing has come to a Being yet, but for the roots of its memory."""
    for kind in KINDS:
        if kind.owner == "user":
            continue
        found = sql.SQL("select exists (select from memory.{table} where being_id = %s and {more})").format(
            table=sql.Identifier(kind.table),
            more=sql.SQL("not is_parent" if kind.table == "clusters" else "true"),
        )
        if _value(tx, found, [being.being_id]):
            return False
    return not value(
        tx,
        "select exists (select from memory.facts where user_id = %(user)s and being_id = %(being)s) or exists (select"
        " from memory.vault_records where user_id = %(user)s and being_id = %(being)s)",
        _owners(being),
    )


def make_room(tx: Transaction, being: Being) -> None:
    """Take away the roots that a new Being has: it brings its own."""
    tx.execute("delete from memory.clusters where being_id = %s", [being.being_id])


def take(tx: Transaction, being: Being, kind: Kind, held: set[str], lines: Sequence[Mapping[str, Any]]) -> int:
    """Put lines of one kind into their table, all or none; returns how many had not been there.

    Args:
        tx: The transaction.
        being: Whose they become.
        kind: Their kind.
        held: What such lines hold, as `columns` says.
        lines: Each with these columns, and for a scoped kind with its `being_id`.

    Raises:
        Unfit: One of them can't be.
    """
    owner = "user_id" if kind.owner == "user" else "being_id"
    scope = ["being_id"] if kind.scoped else []
    targets: dict[str, sql.Composable] = {
        **{column: sql.Identifier("r", column) for column in [*sorted(held), *scope]},
        **{column: sql.SQL(expression) for column, expression in kind.filled.items()},
        owner: sql.SQL("%(user)s" if kind.owner == "user" else "%(being)s"),
    }
    query = sql.SQL(
        "with new as (insert into memory.{table} ({columns}) select {values}"
        " from jsonb_populate_recordset(null::memory.{table}, %(lines)s) with ordinality as r"
        " where not ({unless}) order by ordinality {there} returning 1) select count(*) from new"
    ).format(
        table=sql.Identifier(kind.table),
        columns=sql.SQL(", ").join(map(sql.Identifier, targets)),
        values=sql.SQL(", ").join(targets.values()),
        unless=sql.SQL(kind.unless),
        there=sql.SQL("on conflict do nothing" if kind.owner == "user" else ""),
    )
    try:
        with tx.transaction():
            return int(_value(tx, query, {**_owners(being), "unembedded": UNEMBEDDED, "lines": Jsonb(list(lines))}))
    except Error as fault:
        state = fault.sqlstate or ""
        if state[:2] not in OF_A_LINE:
            raise
        reason = REASONS.get(state, "holds a value that does not fit")
        raise Unfit(reason.format(column=fault.diag.column_name, constraint=fault.diag.constraint_name)) from fault


def untell(tx: Transaction, being: Being, kind: Kind, lines: Sequence[Mapping[str, Any]]) -> None:
    """Take away what triggers wrote of these rows' coming in."""
    if kind.told_by is None:
        return
    table, column = kind.told_by
    tx.execute(
        sql.SQL("delete from memory.{table} where being_id = %s and {column} = any(%s)").format(
            table=sql.Identifier(table), column=sql.Identifier(column)
        ),
        [being.being_id, [UUID(str(line[column])) for line in lines]],
    )


def settle(tx: Transaction, being: Being, said: BeingLine) -> None:
    """Make whole what came in: the Being as it was, its roots, its topics' marks, and facts that rest on something."""
    tx.execute(
        "update memory.beings set name = %(name)s, patrol_counter = %(patrol_counter)s, ticked_at = %(ticked_at)s,"
        " created_at = %(created_at)s, embedding_model = (select embedding_model from memory.memory_nodes"
        " where being_id = %(being)s limit 1) where being_id = %(being)s",
        {**said.model_dump(), **_owners(being)},
    )
    tx.execute(
        "insert into memory.clusters (being_id, cluster_id, name, is_parent, parent_id)"
        " select %(being)s, root.id, root.name, true, root.id"
        " from (select uuidv7() as id, unnest(array['Business', 'Private']) as name) as root"
        " where not exists (select from memory.clusters as c where c.being_id = %(being)s and c.is_parent"
        " and c.name = root.name)",
        _owners(being),
    )
    # Its nodes have come in one by one, and have not arrived.
    tx.execute(
        "update memory.clusters set arrivals_since_split = arrivals_since_split - active_nodes"
        " where being_id = %(being)s and arrivals_since_split is not null",
        _owners(being),
    )
    tx.execute(
        "delete from memory.fact_statements as s where s.user_id = %(user)s and s.source <> 'corrected' and not exists"
        " (select from memory.fact_evidence as e where e.user_id = s.user_id and e.statement_id = s.statement_id)",
        _owners(being),
    )
    tx.execute(
        "select memory.settle_facts(%(user)s, array(select fact_id from memory.facts as f where f.user_id = %(user)s"
        " and not exists (select from memory.fact_statements as s"
        " where s.user_id = f.user_id and s.fact_id = f.fact_id)))",
        _owners(being),
    )


def circling(tx: Transaction, being_id: UUID) -> int:
    """How many memories were absorbed by one another in a circle, where no story would end."""
    return int(
        value(
            tx,
            "with recursive way (node_id) as (select node_id from memory.memory_nodes where being_id = %(being)s"
            " and absorbed_into is null union all select n.node_id from way join memory.memory_nodes as n"
            " on n.being_id = %(being)s and n.absorbed_into = way.node_id)"
            " select count(*) - (select count(*) from way) from memory.memory_nodes where being_id = %(being)s",
            {"being": being_id},
        )
    )


def waiting_sessions(tx: Transaction, being_id: UUID) -> list[UUID]:
    """Sessions with messages that nobody has judged."""
    found = tx.execute("select distinct session_id from memory.messages where being_id = %s and not judged", [being_id])
    return [row["session_id"] for row in found]


def _owners(being: Being) -> dict[str, Any]:
    return {"being": being.being_id, "user": being.user_id}


def _value(tx: Transaction, query: sql.Composed, parameters: Any) -> Any:
    with tx.cursor(row_factory=scalar_row) as cursor:
        return cursor.execute(query, parameters).fetchone()
