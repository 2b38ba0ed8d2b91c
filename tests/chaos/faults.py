"""The faults that chaos injects, one after the other, at random."""

import os
import random
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

import psycopg
import redis

from tests.chaos.system import LEASE, WORKERS, System, children_of
from tests.fakes.provider import Behaviour
from workers.embedded.processes import Child

Do = Callable[[System, random.Random], str]


@dataclass(frozen=True)
class Fault:
    """One kind of fault.

    Attributes:
        name: Its name in the table.
        weight: How often it is drawn, relative to the others.
        do: Does it, takes as long as it lasts, and says what exactly it did.
    """

    name: str
    weight: float
    do: Do


def _signalled(name: str, number: signal.Signals) -> Do:
    def do(system: System, _: random.Random) -> str:
        child = system.child(name)
        if child is None:
            return f"{name} was dead"
        if number == signal.SIGKILL:
            child.kill()
        else:
            child.send(number)
        return f"{name} ({child.pid})"

    return do


def _any_worker(number: signal.Signals) -> Do:
    return lambda system, chance: _signalled(chance.choice(WORKERS), number)(system, chance)


def _every_worker(system: System, chance: random.Random) -> str:
    return ", ".join(_signalled(name, signal.SIGKILL)(system, chance) for name in WORKERS)


def _task_process(system: System, chance: random.Random) -> tuple[Child, int] | None:
    """Return one of a worker's child processes."""
    child = system.child(chance.choice(WORKERS))
    forked = children_of(child.pid) if child else []
    return (child, chance.choice(forked)) if child and forked else None


def _kill_task_process(system: System, chance: random.Random) -> str:
    if (found := _task_process(system, chance)) is None:
        return "there was none"
    with suppress(ProcessLookupError):
        os.kill(found[1], signal.SIGKILL)
    return f"{found[1]} of worker {found[0].pid}"


def _suspend_task_process(system: System, chance: random.Random) -> str:
    """Suspend a process for longer than its lease, so that another worker takes over its work."""
    if (found := _task_process(system, chance)) is None:
        return "there was none"
    with suppress(ProcessLookupError):
        os.kill(found[1], signal.SIGSTOP)
        time.sleep(LEASE.total_seconds() + chance.uniform(0, 2))
        os.kill(found[1], signal.SIGCONT)
    return f"{found[1]} of worker {found[0].pid}"


def _flush(system: System, _: random.Random) -> str:
    with suppress(redis.RedisError), redis.Redis.from_url(system.servers.redis_url, socket_timeout=2) as client:
        client.flushall()
    return ""


def _crash_redis(system: System, chance: random.Random) -> str:
    system.servers.redis.crash()
    away = chance.uniform(0, 2)
    time.sleep(away)
    system.servers.redis.start()
    return f"away for {away:.1f} s"


def _restart_redis(system: System, _: random.Random) -> str:
    system.servers.redis.stop()
    system.servers.redis.start()
    return ""


def _pause_redis(system: System, chance: random.Random) -> str:
    away = chance.uniform(0.5, 4)
    os.kill(system.servers.redis.pid, signal.SIGSTOP)
    time.sleep(away)
    os.kill(system.servers.redis.pid, signal.SIGCONT)
    return f"for {away:.1f} s"


def _crash_postgres(system: System, chance: random.Random) -> str:
    system.servers.postgres.crash()
    away = chance.choice([0, chance.uniform(0, 2)])
    time.sleep(away)
    system.servers.postgres.start()
    return f"away for {away:.1f} s"


def _cut_connections(system: System, _: random.Random) -> str:
    with suppress(psycopg.OperationalError), psycopg.connect(system.servers.database_url, autocommit=True) as own:
        cut = own.execute(
            "select count(pg_terminate_backend(pid)) from pg_stat_activity"
            " where pid <> pg_backend_pid() and backend_type = 'client backend'"
        ).fetchone()
        return f"{cut[0]} of them" if cut else ""
    return "Postgres did not answer"


def _model_misbehaves(system: System, chance: random.Random) -> str:
    times = chance.randint(1, 4)
    behaviour = chance.choice(
        [
            Behaviour(do="fail", status=429, headers={"retry-after": "1"}, times=times),
            Behaviour(do="fail", status=529, times=times),
            Behaviour(do="fail", status=500, times=times),
            Behaviour(do="hang", seconds=chance.uniform(1, 8)),
            Behaviour(do="drop", times=times),
            *(Behaviour(do=rubbish) for rubbish in ("garble", "short", "nan", "dimension", "empty")),
            *(Behaviour(do=excuse, on="messages", times=times) for excuse in ("refuse", "truncate")),
            Behaviour(do="answer", text='{"merges": "all of them"}', on="messages", times=times),
        ]
    )
    system.provider.script(behaviour)
    return f"{behaviour.do} {behaviour.status if behaviour.do == 'fail' else ''} × {behaviour.times}"


FAULTS = (
    Fault("a task's process is killed", 4, _kill_task_process),
    Fault("a task's process is suspended past its lease", 1, _suspend_task_process),
    Fault("a worker is killed", 2, _any_worker(signal.SIGKILL)),
    Fault("a worker is stopped", 2, _any_worker(signal.SIGTERM)),
    Fault("a worker is stopped in a hurry", 1, _any_worker(signal.SIGQUIT)),
    Fault("every worker is killed", 1, _every_worker),
    Fault("beat is killed", 1, _signalled("beat", signal.SIGKILL)),
    Fault("the API is killed", 1, _signalled("api", signal.SIGKILL)),
    Fault("the stream reader is killed", 2, _signalled("stream", signal.SIGKILL)),
    Fault("Redis is flushed", 3, _flush),
    Fault("Redis crashes", 1, _crash_redis),
    Fault("Redis restarts", 1, _restart_redis),
    Fault("Redis is suspended", 1, _pause_redis),
    Fault("Postgres crashes", 2, _crash_postgres),
    Fault("connections are cut", 2, _cut_connections),
    Fault("the model misbehaves", 4, _model_misbehaves),
)
