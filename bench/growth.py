"""`make growth`: plays days of many Beings through the whole system, and prints what a Being's day costs.

Each day of each Being is two conversations and some contexts; the domain's clock is moved on to the next day when
nothing is left to do. It prints what a day costs in rows, bytes, write-ahead log, worker seconds and model calls, how
old due work was in each minute, and which limits were passed, the first one first. docs/scaling.md multiplies the
figures.
"""

import argparse
import os
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
from workers.runtime.logs import configure_logs

CONVERSATIONS = 2
MESSAGES = 10
CONTEXTS = 4
CALLERS = 8
SAMPLED_SECONDS = 0.5
MINUTE = 60
# Where the alerts of deploy/prometheus/alerts.yml fire, if it lasts.
OLDEST_DUE = 60
SLOW_CONTEXT = 0.5
FEW_CONTEXTS = 100  # one that is slow says nothing
FINISHED = """
    select owner_id, kind, key, fence, queue, extract(epoch from finished_at - claimed_at)::float8 as seconds
    from memory.work
    where state = 'done' and finished_at > clock_timestamp() - interval '5 seconds' and claimed_at is not null
"""
SIZES = """
    select c.relname as table, pg_total_relation_size(c.oid) as bytes, s.n_tup_ins as rows, s.seq_tup_read as scanned
    from pg_class as c
    join pg_stat_user_tables as s on s.relid = c.oid
    where c.relnamespace = 'memory'::regnamespace and c.relkind = 'r'
"""


@dataclass
class Minute:
    """A minute of a run.

    Attributes:
        lived: How many days of a Being were lived in it.
        oldest: How old due work of each queue became, in seconds.
        contexts: Seconds that contexts took.
    """

    lived: int = 0
    oldest: Counter[str] = field(default_factory=Counter)
    contexts: list[float] = field(default_factory=list)

    def context(self, part: float) -> float:
        """The seconds that this part of the contexts took at most; 0 if there were none."""
        return sorted(self.contexts)[int(len(self.contexts) * part)] if self.contexts else 0.0


@dataclass
class Seen:
    """Measures of a run.

    Attributes:
        worked: Seconds that workers held units of each queue.
        units: How many units of each queue they finished.
        minutes: Each minute of the run.
        passed: When each limit was passed first, in seconds from the beginning.
        redis: The most memory that Redis held, in bytes.
        answers: How often the API answered each status.
    """

    begun: float = field(default_factory=perf_counter)

    worked: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    units: Counter[str] = field(default_factory=Counter)
    minutes: dict[int, Minute] = field(default_factory=lambda: defaultdict(Minute))
    passed: dict[str, float] = field(default_factory=dict)
    redis: int = 0
    answers: Counter[int] = field(default_factory=Counter)

    @property
    def minute(self) -> Minute:
        """The minute that runs."""
        return self.minutes[int(perf_counter() - self.begun) // MINUTE]

    def holds(self, limit: str, *, within: bool) -> None:
        """Note when a limit is passed for the first time."""
        if not within:
            self.passed.setdefault(limit, perf_counter() - self.begun)


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
                now = seen.minute
                for queue, waited in metrics.oldest_due(tx).items():
                    now.oldest[queue] = max(now.oldest[queue], round(waited.total_seconds()))
                    seen.holds(f"work of {queue} is due for a minute", within=waited <= timedelta(seconds=OLDEST_DUE))
                dead = tx.value("select exists (select from memory.work where state = 'dead')")
                seen.holds("work is dead", within=not dead)
            few = len(now.contexts) < FEW_CONTEXTS
            seen.holds(f"one context of twenty takes {SLOW_CONTEXT} s", within=few or now.context(0.95) <= SLOW_CONTEXT)
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
            today = on.store.run(clock.now)

            def live(number: int, today: datetime = today) -> int:
                if perf_counter() > until:
                    return 0
                being, token = callers[number]
                _day(client, f"/v1/beings/{being}", {"Authorization": f"Bearer {token}"}, number, today, seen)
                seen.minute.lived += 1
                return 1

            with ThreadPoolExecutor(CALLERS) as pool:
                lived += sum(pool.map(live, range(beings)))
            while perf_counter() < until + 600 and _unsettled(on):
                sleep(SAMPLED_SECONDS)
            on.store.run(clock.shift, timedelta(days=1))
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
            seen.minute.contexts.append(perf_counter() - begin)


def _insist(client: httpx2.Client, path: str, headers: dict[str, str], body: object, seen: Seen) -> None:
    while True:
        answer = client.post(path, json=body, headers=headers)
        seen.answers[answer.status_code] += 1
        seen.holds(f"an answer is {answer.status_code}", within=answer.is_success)
        if answer.status_code not in {429, 503}:
            answer.raise_for_status()
            return
        sleep(int(answer.headers["Retry-After"]))


def _unsettled(on: Ground) -> int:
    with on.store.transaction() as tx:
        return int(tx.value(UNSETTLED))


def _state(on: Ground) -> tuple[dict[str, dict[str, Any]], int]:
    with on.store.transaction() as tx:
        tx.execute("select pg_stat_force_next_flush()")
        tables = {row["table"]: row for row in tx.execute(SIZES)}
        return tables, int(tx.value("select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint"))


def _processor() -> dict[str, float]:
    """Seconds of processor time of Postgres, Redis, the API and the workers so far."""
    names = {"postgres": "Postgres", "redis-server": "Redis", "multiprocessing": "API", "celery": "workers"}
    used: dict[str, float] = defaultdict(float)
    for pid in family(os.getpid()):
        line = command(pid)
        if name := next((name for sign, name in names.items() if sign in line), None):
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
        used, begun = _processor(), perf_counter()
        seen, lived = play(on, url, arguments.beings, arguments.days, begun + arguments.seconds)
        took = perf_counter() - begun
        after, written = _state(on)
        used = {name: seconds - used[name] for name, seconds in _processor().items()}
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
            deadlocks = tx.value("select deadlocks from pg_stat_database where datname = current_database()")
    console.print(f"{lived:,} days of {arguments.beings:,} Beings in {took:,.0f} s: {lived / took:.2f} a second")
    _print(
        console,
        "a Being's day, by table",
        ["rows", "bytes", "rows read without an index"],
        _grown(before, after, lived),
    )
    log_bytes = (written - log) / lived
    _print(console, "a Being's day", ["measured"], [("bytes of write-ahead log", [f"{log_bytes:,.0f}"])])
    queues = sorted(seen.units, key=lambda queue: -seen.worked[queue])
    _print(
        console,
        "a Being's day, by queue",
        ["units", "worker ms"],
        [(each, [f"{seen.units[each] / lived:.2f}", f"{1000 * seen.worked[each] / lived:.1f}"]) for each in queues],
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
    _print(
        console,
        "by the clock, in minutes",
        ["days lived", "contexts, p50 and p95, ms", "oldest due, s"],
        [(str(minute), _in_words(seen.minutes[minute])) for minute in sorted(seen.minutes)],
    )
    held = sum(seen.worked.values()) / took / (2 * WORKERS + 1)
    console.print(f"Redis held {seen.redis / 2**20:.1f} MB at most; answers by status: {dict(seen.answers)}")
    console.print(f"worker processes held work for {held:.0%} of the time; deadlocks: {deadlocks}")
    for limit, when in seen.passed.items():
        console.print(f"passed after {when:,.0f} s, {_lived(seen, when):,} days: {limit}")
    if not seen.passed:
        console.print("no limit was passed")


def _in_words(minute: Minute) -> list[str]:
    oldest = ", ".join(f"{queue} {age}" for queue, age in minute.oldest.most_common(3) if age)
    return [
        str(minute.lived),
        f"{1000 * minute.context(0.5):.0f}, {1000 * minute.context(0.95):.0f}" if minute.contexts else "",
        oldest,
    ]


def _lived(seen: Seen, when: float) -> int:
    return sum(minute.lived for number, minute in seen.minutes.items() if (number + 1) * MINUTE <= when)


def _grown(before: dict[str, Any], after: dict[str, Any], lived: int) -> list[tuple[str, list[str]]]:
    columns = ("rows", "bytes", "scanned")
    grown = {name: [(after[name][one] - before[name][one]) / lived for one in columns] for name in after}
    largest = sorted((each for each in grown.items() if each[1][1]), key=lambda each: -each[1][1])
    scanned = sorted((each for each in grown.items() if each[1][2]), key=lambda each: -each[1][2])
    rows = [*largest[:12], *(each for each in scanned[:5] if each not in largest[:12])]
    total = [sum(numbers) for numbers in zip(*grown.values(), strict=True)]
    return [
        (name, [f"{rows:.2f}", f"{size:,.0f}", f"{scanned:,.0f}"])
        for name, (rows, size, scanned) in [*rows, ("all tables", total)]
    ]


def _print(console: Console, title: str, columns: Sequence[str], rows: Sequence[tuple[str, list[str]]]) -> None:
    table = Table("what", *columns, title=title, title_justify="left")
    for what, numbers in rows:
        table.add_row(what, *numbers)
    console.print(table)


if __name__ == "__main__":
    main()
