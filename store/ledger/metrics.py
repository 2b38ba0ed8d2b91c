"""The ledger in numbers, each by a query whose cost does not grow with the system's age."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, LiteralString

from schemas.ledger.kinds import WORK
from schemas.ledger.work import UnknownWork
from store.transaction import Transaction

FIGURES: Mapping[str, LiteralString] = {
    # Work that is not done by `queue` and `state`: `units`, and the `oldest` that is due in seconds. One query for each
    # state, because each has an index of its own.
    "open_work": """
        select queue, state, count(*) as units,
            coalesce(
                extract(epoch from clock_timestamp() - min(since) filter (where since <= clock_timestamp())), 0
            )::float8 as oldest
        from (
            select queue, state, next_at as since from memory.work where state = 'ready'
            union all
            select queue, state, lease_until from memory.work where state = 'running'
            union all
            select queue, state, null from memory.work where state = 'dead'
        ) as open
        group by queue, state
    """,
    # Work done lately by `kind`: `units`, and how long it took, `half` and `most` of them, in seconds.
    "finished_work": """
        select kind, count(*) as units, percentile_cont(0.5) within group (order by seconds) as half,
            percentile_cont(0.95) within group (order by seconds) as most
        from (
            select kind, extract(epoch from finished_at - claimed_at)::float8 as seconds
            from memory.work
            where state = 'done' and finished_at > clock_timestamp() - interval '15 minutes' and claimed_at is not null
        ) as finished
        group by kind
    """,
    # Calls of models in the last day by `purpose`, `model` and `outcome`: `calls`, tokens of each sort, and `cost`.
    "model_calls": """
        select purpose, coalesce(metric_model, model) as model, outcome, count(*) as calls,
            sum(input_tokens)::float8 as input, sum(output_tokens)::float8 as output,
            sum(cache_read_tokens)::float8 as cache_read, sum(cache_write_tokens)::float8 as cache_write,
            coalesce(sum(cost), 0)::float8 as cost
        from memory.model_calls
        where started_at > clock_timestamp() - interval '1 day'
        group by purpose, coalesce(metric_model, model), outcome
    """,
    # Items of models' answers that were dropped in the last day by `purpose` and `reason`: `items`.
    "dropped_items": """
        select purpose, reason, sum(items)::float8 as items
        from memory.dropped_items
        where dropped_at > memory.now() - interval '1 day'
        group by purpose, reason
    """,
    # Settled model calls since the system began by `purpose`, `model`, `outcome` and `paid_with`: `calls`, `cost`.
    "settled_calls": """
        select purpose, model, outcome, paid_with, sum(calls)::float8 as calls, sum(cost)::float8 as cost
        from memory.model_call_totals
        group by purpose, model, outcome, paid_with
    """,
    # User messages that no judge has read, by `waits_for_key` (`yes`: no key can pay for them): `messages`.
    "unjudged_messages": """
        select case when waits then 'yes' else 'no' end as waits_for_key, count(m.message_id) as messages
        from (values (true), (false)) as kinds (waits)
        left join (
            select m.message_id, s.waits_for_key
            from memory.messages as m
            join memory.sessions as s using (being_id, session_id)
            where not m.judged and m.role = 'user'
        ) as m on m.waits_for_key = waits
        group by waits
    """,
    # How many budgets for the current day were reached, by `budget` and by the `lacking` unit: `owners`.
    "budgets_reached": """
        select budget, lacking, count(r.owner_id) as owners
        from (values ('tokens'), ('cost'), ('price')) as kinds (lacking)
        cross join (values ('platform'), ('user'), ('proxy'), ('being')) as names (budget)
        left join (
            select r.owner_id, r.budget, r.lacking
            from memory.budgets_reached as r
            left join memory.users as u using (user_id)
            where r.day = (memory.now() at time zone coalesce(u.time_zone, 'UTC'))::date
        ) as r using (budget, lacking)
        group by budget, lacking
    """,
    # How many rows each `table` of inputs has taken since Postgres began to count: `written`.
    "rows_written": """
        select relname as table, n_tup_ins as written
        from pg_stat_user_tables
        where schemaname = 'memory' and relname in ('notes', 'messages', 'memory_nodes', 'facts')
    """,
    # The seconds since each recurring activity of the system ran last, as `name` and `age`.
    "heartbeats": """
        select name, extract(epoch from clock_timestamp() - beat_at)::float8 as age from memory.heartbeats
    """,
}
"""The queries of the figures that monitors read, by name: rows of labels with numbers."""


def figure(tx: Transaction, name: str) -> list[dict[str, Any]]:
    """Read a figure of `FIGURES`."""
    return tx.execute(FIGURES[name]).fetchall()


def unprocessed_input(tx: Transaction) -> dict[str, int]:
    """Count input that waits: `notes`, `messages`; and of it `messages_without_key`, `summaries_without_key`.

    The last two wait for a model key; scene notes are pending or part of a run that has not ended.
    """
    (row,) = tx.execute(
        """
        select
            (select count(*) from memory.notes where state in ('pending', 'stamped')) as notes,
            (select count(*) from memory.messages where not judged and role = 'user') as messages,
            (
                select count(*)
                from memory.messages
                join memory.sessions as s using (being_id, session_id)
                where not judged and role = 'user' and s.waits_for_key
            ) as messages_without_key,
            (select count(*) from memory.session_states where waits_for_key) as summaries_without_key
        """
    )
    return dict(row)


def unknown_due(tx: Transaction) -> list[UnknownWork]:
    """Due work of kinds that this code does not know, by kind."""
    return tx.rows(
        UnknownWork,
        """
        select kind, count(*) as units, clock_timestamp() - min(since) as waited
        from (
            select kind, next_at as since
            from memory.work
            where state = 'ready' and next_at <= clock_timestamp()
            union all
            select kind, lease_until
            from memory.work
            where state = 'running' and lease_until < clock_timestamp()
        ) as due
        where kind <> all (%s)
        group by kind
        order by kind
        """,
        [list(WORK)],
    )


def oldest_due(tx: Transaction) -> dict[str, timedelta]:
    """Return how long the oldest due work of known kinds has been waiting for a worker, by queue."""
    return tx.pairs(
        """
        select queue, clock_timestamp() - min(since) as waited
        from (
            select queue, next_at as since
            from memory.work
            where state = 'ready' and next_at <= clock_timestamp() and kind = any(%(kinds)s)
            union all
            select queue, lease_until
            from memory.work
            where state = 'running' and lease_until < clock_timestamp() and kind = any(%(kinds)s)
        ) as due
        group by queue
        """,
        {"kinds": list(WORK)},
    )


def dead(tx: Transaction) -> int:
    """How much work is dead."""
    return tx.value("select count(*) from memory.work where state = 'dead'")


def longest_held(tx: Transaction) -> timedelta | None:
    """How long the unit of work has been held that is held longest; None where none is."""
    return tx.value("select clock_timestamp() - min(claimed_at) from memory.work where state = 'running'")


def since_finished(tx: Transaction) -> timedelta | None:
    """How long ago any work was finished; None where the ledger remembers none."""
    return tx.value("select clock_timestamp() - max(finished_at) from memory.work where state = 'done'")


def record_sweep(tx: Transaction) -> None:
    """Record that the sweep ran now."""
    tx.execute(
        """
        insert into memory.heartbeats (name) values ('sweep')
        on conflict (name) do update set beat_at = clock_timestamp()
        """
    )


def since_sweep(tx: Transaction) -> timedelta | None:
    """How long ago the sweep ran last; None if it never did."""
    return tx.value("select clock_timestamp() - beat_at from memory.heartbeats where name = 'sweep'")
