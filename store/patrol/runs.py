"""Patrol runs: requested, begun, stepped through, ended."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from schemas.errors import existing
from schemas.ledger.kinds import STEPS
from schemas.ledger.work import TaskMessage
from schemas.patrol.runs import Run
from store.llm import keys
from store.transaction import Transaction

FIRST = STEPS["embed"]


def want(tx: Transaction, being_id: UUID, *, demanded: bool, notes: int) -> UUID:
    """Want a patrol; returns the run that will do it, which begins at once unless another is under way.

    Raises:
        NotFound: There is no such Being.
    """
    (row,) = tx.execute(
        "select * from memory.want_run(%s, %s, %s, %s, %s)", [being_id, demanded, notes, FIRST.name, FIRST.queue]
    )
    if row["began"]:
        _send_first(tx, being_id, row["run_id"])
    run_id: UUID = row["run_id"]
    return run_id


def begin_if_free(tx: Transaction, being_id: UUID, *, least: int, notes: int) -> bool:
    """Begin a patrol if `least` notes are pending and none is under way; returns whether it began.

    It waits for no other transaction: none begins while one holds the Being. Call it last in a transaction.
    """
    run_id: UUID | None = tx.value(
        "select memory.begin_run_if_free(%s, %s, %s, %s, %s)", [being_id, least, notes, FIRST.name, FIRST.queue]
    )
    if run_id:
        _send_first(tx, being_id, run_id)
    return run_id is not None


def end(tx: Transaction, being_id: UUID, run_id: UUID, *, notes: int, error: str | None = None) -> UUID | None:
    """End a run, well or with an error; returns the run that began in its place, if one was queued."""
    next_run: UUID | None = tx.value(
        "select memory.end_run(%s, %s, %s, %s, %s, %s)",
        [being_id, run_id, error, notes, FIRST.name, FIRST.queue],
    )
    if next_run:
        _send_first(tx, being_id, next_run)
    return next_run


def _send_first(tx: Transaction, being_id: UUID, run_id: UUID) -> None:
    tx.outbox.append(TaskMessage(owner_id=being_id, kind=FIRST.name, key=str(run_id)))


def get(tx: Transaction, being_id: UUID, run_id: UUID) -> Run:
    """One run of this Being.

    Raises:
        NotFound: The Being has no such run.
    """
    run = tx.row(Run, "select * from memory.patrol_runs where being_id = %s and run_id = %s", [being_id, run_id])
    return existing(run, f"This Being has no patrol {run_id}.")


def newest(tx: Transaction, being_id: UUID, limit: int, *, before: UUID | None = None) -> list[Run]:
    """The newest runs of this Being, newest first, from `before` on."""
    return tx.rows(
        Run,
        "select * from memory.patrol_runs where being_id = %(being)s"
        " and (%(before)s::uuid is null or run_id < %(before)s) order by run_id desc limit %(limit)s",
        {"being": being_id, "before": before, "limit": limit},
    )


def any_running(tx: Transaction, being_id: UUID) -> bool:
    """Whether a patrol of this Being is under way."""
    return tx.exists("select from memory.patrol_runs where being_id = %s and state = 'running'", [being_id])


def awaited(tx: Transaction, being_id: UUID, run_id: UUID) -> bool:
    """Whether a user demanded this run, or the one that waits for its end."""
    return tx.exists(
        "select from memory.patrol_runs where being_id = %s and demanded and (run_id = %s or state = 'queued')",
        [being_id, run_id],
    )


def under_way(tx: Transaction, being_id: UUID, run_id: UUID) -> dict[str, Any] | None:
    """The present step of a run: `kind`, `state`, `attempts`, `next_at`, `error`. None when it is over."""
    return tx.execute(
        "select kind, state, attempts, next_at, error from memory.work"
        " where owner_id = %s and key = %s and state <> 'done' and kind = any(%s)",
        [being_id, str(run_id), [kind.name for kind in STEPS.values()]],
    ).fetchone()


def lock_for_step(tx: Transaction, being_id: UUID, run_id: UUID) -> None:
    """Lock the Being for the effects of a step, and mark these with its run.

    Raises:
        NotFound: There is no such Being.
    """
    tx.execute("select memory.lock_being(%s), set_config('memory.run_id', %s, true)", [being_id, str(run_id)])


def note_step(tx: Transaction, being_id: UUID, run_id: UUID, step: str, did: dict[str, Any]) -> None:
    """Record the results of a finished step."""
    tx.execute(
        "update memory.patrol_runs set steps = steps || jsonb_build_object(%s::text, %s || jsonb_build_object("
        "'finished_at', memory.now())) where being_id = %s and run_id = %s",
        [step, Jsonb(did), being_id, run_id],
    )


def tick_due(tx: Transaction, being_id: UUID, tick: timedelta) -> bool:
    """Whether the Being's last counted patrol lies at least `tick` of domain time back, or there was none."""
    return bool(
        tx.value(
            "select ticked_at is null or ticked_at <= memory.now() - %s from memory.beings where being_id = %s",
            [tick, being_id],
        )
    )


def beings_due(tx: Transaction, tick: timedelta, limit: int) -> list[UUID]:
    """Beings that remember something and whose last counted patrol lies at least `tick` of domain time back."""
    return tx.column(
        "select being_id from memory.beings where embedding_model is not null and ticked_at <= memory.now() - %s"
        " order by ticked_at limit %s",
        [tick, limit],
    )


def owe_thinking(tx: Transaction, being_id: UUID, run_id: UUID) -> None:
    """Note that a run skips thinking because a provider is away, so that a run follows when it is back."""
    tx.execute(
        """
        insert into memory.owed_thinking (being_id, run_id)
        values (%s, %s)
        on conflict (being_id) do update
        set run_id = excluded.run_id
        """,
        [being_id, run_id],
    )


def owes_thinking(tx: Transaction, being_id: UUID) -> bool:
    """Whether a run of this Being skipped thinking, and none has made up for it."""
    return tx.exists("select from memory.owed_thinking where being_id = %s", [being_id])


def settle_thinking(tx: Transaction, being_id: UUID, run_id: UUID) -> None:
    """Note at a run's end that it has made up for thinking that earlier runs skipped, unless it skipped some itself."""
    tx.execute("delete from memory.owed_thinking where being_id = %s and run_id <> %s", [being_id, run_id])


def beings_owing(tx: Transaction, *, platform: bool, limit: int) -> list[UUID]:
    """Beings whose runs skipped thinking, without one under way, whose users may use a model now."""
    return keys.waiting(
        tx,
        """
        select being_id, user_id
        from memory.owed_thinking
        join memory.beings as b using (being_id)
        where not exists (
            select from memory.patrol_runs as r where r.being_id = b.being_id and r.state in ('queued', 'running')
        )
        """,
        platform=platform,
        limit=limit,
    )
