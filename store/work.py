"""The ledger's own statements: ask, claim, renew, finish, back off, fail, and what is due."""

from datetime import datetime, timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.work import Claim, Ring
from store.transaction import Transaction, value

RING_AGAIN = timedelta(seconds=20)


def ask(
    tx: Transaction, owner_id: UUID, kind: str, key: str, queue: str, *, after: timedelta = timedelta(0)
) -> list[Ring]:
    """Ask for work, due `after` a while; returns what the door must ring for now, if anything."""
    due = value(
        tx,
        "select memory.ask_work(%s, %s, %s, %s, clock_timestamp() + %s, %s)",
        [owner_id, kind, key, queue, after, RING_AGAIN],
    )
    return [Ring(owner_id=owner_id, kind=kind, key=key, queue=queue)] if due else []


def claim(tx: Transaction, owner_id: UUID, kind: str, key: str, *, lease: timedelta, attempts: int) -> Claim | None:
    """Take the lease on due work; None if it is not due, leased to another, or over."""
    with tx.cursor(row_factory=class_row(Claim)) as cursor:
        return cursor.execute(
            "select * from memory.claim_work(%s, %s, %s, %s, %s)", [owner_id, kind, key, lease, attempts]
        ).fetchone()


def state(tx: Transaction, owner_id: UUID, kind: str, key: str) -> str | None:
    """The state of a unit of work, None where nobody asked for it."""
    found: str | None = value(
        tx, "select state from memory.work where owner_id = %s and kind = %s and key = %s", [owner_id, kind, key]
    )
    return found


def renew(tx: Transaction, claim: Claim, lease: timedelta) -> None:
    """Hold the lease for longer.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute(
        "select memory.renew_lease(%s, %s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence, lease]
    )


def hold(tx: Transaction, claim: Claim) -> None:
    """Begin to finish: nobody else takes the work while this transaction lasts.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute("select memory.hold_work(%s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence])


def finish(tx: Transaction, claim: Claim) -> None:
    """End the work; if it was wanted meanwhile it is ready again.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute("select memory.finish_work(%s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence])


def back_off(tx: Transaction, claim: Claim, *, wait: timedelta | None, error: str) -> None:
    """Let a passing fault pass: the work waits, longer each time unless told how long; the attempt does not count.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute(
        "select memory.back_off_work(%s, %s, %s, %s, %s, %s)",
        [claim.owner_id, claim.kind, claim.key, claim.fence, wait, error],
    )


def fail(tx: Transaction, claim: Claim, *, attempts: int, error: str) -> str:
    """Count a failed attempt; returns `ready`, or `dead` when the attempts are used up.

    Raises:
        LeaseLost: Another holds the work now.
    """
    return str(
        value(
            tx,
            "select memory.fail_work(%s, %s, %s, %s, %s, %s)",
            [claim.owner_id, claim.kind, claim.key, claim.fence, attempts, error],
        )
    )


def ring_due(tx: Transaction, *, limit: int) -> list[Ring]:
    """What is due, not leased and not rung lately, marked as rung now."""
    with tx.cursor(row_factory=class_row(Ring)) as cursor:
        return cursor.execute("select * from memory.ring_due_work(%s, %s)", [RING_AGAIN, limit]).fetchall()


def oldest_due(tx: Transaction) -> datetime | None:
    """Since when the oldest due work has been waiting for somebody to take it."""
    since: datetime | None = value(
        tx,
        "select least("
        " (select min(next_at) from memory.work where state = 'ready' and next_at <= clock_timestamp()),"
        " (select min(lease_until) from memory.work where state = 'running' and lease_until < clock_timestamp()))",
    )
    return since
