"""Records, inside a test database, in which order transactions take locks, and compares it with the documented order.

`install` adds triggers and rewrites the bodies of functions, in that database alone: each lock that another transaction
could wait for is noted by its resource in the table `lock_trace.taken` before it is taken, once for each transaction. A
resource is a table, `work <kind>` for a row of the ledger, or an advisory lock by its name. Transactions that roll back
leave nothing.

The documented order is the list in sql/functions/05_locks.sql.
"""

import re
from itertools import groupby, takewhile
from operator import itemgetter

import psycopg
from psycopg import sql

from store.migrate import SQL

ORDER = SQL / "functions" / "05_locks.sql"
LINE = re.compile(r"^--\s+(\d)\s+(\S.*?)\s{2,}", re.MULTILINE)
ROWS = "rows"
ALONE = "users alone"
# They stand outside of the order, and the list says why.
OUTSIDE = {"limits", "budget"}
# A locking statement of a function: `perform 1 from memory.x ... for update;`.
LOCKING = re.compile(
    r"^(?P<indent> *)(?P<statement>perform 1\s+from memory\.(?P<table>\w+)[^;]*?for (?:no key )?update\s*;)",
    re.MULTILINE,
)
# What functions take that consist of one locking statement, and the advisory locks that functions take.
SHARING = {"hold_owner": "users", "hold_owner_alone": ALONE}
ADVISORY = {
    "hold_intake": "intake",
    "hold_count": "limits",
    "lock_vault": "vault scopes",
    "check_budget": "budget",
}

RECORDER = """
create schema lock_trace;
create table lock_trace.taken (
    transaction xid8 not null default pg_current_xact_id(),
    place bigint generated always as identity,
    resource text not null
);

grant usage on schema lock_trace to public;
grant insert on lock_trace.taken to public;

-- The resources of the current transaction are kept in a setting of it, so that each is noted once.
create function lock_trace.note(p_resource text) returns void language plpgsql as $$
declare
    v_noted constant text := coalesce(current_setting('lock_trace.noted', true), '');
begin
    if strpos(v_noted, '/' || p_resource || '/') = 0 then
        perform set_config('lock_trace.noted', v_noted || '/' || p_resource || '/', true);
        insert into lock_trace.taken (resource) values (p_resource);
    end if;
end $$;

-- A new row is locked by its unique keys alone; but its foreign keys share the rows of its Being and its user.
create function lock_trace.note_row() returns trigger language plpgsql as $$
begin
    if tg_op = 'INSERT' then
        if tg_argv[1] = 'owned' then
            perform lock_trace.note('users');
        end if;
    end if;
    if tg_table_name = 'work' then
        perform lock_trace.note('work ' || case when tg_op = 'DELETE' then old.kind else new.kind end);
    elsif tg_op <> 'INSERT' or tg_argv[2] = 'keyed' then
        perform lock_trace.note(tg_argv[0]);
    end if;
    return case when tg_op = 'DELETE' then old else new end;
end $$;
"""
TABLES = """
select c.relname as name,
    exists (
        select
        from pg_constraint as f
        join pg_class as parent on parent.oid = f.confrelid
        where f.conrelid = c.oid and f.contype = 'f' and parent.relname in ('users', 'beings')
    ) as owned
from pg_class as c
where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
    and c.relname not in ('clock', 'migrations', 'heartbeats')
"""
FUNCTIONS = """
select proname, pg_get_functiondef(oid) from pg_proc where pronamespace = 'memory'::regnamespace and prokind = 'f'
"""
# Inserting a row under such a key waits for another transaction that inserts it.
KEYED = {"session_states", "fact_states", "souls", "user_models", "erasure_keys", "shown_texts", "session_snapshot"}


def install(url: str) -> None:
    """Record from now on."""
    with psycopg.connect(url) as database:
        database.execute(RECORDER)
        for name, owned in database.execute(TABLES).fetchall():
            database.execute(
                sql.SQL(
                    "create trigger a_lock_trace before insert or update or delete on memory.{} for each row"
                    " execute function lock_trace.note_row({}, {}, {})"
                ).format(sql.Identifier(name), name, "owned" if owned else "free", "keyed" if name in KEYED else "new")
            )
        for name, definition in database.execute(FUNCTIONS).fetchall():
            noted = LOCKING.sub(r"\g<indent>perform lock_trace.note('\g<table>'); \g<statement>", definition)
            if name in ADVISORY:
                note = f"perform lock_trace.note('{ADVISORY[name]}'); "
                noted = noted.replace("perform pg_advisory", f"{note}perform pg_advisory")
            if name in SHARING:
                note = f" select lock_trace.note('{SHARING[name]}');"
                noted = noted.replace("AS $function$", f"AS $function${note}", 1)
            if noted != definition:
                database.execute(noted.encode())


def documented() -> dict[str, int]:
    """The rank of each resource, as the documented order says."""
    return {name: int(rank) for rank, names in LINE.findall(ORDER.read_text()) for name in names.split(", ")}


def sequences(url: str) -> dict[tuple[str, ...], int]:
    """The locks that transactions took, in order, and how many took them so."""
    with psycopg.connect(url) as database:
        rows = database.execute("select transaction, resource from lock_trace.taken order by transaction, place")
        taken = [tuple(name for _, name in each) for _, each in groupby(rows.fetchall(), key=itemgetter(0))]
    return {sequence: taken.count(sequence) for sequence in set(taken)}


def inversions(url: str) -> list[str]:
    """The transactions that took locks in another order than the documented one, each described once."""
    pairs = {sequence: inversion(sequence) for sequence in sorted(sequences(url))}
    return [f"{pair[0]}, then {pair[1]}: {' > '.join(taken)}" for taken, pair in pairs.items() if pair]


def inversion(sequence: tuple[str, ...]) -> tuple[str, str] | None:
    """Two resources of a sequence that the documented order has the other way round."""
    ranks = documented()
    taken = [name for name in takewhile(lambda name: name != ALONE, sequence) if name not in OUTSIDE]
    known = [(ranks.get(name, ranks[ROWS]), name) for name in taken]
    for place, (rank, name) in enumerate(known):
        for before_rank, before in known[:place]:
            if before_rank > rank and not _allowed(before, name):
                return before, name
    return None


def _allowed(before: str, after: str) -> bool:
    # A finishing transaction may take the talk, the facts or their rows before its own work row; and the row that a
    # reservation inserts is noted as work that is requested.
    return after == "work" or before.startswith("work ")
