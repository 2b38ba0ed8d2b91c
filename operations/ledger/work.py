"""Work of the ledger: listed, replayed and removed."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.accounts.access import Caller, Operator
from memory.text.pages import cut_page, parse_cursor, time_and_id
from operations.declaration import Command, operation
from operations.parameters import Cursor, Limit
from schemas.errors import Refused
from schemas.ledger.kinds import STEPS, WORK
from schemas.ledger.work import Work, WorkPage, WorkState
from schemas.limits import PAGE_NODES
from store.accounts import beings
from store.ledger import work
from store.llm import responses
from store.patrol import runs
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("GET /v1/work", scope="read", commands=[Command("list")])
def list_work(
    tx: Transaction,
    caller: Caller | Operator,
    *,
    state: Annotated[WorkState, Field(description="Only work in this state.")] = "dead",
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> WorkPage:
    """List work of the Beings that the token gives access to, oldest first; by default dead work.

    An operator's token lists all users' work.
    """
    after = parse_cursor(cursor, time_and_id)
    found = work.listed(tx, _owners(tx, caller), state=state, after=after, limit=limit + 1)
    shown, end = cut_page(found, limit, lambda unit: (unit.created_at, unit.work_id))
    return WorkPage(work=shown, cursor=end)


@operation("GET /v1/work/{work_id}", scope="read", commands=[Command("show")])
def show_work(tx: Transaction, caller: Caller | Operator, work_id: UUID) -> Work:
    """Show a unit of work, with its last error."""
    return work.get(tx, _owners(tx, caller), work_id)


@operation(
    "POST /v1/work/{work_id}/replay",
    scope="manage",
    status=HTTPStatus.ACCEPTED,
    conflicts=True,
    commands=[Command("replay", done="The work is ready again")],
)
def replay_work(on: Resources, caller: Caller | Operator, work_id: UUID) -> None:
    """Make dead work ready again. A dead step of a patrol is replayed as a new patrol."""
    with on.store.transaction() as tx:
        found = work.get(tx, _owners(tx, caller), work_id)
        responses.remove_unanswered(tx, found.owner_id)
        if WORK.get(found.kind) not in STEPS.values():
            work.replay(tx, found)
        elif work.remove(tx, found):
            # The run of a dead step has failed.
            runs.want(tx, found.owner_id, demanded=True, notes=on.settings.run_notes)
        else:
            raise Refused("Only dead work can be replayed.")


@operation(
    "DELETE /v1/work/{work_id}",
    scope="manage",
    status=HTTPStatus.NO_CONTENT,
    conflicts=True,
    commands=[Command("remove", done="The work was removed from the ledger")],
)
def remove_work(tx: Transaction, caller: Caller | Operator, work_id: UUID) -> None:
    """Remove dead work, or waiting work of a kind that is unknown to this version."""
    if not work.remove(tx, work.get(tx, _owners(tx, caller), work_id)):
        raise Refused("Only dead work can be removed, or waiting work of a kind that is unknown to this version.")


def _owners(tx: Transaction, caller: Caller | Operator) -> list[UUID] | None:
    """Return the Beings whose work the caller may see: the token's, or all of the user's; None for all of all users."""
    if isinstance(caller, Operator):
        return None
    if caller.being_id is not None:
        return [caller.being_id]
    return [being.being_id for being in beings.beings_of(tx, caller.user_id)]
