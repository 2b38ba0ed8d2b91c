"""The execution of one unit of work in a worker: claim → renew the lease → do and finish.

Otherwise the unit backs off, fails, or, if the worker is stopping, returns to `ready`.

A task has the name of its kind of work, and its only argument names the unit: `owner/key`. The store sends the messages
for work that a task makes ready, after the commit.
"""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import structlog
from celery.exceptions import Ignore

from providers.errors import Misconfigured, Transient
from providers.metering import RequestOwner, on_behalf_of
from schemas.errors import BudgetSpent, LeaseLost, StatementTimeout, Unavailable, Withdrawn
from schemas.ledger.acting import acting_for, crossing
from schemas.ledger.kinds import KINDS, STEPS, Kind, TickKind, WorkKind
from schemas.ledger.work import Claim
from schemas.settings import Settings
from store.ledger import work
from store.ledger.tracing import Attributes
from store.transaction import Transaction
from workers.runtime.app import app
from workers.runtime.faults import described
from workers.runtime.lease import renewed_lease
from workers.runtime.resources import Resources

log = structlog.get_logger()

Do = Callable[[Resources, Claim], None]
Look = Callable[[Resources], None]
Bury = Callable[[Transaction, Settings, UUID, str, str], None]
MISCONFIGURED_WAIT = timedelta(minutes=1)


def step(kind: WorkKind, do: Do, *, bury: Bury | None = None) -> None:
    """Make a Celery task of a function that does one unit of work.

    Args:
        kind: The kind of work, which names the task and its queue.
        do: Does a unit, and finishes it.
        bury: Called in the transaction that marks a step of a patrol dead.

    Raises:
        ValueError: The kind is not registered, or has a `bury` and is no step of a patrol, or the reverse.
    """
    _must_be_registered(kind)
    if (bury is not None) != (kind in STEPS.values()):
        raise ValueError(f"{kind.name}: pass `bury` if and only if the kind is a step of a patrol.")

    def perform(name: str) -> None:
        owner, _, key = name.partition("/")
        _perform(do, bury, kind.name, UUID(owner), key)

    app.task(perform, name=kind.name, queue=kind.queue)


def tick(kind: TickKind, *looks: Look) -> None:
    """Make a Celery task, which beat sends periodically, of functions that look for due work, one after the other.

    Raises:
        ValueError: The kind is not registered.
    """
    _must_be_registered(kind)

    def perform() -> None:
        try:
            with crossing("periodic"):
                for look in looks:
                    look(app.process_resources())
        except Unavailable as fault:
            log.warning("tick.skipped", tick=kind.name, fault=str(fault))

    app.task(perform, name=kind.name, queue=kind.queue)


def _must_be_registered(kind: Kind) -> None:
    if KINDS.get(kind.name) is not kind:
        raise ValueError(f"{kind.name} is not registered: add the kind to schemas/ledger/kinds.py.")


def _perform(do: Do, bury: Bury | None, kind: str, owner_id: UUID, key: str) -> None:
    on = app.process_resources()
    claim = _claim(on, bury, kind, owner_id, key)
    if claim is None:
        return
    with (
        structlog.contextvars.bound_contextvars(
            kind=kind, owner_id=str(owner_id), key=key, task_id=app.current_task.request.id
        ),
        acting_for(claim.user_id or owner_id, owner_id),
    ):
        try:
            with (
                on.store.tracing.span(kind, _attributes(claim), parent=claim.trace or ""),
                renewed_lease(on.store, claim, on.settings.lease),
                on_behalf_of(RequestOwner(owner_id, "embed", kind, key)),
            ):
                do(on, claim)
        except LeaseLost as lost:
            raise Ignore from lost
        except Exception as fault:
            _set_back(on, bury, claim, fault)
            raise Ignore from fault
        except BaseException:
            _hand_back(on, claim)
            raise


def _attributes(claim: Claim) -> Attributes:
    return {
        "patrol.owner_id": str(claim.owner_id),
        "patrol.key": claim.key,
        "patrol.queue": claim.queue,
        "patrol.attempt": claim.attempts,
    }


def _claim(on: Resources, bury: Bury | None, kind: str, owner_id: UUID, key: str) -> Claim | None:
    """Claim the unit; None if it is done, which lets a redelivered chain go on.

    Raises:
        Ignore: The unit backs off, is leased to another worker, is dead, or does not exist; or the ledger is out of
            reach, and the sweep sends another message later.
    """
    try:
        with crossing("claim"), on.store.transaction() as tx:
            claim = work.claim(tx, owner_id, kind, key, lease=on.settings.lease, attempts=on.settings.attempts)
            state = "running" if claim else work.state(tx, owner_id, kind, key)
            if bury and state == "dead":
                bury(tx, on.settings, owner_id, key, f"{kind} is dead.")
    except Unavailable as fault:
        log.warning("work.not_claimed", kind=kind, owner_id=str(owner_id), key=key, fault=str(fault))
        raise Ignore from fault
    if claim:
        return claim
    if state == "done":
        return None
    raise Ignore


def _set_back(on: Resources, bury: Bury | None, claim: Claim, fault: Exception) -> None:
    """Record a fault in the ledger: a transient one backs off without using up an attempt, any other uses up one."""
    error = described(fault)
    try:
        with on.store.transaction() as tx:
            match fault:
                case Transient(retry_after=seconds):
                    work.back_off(tx, claim, wait=None if seconds is None else timedelta(seconds=seconds), error=error)
                    log.info("work.backed_off", fault=error)
                case Withdrawn():
                    work.back_off(tx, claim, wait=timedelta(0), error=error)
                    log.info("work.asks_again", fault=error)
                case Misconfigured():
                    work.back_off(tx, claim, wait=MISCONFIGURED_WAIT, error=error)
                    log.warning("work.waits_for_settings", fault=error)
                case BudgetSpent(retry_after=seconds):
                    work.back_off(tx, claim, wait=timedelta(seconds=seconds), error=error)
                    log.warning("work.waits_for_budget", fault=error)
                # A statement timeout uses up attempts: a statement that always takes too long must become dead work.
                case Unavailable() if not isinstance(fault, StatementTimeout):
                    work.back_off(tx, claim, wait=None, error=error)
                    log.info("work.backed_off", fault=error)
                case _:
                    state = work.fail(tx, claim, attempts=on.settings.attempts, error=error)
                    log.error("work.failed", fault=error, state=state)
                    if bury and state == "dead":
                        bury(tx, on.settings, claim.owner_id, claim.key, f"{claim.kind}: {error}")
    except (Unavailable, LeaseLost) as worse:
        # The lease expires, and the sweep sends another message for the unit.
        log.warning("work.left_to_its_lease", fault=error, worse=described(worse))


def _hand_back(on: Resources, claim: Claim) -> None:
    """Release the claim of a stopping process, so that another worker can take the unit at once."""
    try:
        on.store.run(work.hand_back, claim)
        log.info("work.handed_back")
    except (Unavailable, LeaseLost) as worse:
        log.warning("work.left_to_its_lease", worse=described(worse))
