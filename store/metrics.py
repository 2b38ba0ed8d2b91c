"""The ledger in numbers, each asked for in a way that costs no more the longer the system has lived."""

from datetime import timedelta
from typing import Any

from store.transaction import Transaction

RECENT = timedelta(minutes=15)
DAY = timedelta(days=1)


def open_work(tx: Transaction) -> list[dict[str, Any]]:
    """Work that is not done by `queue` and `state`: `units`, and the `oldest` that is due in seconds."""
    # One question for each state, because each has an index of its own.
    return tx.execute(
        "select queue, state, count(*) as units, coalesce(extract(epoch from clock_timestamp()"
        " - min(since) filter (where since <= clock_timestamp())), 0)::float8 as oldest from ("
        " select queue, state, next_at as since from memory.work where state = 'ready'"
        " union all select queue, state, lease_until from memory.work where state = 'running'"
        " union all select queue, state, null from memory.work where state = 'dead') as open group by queue, state"
    ).fetchall()


def finished_work(tx: Transaction) -> list[dict[str, Any]]:
    """Work done in the last 15 minutes by `kind`: `units`, and how long it took, `half` and `most` in seconds."""
    return tx.execute(
        "select kind, count(*) as units,"
        " percentile_cont(0.5) within group (order by extract(epoch from finished_at - claimed_at)::float8) as half,"
        " percentile_cont(0.95) within group (order by extract(epoch from finished_at - claimed_at)::float8) as most"
        " from memory.work where state = 'done' and finished_at > clock_timestamp() - %s and claimed_at is not null"
        " group by kind",
        [RECENT],
    ).fetchall()


def model_calls(tx: Transaction) -> list[dict[str, Any]]:
    """Calls of models in the last day by `purpose`, `model` and `outcome`: `calls`, tokens of each sort, and `cost`."""
    return tx.execute(
        "select purpose, model, outcome, count(*) as calls, sum(input_tokens)::float8 as input,"
        " sum(output_tokens)::float8 as output, sum(cache_read_tokens)::float8 as cache_read,"
        " sum(cache_write_tokens)::float8 as cache_write, coalesce(sum(cost), 0)::float8 as cost"
        " from memory.model_calls where began_at > clock_timestamp() - %s group by purpose, model, outcome",
        [DAY],
    ).fetchall()


def rows_written(tx: Transaction) -> list[dict[str, Any]]:
    """How many rows each `table` of what comes in has taken since Postgres began to count: `written`."""
    return tx.execute(
        "select relname as table, n_tup_ins as written from pg_stat_user_tables where schemaname = 'memory'"
        " and relname in ('notes', 'messages', 'memory_nodes', 'facts')"
    ).fetchall()


def pulses(tx: Transaction) -> list[dict[str, Any]]:
    """How many seconds ago each `name`d pulse of the system was felt: `age`."""
    return tx.execute(
        "select name, extract(epoch from clock_timestamp() - felt_at)::float8 as age from memory.pulses"
    ).fetchall()
