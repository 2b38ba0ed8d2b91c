"""Dead work: listing, replay and removal."""

from collections.abc import Sequence
from uuid import UUID

from memory.text.pages import cut_page, parse_cursor, time_and_id
from schemas.errors import Refused
from schemas.ledger.kinds import STEPS, WORK
from schemas.ledger.work import Work, WorkPage
from schemas.settings import Settings
from store.database import Store
from store.ledger import work
from store.llm import unanswered
from store.patrol import runs

Owners = Sequence[UUID] | None
"""The owners whose work a caller may see: Beings of a user, or None for the operator, who sees all."""


def work_page(store: Store, owners: Owners, *, state: str, cursor: str | None, limit: int) -> WorkPage:
    """Work in a state, oldest first.

    Raises:
        InvalidRequest: The cursor was not made by this API.
    """
    after = parse_cursor(cursor, time_and_id)
    with store.transaction() as tx:
        found = work.listed(tx, owners, state=state, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda unit: (unit.created_at, unit.work_id))
    return WorkPage(work=shown, cursor=end)


def show(store: Store, owners: Owners, work_id: UUID) -> Work:
    """Return one unit of work.

    Raises:
        NotFound: These owners have no such work.
    """
    with store.transaction() as tx:
        return work.get(tx, owners, work_id)


def replay(store: Store, settings: Settings, owners: Owners, work_id: UUID) -> None:
    """Make dead work ready again; for a dead step of a patrol, whose run has failed, start a new run.

    Raises:
        NotFound: These owners have no such work.
        Refused: The work is not dead, or its kind is unknown to this version.
    """
    with store.transaction() as tx:
        found = work.get(tx, owners, work_id)
        unanswered.remove(tx, found.owner_id)
        if WORK.get(found.kind) not in STEPS.values():
            work.replay(tx, found)
            return
        if not work.remove(tx, found):
            raise Refused("Only dead work can be replayed.")
        runs.want(tx, found.owner_id, demanded=True, notes=settings.run_notes)


def remove(store: Store, owners: Owners, work_id: UUID) -> None:
    """Remove dead work, or waiting work of a kind that is unknown to this version.

    Raises:
        NotFound: These owners have no such work.
        Refused: The work is neither.
    """
    with store.transaction() as tx:
        if not work.remove(tx, work.get(tx, owners, work_id)):
            raise Refused("Only dead work can be removed, or waiting work of a kind that is unknown to this version.")
