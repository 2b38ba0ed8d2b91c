"""The ledger's own statements: ask, claim, renew, finish, back off, fail, and what is due."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from psycopg.rows import class_row

from schemas.work import Claim, Ring, Work
from store.errors import NotFound
from store.transaction import Transaction, value

RING_AGAIN = timedelta(seconds=20)
MOST_PATIENT = timedelta(minutes=10)
# Between a message's leaving its queue and the claim lies an instant, or a wait for Postgres.
LOST_AFTER = timedelta(seconds=2)


def ask(
    tx: Transaction, owner_id: UUID, kind: str, key: str, queue: str, *, after: timedelta = timedelta(0)
) -> list[Ring]:
    """Ask for work, due `after` a while; returns what the door must ring for now, if anything."""
    due = value(
        tx,
        "select memory.ask_work(%s, %s, %s, %s, clock_timestamp() + %s)",
        [owner_id, kind, key, queue, after],
    )
    return [Ring(owner_id=owner_id, kind=kind, key=key, queue=queue)] if due else []


def pay_with(tx: Transaction, key_id: UUID | None) -> None:
    """Let what this transaction asks for be paid for with the key that came with the request, if one did."""
    if key_id is not None:
        tx.execute("select set_config('memory.paid_by', %s, true)", [str(key_id)])


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


def hand_back(tx: Transaction, claim: Claim) -> None:
    """Give work back that was begun and can't be ended here: it is due at once, and the attempt does not count.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute("select memory.hand_back_work(%s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence])


def ring_due(tx: Transaction, *, limit: int, empty_queues: Collection[str] = ()) -> list[Ring]:
    """What is due, not leased and not rung lately, marked as rung now.

    A ring holds good for two seconds where its queue is known to be empty: its message must have been lost. Elsewhere
    it holds good for 20 seconds, and each further one twice as long as the last, up to 10 minutes: the message likely
    waits its turn in a long queue, which each ring for the same work makes longer.
    """
    with tx.cursor(row_factory=class_row(Ring)) as cursor:
        return cursor.execute(
            "select * from memory.ring_due_work(%s, %s, %s, %s, %s)",
            [RING_AGAIN, MOST_PATIENT, list(empty_queues), LOST_AFTER, limit],
        ).fetchall()


def oldest_due(tx: Transaction) -> timedelta | None:
    """How long the oldest due work has been waiting for somebody to take it; None where nothing is due."""
    since: timedelta | None = value(
        tx,
        "select clock_timestamp() - least("
        " (select min(next_at) from memory.work where state = 'ready' and next_at <= clock_timestamp()),"
        " (select min(lease_until) from memory.work where state = 'running' and lease_until < clock_timestamp()))",
    )
    return since


def listed(
    tx: Transaction,
    owners: Sequence[UUID] | None,
    *,
    state: str,
    limit: int,
    after: tuple[datetime, UUID] | None = None,
) -> list[Work]:
    """Work in a state, oldest first, behind `after` (created_at, work_id); owners of None are all, for the operator."""
    moment, work_id = after or (None, None)
    with tx.cursor(row_factory=class_row(Work)) as cursor:
        return cursor.execute(
            "select * from memory.work where state = %(state)s"
            " and (%(owners)s::uuid[] is null or owner_id = any(%(owners)s))"
            " and (%(moment)s::timestamptz is null or (created_at, work_id) > (%(moment)s, %(work)s::uuid))"
            " order by created_at, work_id limit %(limit)s",
            {"state": state, "owners": owners, "moment": moment, "work": work_id, "limit": limit},
        ).fetchall()


def get(tx: Transaction, owners: Sequence[UUID] | None, work_id: UUID) -> Work:
    """One unit of work of these owners; None means of anybody, for the operator.

    Raises:
        NotFound: They have no such work.
    """
    with tx.cursor(row_factory=class_row(Work)) as cursor:
        found = cursor.execute(
            "select * from memory.work where work_id = %s and (%s::uuid[] is null or owner_id = any(%s))",
            [work_id, owners, owners],
        ).fetchone()
    if found is None:
        raise NotFound(f"There is no work {work_id}.")
    return found


def replay(tx: Transaction, work: Work) -> list[Ring]:
    """Give dead work another life; returns what to ring for.

    Raises:
        Refused: The work is not dead.
    """
    tx.execute("select memory.replay_work(%s, %s)", [work.owner_id, work.work_id])
    return [Ring(owner_id=work.owner_id, kind=work.kind, key=work.key, queue=work.queue)]


def drop(tx: Transaction, work: Work) -> bool:
    """Remove work from the ledger if it is dead."""
    dropped = tx.execute(
        "delete from memory.work where owner_id = %s and work_id = %s and state = 'dead'", [work.owner_id, work.work_id]
    )
    return dropped.rowcount == 1


def dead(tx: Transaction) -> int:
    """How much work is dead."""
    return int(value(tx, "select count(*) from memory.work where state = 'dead'"))


def clear_done(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of work that has been done for so long; returns how many rows."""
    return tx.execute(
        "delete from memory.work where (owner_id, kind, key) in (select owner_id, kind, key from memory.work"
        " where state = 'done' and finished_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount


def clear_orphaned(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of work of that age whose owner is gone; returns how many rows."""
    return tx.execute(
        "delete from memory.work where (owner_id, kind, key) in (select owner_id, kind, key from memory.work as w"
        " where created_at < clock_timestamp() - %s"
        " and not exists (select from memory.beings where being_id = w.owner_id)"
        " and not exists (select from memory.users where user_id = w.owner_id) limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount


def clear_vectors(tx: Transaction, older_than: timedelta, limit: int) -> int:
    """Let go of vectors that were kept for work which never came back for them; returns how many."""
    return tx.execute(
        "delete from memory.embeddings where (being_id, embedding_model, text_hash) in"
        " (select being_id, embedding_model, text_hash from memory.embeddings"
        " where created_at < clock_timestamp() - %s limit %s for update skip locked)",
        [older_than, limit],
    ).rowcount


def remove_all(tx: Transaction, owners: Sequence[UUID]) -> None:
    """Remove all work of owners that are gone."""
    tx.execute("delete from memory.work where owner_id = any(%s)", [list(owners)])


def reserve(tx: Transaction, owner_id: UUID, kind: str, key: str) -> None:
    """Lock a unit of work that this transaction will ask for, before it locks the Being: all do it in this order."""
    tx.execute(
        "select from memory.work where owner_id = %s and kind = %s and key = %s for update", [owner_id, kind, key]
    )


def feel_pulse(tx: Transaction, name: str) -> None:
    """Note that one of the system's pulses was felt now."""
    tx.execute(
        "insert into memory.pulses (name) values (%s) on conflict (name) do update set felt_at = clock_timestamp()",
        [name],
    )


def since_pulse(tx: Transaction, name: str) -> timedelta | None:
    """How long ago a pulse was felt; None where it never was."""
    since: timedelta | None = value(tx, "select clock_timestamp() - felt_at from memory.pulses where name = %s", [name])
    return since


def longest_held(tx: Transaction) -> timedelta | None:
    """How long the unit of work has been held that is held longest; None where none is."""
    held: timedelta | None = value(
        tx, "select clock_timestamp() - min(claimed_at) from memory.work where state = 'running'"
    )
    return held


def since_finished(tx: Transaction) -> timedelta | None:
    """How long ago any work was finished; None where the ledger remembers none."""
    since: timedelta | None = value(
        tx, "select clock_timestamp() - max(finished_at) from memory.work where state = 'done'"
    )
    return since
