"""The life of a unit of work in a worker, on one screen: claim → keep the lease → do → ring.

Or it backs off, or fails, or is handed back, because the worker is told to stop.

A task is named after the kind of work it does, and its only argument names the work: `owner/key`.
"""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import structlog
from celery import Task
from celery.exceptions import Ignore

from providers.errors import Misconfigured, Transient
from providers.metering import Asker, on_behalf_of
from schemas.settings import Settings
from schemas.work import Claim, Ring
from store import work
from store.errors import BudgetSpent, LeaseLost, Unavailable
from store.transaction import Transaction
from workers.app import app
from workers.doorbell import ring
from workers.faults import described
from workers.lease import kept
from workers.resources import Resources

log = structlog.get_logger()

Do = Callable[[Resources, Claim], list[Ring] | None]
Bury = Callable[[Transaction, Settings, UUID, str, str], list[Ring]]
MISCONFIGURED_WAIT = timedelta(minutes=1)


def step(*, queue: str, bury: Bury | None = None) -> Callable[[Do], Task]:
    """Make a Celery task of what does one unit of work.

    Args:
        queue: Where its messages go.
        bury: What follows in the ledger when the work is dead, in the same transaction.

    Returns:
        A decorator for `(resources, claim) -> what to ring for`.
    """

    def decorate(do: Do) -> Task:
        kind = f"{do.__module__.rpartition('.')[2]}.{do.__name__}"

        def perform(name: str) -> None:
            owner, _, key = name.partition("/")
            _perform(do, bury, kind, UUID(owner), key)

        perform.__doc__ = do.__doc__
        return app.task(perform, name=kind, queue=queue)

    return decorate


def tick(*, queue: str) -> Callable[[Callable[[Resources], list[Ring]]], Task]:
    """Make a Celery task of what beat does at its times: it looks into the ledger, and says what to ring for."""

    def decorate(look: Callable[[Resources], list[Ring]]) -> Task:
        def perform() -> None:
            try:
                ring(app, look(app.at_hand()))
            except Unavailable as fault:
                log.warning("tick.skipped", tick=look.__name__, fault=str(fault))

        perform.__doc__ = look.__doc__
        return app.task(perform, name=f"{look.__module__.rpartition('.')[2]}.{look.__name__}", queue=queue)

    return decorate


def _perform(do: Do, bury: Bury | None, kind: str, owner_id: UUID, key: str) -> None:
    on = app.at_hand()
    claim = _claim(on, bury, kind, owner_id, key)
    if claim is None:
        return
    if on.crash:
        on.crash.begin(kind)
    with structlog.contextvars.bound_contextvars(
        kind=kind, owner_id=str(owner_id), key=key, task_id=app.current_task.request.id
    ):
        try:
            with kept(on.store, claim, on.settings.lease), on_behalf_of(Asker(owner_id, "embed", kind, key)):
                rings = do(on, claim)
        except LeaseLost as lost:
            raise Ignore from lost
        except Exception as fault:
            _set_back(on, bury, claim, fault)
            raise Ignore from fault
        except BaseException:
            _hand_back(on, claim)
            raise
    if on.crash:
        on.crash.passed("before the next step is sent")
    ring(app, rings or [])


def _claim(on: Resources, bury: Bury | None, kind: str, owner_id: UUID, key: str) -> Claim | None:
    """Take the work; None if it is done, which lets a redelivered chain go on.

    Raises:
        Ignore: It is not this message's turn: the work waits, is leased to another, is dead, or was never asked for; or
            the ledger is out of reach, and the sweep will ring when it is back.
    """
    rings: list[Ring] = []
    try:
        with on.store.transaction() as tx:
            claim = work.claim(tx, owner_id, kind, key, lease=on.settings.lease, attempts=on.settings.attempts)
            state = "running" if claim else work.state(tx, owner_id, kind, key)
            if bury and state == "dead":
                rings = bury(tx, on.settings, owner_id, key, f"{kind} is dead.")
    except Unavailable as fault:
        log.warning("work.not_claimed", kind=kind, owner_id=str(owner_id), key=key, fault=str(fault))
        raise Ignore from fault
    if claim:
        return claim
    ring(app, rings)
    if state == "done":
        return None
    raise Ignore


def _set_back(on: Resources, bury: Bury | None, claim: Claim, fault: Exception) -> None:
    """Write down what went wrong, by its kind: what passes is waited for, anything else is one attempt less."""
    words = described(fault)
    rings: list[Ring] = []
    try:
        with on.store.transaction() as tx:
            match fault:
                case Transient(retry_after=seconds):
                    work.back_off(tx, claim, wait=None if seconds is None else timedelta(seconds=seconds), error=words)
                    log.info("work.backed_off", fault=words)
                case Misconfigured():
                    work.back_off(tx, claim, wait=MISCONFIGURED_WAIT, error=words)
                    log.warning("work.waits_for_settings", fault=words)
                case BudgetSpent(retry_after=seconds):
                    work.back_off(tx, claim, wait=timedelta(seconds=seconds), error=words)
                    log.warning("work.waits_for_budget", fault=words)
                case Unavailable():
                    work.back_off(tx, claim, wait=None, error=words)
                    log.info("work.backed_off", fault=words)
                case _:
                    state = work.fail(tx, claim, attempts=on.settings.attempts, error=words)
                    log.error("work.failed", fault=words, state=state)
                    if bury and state == "dead":
                        rings = bury(tx, on.settings, claim.owner_id, claim.key, f"{claim.kind}: {words}")
    except (Unavailable, LeaseLost) as worse:
        # The lease will run out, and the sweep will ring for the work again.
        log.warning("work.left_to_its_lease", fault=words, worse=described(worse))
    ring(app, rings)


def _hand_back(on: Resources, claim: Claim) -> None:
    """This process is told to end in the middle of the work: let another have it at once."""
    try:
        with on.store.transaction() as tx:
            work.hand_back(tx, claim)
        log.info("work.handed_back")
    except (Unavailable, LeaseLost) as worse:
        log.warning("work.left_to_its_lease", worse=described(worse))
