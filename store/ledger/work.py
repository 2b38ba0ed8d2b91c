"""The life of a unit of work: ask, claim, renew, finish, back off, fail; due units, and the operator's view.

A statement that makes work due now adds its Celery message to the transaction's outbox.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType
from uuid import UUID

from schemas.errors import Refused, existing
from schemas.ledger.kinds import WORK, WorkKind
from schemas.ledger.work import Claim, TaskMessage, Work
from store.transaction import Transaction

AT_ONCE = timedelta(0)
# Between the commit and a message's arrival in its queue, and between its leaving and the claim, lies an instant, or a
# wait for Redis or Postgres.
LOST_AFTER = timedelta(seconds=2)
# A queue may also hold messages for units that are done; as many messages may be lost unnoticed until then.
HIDDEN_AFTER = timedelta(hours=1)
NOTHING_KNOWN: Mapping[str, int] = MappingProxyType({})


def ask(
    tx: Transaction,
    owner_id: UUID,
    kind: WorkKind,
    key: str = "",
    *,
    after: timedelta = AT_ONCE,
    in_chain: bool = False,
) -> bool:
    """Ask for work, due `after` a while; returns whether a message was due for it now.

    Args:
        owner_id: The Being or user that it is done for.
        kind: The kind of the work.
        key: The thing to do it to, where an owner may have several units of the kind.
        after: How long to wait.
        in_chain: The Celery chain that the running task is part of sends the message, so the outbox must not.
    """
    due = bool(
        tx.value(
            "select memory.ask_work(%s, %s, %s, %s, clock_timestamp() + %s)",
            [owner_id, kind.name, key, kind.queue, after],
        )
    )
    if due and not in_chain:
        tx.outbox.append(TaskMessage(owner_id=owner_id, kind=kind.name, key=key))
    return due


def ask_each(tx: Transaction, owner_id: UUID, kind: WorkKind, after: Mapping[str, timedelta]) -> None:
    """Ask for several units of one kind, by key, each `after` its while; in one statement, in the order of the keys."""
    if not after:
        return
    keys = sorted(after)
    rows = tx.execute(
        """
        select asked.key
        from unnest(%s::text[], %s::interval[]) as asked (key, wait),
            memory.ask_work(%s, %s, asked.key, %s, clock_timestamp() + asked.wait) as due
        where due
        """,
        [keys, [after[key] for key in keys], owner_id, kind.name, kind.queue],
    )
    tx.outbox += [TaskMessage(owner_id=owner_id, kind=kind.name, key=row["key"]) for row in rows]


def claim(tx: Transaction, owner_id: UUID, kind: str, key: str, *, lease: timedelta, attempts: int) -> Claim | None:
    """Take the lease on due work; None if it is not due, leased to another, or over."""
    return tx.row(
        Claim,
        """
        select claimed.*, coalesce(u.withdrawals, 0) as withdrawals, u.user_id
        from memory.claim_work(%s, %s, %s, %s, %s) as claimed
        left join memory.beings as b on b.being_id = claimed.owner_id
        left join memory.users as u on u.user_id = coalesce(b.user_id, claimed.owner_id)
        """,
        [owner_id, kind, key, lease, attempts],
    )


def begin_idle(tx: Transaction, owner_ids: Sequence[UUID], kind: WorkKind, *, lease: timedelta) -> list[Claim]:
    """Request and claim one kind of work of several owners, where none of it waits, is under way or is dead."""
    return tx.rows(
        Claim,
        """
        select begun.*, coalesce(u.withdrawals, 0) as withdrawals, u.user_id
        from memory.begin_idle_work(%s, %s, %s, %s) as begun
        left join memory.beings as b on b.being_id = begun.owner_id
        left join memory.users as u on u.user_id = coalesce(b.user_id, begun.owner_id)
        """,
        [list(owner_ids), kind.name, kind.queue, lease],
    )


def state(tx: Transaction, owner_id: UUID, kind: str, key: str) -> str | None:
    """The state of a unit of work; None if it was never requested."""
    return tx.value(
        "select state from memory.work where owner_id = %s and kind = %s and key = %s", [owner_id, kind, key]
    )


def renew(tx: Transaction, claim: Claim, lease: timedelta) -> None:
    """Hold the lease for longer.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute(
        "select memory.renew_lease(%s, %s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence, lease]
    )


def hold(tx: Transaction, claim: Claim) -> None:
    """Lock the work's row and check its lease: another claim waits until this transaction ends.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute("select memory.hold_work(%s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence])


def finish(tx: Transaction, claim: Claim) -> None:
    """End the work and commit, as the transaction's last statement; a unit requested meanwhile is ready again.

    Raises:
        LeaseLost: Another holds the work now.
    """
    # In one message to the server, which commits only if the work ended well.
    with tx.pipeline():
        finished = tx.execute(
            "select memory.finish_work(%s, %s, %s, %s) as due", [claim.owner_id, claim.kind, claim.key, claim.fence]
        )
        tx.commit()
    if any(row["due"] for row in finished):
        tx.outbox.append(_message(claim))


def hold_each(tx: Transaction, claims: Sequence[Claim]) -> None:
    """Hold work of one kind of several owners, as `hold` does.

    Raises:
        LeaseLost: Another holds some of it now.
    """
    tx.execute(
        "select memory.hold_each_work(%s, %s, %s)",
        [[one.owner_id for one in claims], claims[0].kind, [one.fence for one in claims]],
    )


def finish_each(tx: Transaction, claims: Sequence[Claim]) -> None:
    """End such work; units that were requested meanwhile are ready again.

    Raises:
        LeaseLost: Another holds some of it now.
    """
    rows = tx.execute(
        """
        select held.owner_id
        from unnest(%s::uuid[], %s::bigint[]) as held (owner_id, fence)
        where memory.finish_work(held.owner_id, %s, '', held.fence)
        """,
        [[one.owner_id for one in claims], [one.fence for one in claims], claims[0].kind],
    )
    due = {row["owner_id"] for row in rows}
    tx.outbox += [_message(one) for one in claims if one.owner_id in due]


def back_off(tx: Transaction, claim: Claim, *, wait: timedelta | None, error: str) -> None:
    """Let a passing fault pass: the work waits, by default longer each time; the attempt does not count.

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
    return tx.value(
        "select memory.fail_work(%s, %s, %s, %s, %s, %s)",
        [claim.owner_id, claim.kind, claim.key, claim.fence, attempts, error],
    )


def hand_back(tx: Transaction, claim: Claim) -> None:
    """Give work back that was begun and can't be ended here: it is due at once, and the attempt does not count.

    Raises:
        LeaseLost: Another holds the work now.
    """
    tx.execute("select memory.hand_back_work(%s, %s, %s, %s)", [claim.owner_id, claim.kind, claim.key, claim.fence])
    tx.outbox.append(_message(claim))


def take_due(tx: Transaction, *, limit: int, queued: Mapping[str, int] = NOTHING_KNOWN) -> list[TaskMessage]:
    """Find due units without a valid lease or a message; marks them as sent now, for the caller to send or begin.

    A message counts as lost after two seconds where its queue holds fewer messages (`queued`, by queue) than units
    wait, and after an hour in any case. Where no message is missing the units wait their turn: further messages would
    make the queue longer. Units of kinds that this code does not know are left unchanged.
    """
    waiting = tx.execute(
        """
        select queue, count(*) as units
        from memory.work
        where (
            state = 'ready' and next_at <= clock_timestamp() or state = 'running' and lease_until < clock_timestamp()
        ) and kind = any(%s) and dispatched_at < clock_timestamp() - %s
        group by queue
        """,
        [list(WORK), LOST_AFTER],
    ).fetchall()
    short = [row["queue"] for row in waiting if queued.get(row["queue"], row["units"]) < row["units"]]
    return tx.rows(
        TaskMessage,
        "select * from memory.take_due_work(%s, %s, %s, %s, %s, %s)",
        [list(WORK), HIDDEN_AFTER, HIDDEN_AFTER, short, LOST_AFTER, limit],
    )


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
    return tx.rows(
        Work,
        "select * from memory.work where state = %(state)s"
        " and (%(owners)s::uuid[] is null or owner_id = any(%(owners)s))"
        " and (%(moment)s::timestamptz is null or (created_at, work_id) > (%(moment)s, %(work)s::uuid))"
        " order by created_at, work_id limit %(limit)s",
        {"state": state, "owners": owners, "moment": moment, "work": work_id, "limit": limit},
    )


def get(tx: Transaction, owners: Sequence[UUID] | None, work_id: UUID) -> Work:
    """One unit of work of these owners; None means of every owner, for the operator.

    Raises:
        NotFound: They have no such work.
    """
    found = tx.row(
        Work,
        "select * from memory.work where work_id = %s and (%s::uuid[] is null or owner_id = any(%s))",
        [work_id, owners, owners],
    )
    return existing(found, f"There is no work {work_id}.")


def replay(tx: Transaction, work: Work) -> None:
    """Give dead work another life.

    Raises:
        Refused: The work is not dead, or of a kind that this code does not know.
    """
    if not work.known:
        raise Refused(
            f"This version knows no work of the kind {work.kind}: replay it with the version that does, or remove it."
        )
    tx.execute("select memory.replay_work(%s, %s)", [work.owner_id, work.work_id])
    tx.outbox.append(_message(work))


def _message(unit: Claim | Work) -> TaskMessage:
    return TaskMessage(owner_id=unit.owner_id, kind=unit.kind, key=unit.key)


def remove(tx: Transaction, work: Work) -> bool:
    """Remove work from the ledger if it is dead, or waits and is of a kind that this code does not know."""
    return tx.changes(
        """
        delete from memory.work
        where owner_id = %s and work_id = %s and (state = 'dead' or state = 'ready' and kind <> all (%s))
        """,
        [work.owner_id, work.work_id, list(WORK)],
    )


def reserve(tx: Transaction, owner_id: UUID, kind: WorkKind) -> None:
    """Lock the unit of a kind without keys, which this transaction will ask for, before it locks the Being."""
    tx.execute("select memory.reserve_work(%s, %s, '')", [owner_id, kind.name])
