"""Work that could not be done: looked at, given another life, or let go."""

from collections.abc import Sequence
from uuid import UUID

from memory.pages import cut, read_moment, write_moment
from schemas.answers import WorkPage
from schemas.settings import Settings
from schemas.work import PATROL_STEPS, Ring, Work
from store import runs, work
from store.database import Store
from store.errors import Refused

Owners = Sequence[UUID] | None
"""Whose work a caller may see: a user's Beings, or None for the operator, who sees all."""


def work_page(store: Store, owners: Owners, *, state: str, cursor: str | None, limit: int) -> WorkPage:
    """Work in a state, oldest first.

    Raises:
        BadQuestion: The cursor is none that was given out.
    """
    after = read_moment(cursor)
    with store.transaction() as tx:
        found = work.listed(tx, owners, state=state, after=after, limit=limit + 1)
    shown, end = cut(found, limit, lambda unit: write_moment(unit.created_at, unit.work_id))
    return WorkPage(work=shown, cursor=end)


def show(store: Store, owners: Owners, work_id: UUID) -> Work:
    """One unit of work.

    Raises:
        NotFound: They have no such work.
    """
    with store.transaction() as tx:
        return work.get(tx, owners, work_id)


def replay(store: Store, settings: Settings, owners: Owners, work_id: UUID) -> list[Ring]:
    """Give dead work another life; a dead step's run has failed, so a new run takes its place.

    Returns:
        What to ring for.

    Raises:
        NotFound: They have no such work.
        Refused: The work is not dead.
    """
    with store.transaction() as tx:
        found = work.get(tx, owners, work_id)
        group, _, step = found.kind.partition(".")
        if group != "patrol" or step not in PATROL_STEPS:
            return work.replay(tx, found)
        _drop(work.drop(tx, found))
        _, rings = runs.want(tx, found.owner_id, demanded=True, notes=settings.run_notes)
        return rings


def drop(store: Store, owners: Owners, work_id: UUID) -> None:
    """Let dead work go.

    Raises:
        NotFound: They have no such work.
        Refused: The work is not dead.
    """
    with store.transaction() as tx:
        _drop(work.drop(tx, work.get(tx, owners, work_id)))


def _drop(dropped: bool) -> None:
    if not dropped:
        raise Refused("Only dead work can be replayed or dropped.")
