"""`make growth`: plays days of many Beings through the whole system, and prints what a Being's day costs.

Each day of each Being is two conversations and some contexts; the domain's clock is moved on to the next day when
nothing is left to do. It prints what a day costs in rows, bytes, write-ahead log, worker seconds and model calls, how
old due work became, and what gave way first. docs/scaling.md multiplies the figures.
"""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from threading import Event, Thread
from time import perf_counter, sleep
from typing import Any

import httpx2
from rich.console import Console
from rich.table import Table

from bench.ground import Ground, ground
from bench.ledger.workforce import UNSETTLED, WORKERS, workforce
from bench.machine import Machine
from bench.memories import action
from bench.processes import command, family, processor_seconds
from schemas.settings import Settings
from store import clock
from store.ledger import metrics
from store.transaction import value
from workers.runtime.logs import configure_logs

CONVERSATIONS = 2
MESSAGES = 10
CONTEXTS = 4
CALLERS = 8
SAMPLED_SECONDS = 0.5
FINISHED = """
    select owner_id, kind, key, fence, queue, extract(epoch from finished_at - claimed_at)::float8 as seconds
    from memory.work
    where state = 'done' and finished_at > clock_timestamp() - interval '5 seconds' and claimed_at is not null
"""
SIZES = """
    select c.relname as table, pg_total_relation_size(c.oid) as bytes, s.n_tup_ins as rows
    from pg_class as c
    join pg_stat_user_tables as s on s.relid = c.oid
    where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
"""


@dataclass
class Seen:
    """Measures of a run.

    Attributes:
        worked: Seconds that workers held units of each queue.
        units: How many units of each queue they finished.
        oldest: How old due work of each queue became, in seconds.
        redis: The most memory that Redis held, in bytes.
        told: How often the API answered each status.
        slow: Seconds that contexts took.
    """

    worked: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    units: Counter[str] = field(default_factory=Counter)
    oldest: Counter[str] = field(default_factory=Counter)
    redis: int = 0
    told: Counter[int] = field(default_factory=Counter)
    slow: list[float] = field(default_factory=list)


@contextmanager
def watched(on: Ground) -> Iterator[Seen]:
    """Look at the ledger and at Redis twice a second while the block runs."""
    seen, over, counted = Seen(), Event(), set[tuple[Any, ...]]()

    def look() -> None:
        while not over.wait(SAMPLED_SECONDS):
            with on.store.transaction() as tx:
                for row in tx.execute(FINISHED):
                    unit = (row["owner_id"], row["kind"], row["key"], row["fence"])
                    if unit not in counted:
                        counted.add(unit)
                        seen.worked[row["queue"]] += row["seconds"]
                        seen.units[row["queue"]] += 1
                for queue, waited in metrics.oldest_due(tx).items():
                    seen.oldest[queue] = max(seen.oldest[queue], round(waited.total_seconds()))
            seen.redis = max(seen.redis, int(on.redis.info("memory")["used_memory"]))

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield seen
    finally:
        over.set()
        watcher.join()


def play(on: Ground, url: str, beings: int, days: int, until: float) -> tuple[Seen, int]:
    """Let Beings live their days; returns what was seen, and how many days of a Being were lived."""
    callers = [(being, on.token(being)) for being in (on.new_being() for _ in range(beings))]
    lived = 0
    with watched(on) as seen, httpx2.Client(base_url=url, timeout=600) as client:
        for _ in range(days):
            with on.store.transaction() as tx:
                today = clock.now(tx)

            def live(number: int, today: datetime = today) -> int:
                if perf_counter() > until:
                    return 0
                being, token = callers[number]
                _day(client, f"/v1/beings/{being}", {"Authorization": f"Bearer {token}"}, number, today, seen)
                return 1

            with ThreadPoolExecutor(CALLERS) as pool:
                lived += sum(pool.map(live, range(beings)))
            while perf_counter() < until + 600 and _unsettled(on):
                sleep(SAMPLED_SECONDS)
            with on.store.transaction() as tx:
                clock.shift(tx, timedelta(days=1))
            # Sessions end, summaries and patrols come due.
            sleep(5)
            while perf_counter() < until + 600 and _unsettled(on):
                sleep(SAMPLED_SECONDS)
    return seen, lived


def _day(client: httpx2.Client, path: str, headers: dict[str, str], number: int, today: datetime, seen: Seen) -> None:
    for conversation in range(CONVERSATIONS):
        begun = today - timedelta(hours=6 * (CONVERSATIONS - conversation))
        messages = [
            {
                "id": f"{begun:%m%d%H} {place}",
                "role": "assistant" if place % 2 else "user",
                "content": action(number * 1000 + today.toordinal() * 20 + conversation * MESSAGES + place),
                "created_at": (begun + timedelta(minutes=place)).astimezone(UTC).isoformat(),
            }
            for place in range(MESSAGES)
        ]
        _insist(client, f"{path}/messages", headers, messages, seen)
        for _ in range(CONTEXTS // CONVERSATIONS):
            begin = perf_counter()
            _insist(client, f"{path}/context", headers, {"message": "What came of it?"}, seen)
            seen.slow.append(perf_counter() - begin)


def _insist(client: httpx2.Client, path: str, headers: dict[str, str], body: object, seen: Seen) -> None:
    while True:
        answer = client.post(path, json=body, headers=headers)
        seen.told[answer.status_code] += 1
        if answer.status_code not in {429, 503}:
            answer.raise_for_status()
            return
        sleep(int(answer.headers["Retry-After"]))


def _unsettled(on: Ground) -> int:
    with on.store.transaction() as tx:
        return int(value(tx, UNSETTLED))


def _state(on: Ground) -> tuple[dict[str, dict[str, Any]], int]:
    with on.store.transaction() as tx:
        tx.execute("select pg_stat_force_next_flush()")
        tables = {row["table"]: row for row in tx.execute(SIZES)}
        return tables, int(value(tx, "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))


def _processor(on: Ground) -> dict[str, float]:
    """Seconds of processor time of Postgres, Redis, the API and the workers so far."""
    names = {"postgres": "Postgres", "redis-server": "Redis", "multiprocessing": "API", "celery": "workers"}
    used: dict[str, float] = defaultdict(float)
    for pid in family(1):
        line = command(pid)
        name = next((name for sign, name in names.items() if sign in line), None)
        if name and (name != "Postgres" or str(on.home) in line or "postgres:" in line):
            used[name] += processor_seconds(pid)
    return used


def main() -> None:
    """Play, and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.growth", description=__doc__)
    parser.add_argument("--beings", type=int, default=200, help="how many, each of a user of its own")
    parser.add_argument("--days", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3600, help="when to hand in no more")
    arguments = parser.parse_args()
    console = Console(width=None if Console().is_terminal else 120)
    configure_logs(Settings(log_level="ERROR"))
    with ground() as on, workforce(on, thinks=True) as (url, _):
        with on.store.transaction() as tx:
            console.print(Machine.this(tx).in_words(), style="dim")
        before, log = _state(on)
        used, begun = _processor(on), perf_counter()
        seen, lived = play(on, url, arguments.beings, arguments.days, begun + arguments.seconds)
        took = perf_counter() - begun
        after, written = _state(on)
        used = {name: seconds - used[name] for name, seconds in _processor(on).items()}
        with on.store.transaction() as tx:
            calls = tx.execute(
                """
                select provider, purpose, count(*) as calls, sum(input_tokens + cache_read_tokens)::bigint as input,
                    sum(output_tokens)::bigint as output
                from memory.model_calls
                group by provider, purpose
                order by provider, purpose
                """
            ).fetchall()
    console.print(f"{lived:,} days of {arguments.beings:,} Beings in {took:,.0f} s: {lived / took:.2f} a second")
    _print(console, "a Being's day, by table", ["rows", "bytes"], _grown(before, after, lived))
    log_bytes = (written - log) / lived
    _print(console, "a Being's day", ["measured"], [("bytes of write-ahead log", [f"{log_bytes:,.0f}"])])
    queues = sorted(seen.units, key=lambda queue: -seen.worked[queue])
    _print(
        console,
        "a Being's day, by queue",
        ["units", "worker ms", "oldest due, s"],
        [
            (
                each,
                [f"{seen.units[each] / lived:.2f}", f"{1000 * seen.worked[each] / lived:.1f}", str(seen.oldest[each])],
            )
            for each in queues
        ],
    )
    _print(
        console,
        "a Being's day, processor time",
        ["ms", "share of the machine"],
        [
            (name, [f"{1000 * s / lived:.0f}", f"{s / took / 2:.0%}"])
            for name, s in sorted(used.items(), key=itemgetter(1), reverse=True)
        ],
    )
    _print(
        console,
        "a Being's day, calls of models",
        ["calls", "tokens in", "tokens out"],
        [
            (f"{row['provider']} {row['purpose']}", [f"{row[one] / lived:.2f}" for one in ("calls", "input", "output")])
            for row in calls
        ],
    )
    slow = sorted(seen.slow)
    held = sum(seen.worked.values()) / took / (2 * WORKERS + 1)
    console.print(f"Redis held {seen.redis / 2**20:.1f} MB at most; answers by status: {dict(seen.told)}")
    console.print(
        f"contexts: p50 {1000 * slow[len(slow) // 2]:.0f} ms, p95 {1000 * slow[int(len(slow) * 0.95)]:.0f} ms"
    )
    console.print(
        f"worker processes held work for {held:.0%} of the time; first to give way: {_first(seen, used, took)}"
    )


def _grown(before: dict[str, Any], after: dict[str, Any], lived: int) -> list[tuple[str, list[str]]]:
    grown = [
        (
            name,
            (after[name]["rows"] - before[name]["rows"]) / lived,
            (after[name]["bytes"] - before[name]["bytes"]) / lived,
        )
        for name in after
    ]
    rows = [
        (name, [f"{rows:.2f}", f"{size:,.0f}"]) for name, rows, size in sorted(grown, key=lambda one: -one[2]) if size
    ]
    total = [f"{sum(rows for _, rows, _ in grown):.1f}", f"{sum(size for *_, size in grown):,.0f}"]
    return [*rows[:12], ("all tables", total)]


def _first(seen: Seen, used: dict[str, float], took: float) -> str:
    """Name what gave way first: refusals before waiting work, and with neither the busiest program."""
    if refused := seen.told[429] + seen.told[503]:
        return f"the doors, which put off {refused} requests"
    queue, oldest = max(seen.oldest.items(), key=lambda one: one[1], default=("none", 0))
    name, seconds = max(used.items(), key=itemgetter(1))
    return f"the queue {queue}, whose work waited {oldest} s; {name} used {seconds / took:.2f} processors"


def _print(console: Console, title: str, columns: Sequence[str], rows: Sequence[tuple[str, list[str]]]) -> None:
    table = Table("what", *columns, title=title, title_justify="left")
    for what, numbers in rows:
        table.add_row(what, *numbers)
    console.print(table)


if __name__ == "__main__":
    main()
