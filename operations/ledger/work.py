"""Work of the ledger: listed, replayed and removed."""

from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field

from memory.accounts import access
from memory.accounts.access import Caller, Operator
from memory.upkeep import dead_letters
from operations.declaration import Command, operation
from operations.parameters import Cursor, Limit
from schemas.ledger.work import Work, WorkPage, WorkState
from schemas.limits import PAGE_NODES
from workers.runtime.resources import Resources


@operation("GET /v1/work", scope="read", commands=[Command("list")])
def list_work(
    on: Resources,
    caller: Caller | Operator,
    *,
    state: Annotated[WorkState, Field(description="Only work in this state.")] = "dead",
    cursor: Cursor = None,
    limit: Limit = PAGE_NODES,
) -> WorkPage:
    """List work of the Beings that the token gives access to, oldest first; by default dead work.

    An operator's token lists all users' work.
    """
    owners = access.visible_owners(on.store, caller)
    return dead_letters.work_page(on.store, owners, state=state, cursor=cursor, limit=limit)


@operation("GET /v1/work/{work_id}", scope="read", commands=[Command("show")])
def show_work(on: Resources, caller: Caller | Operator, work_id: UUID) -> Work:
    """Show a unit of work, with its last error."""
    return dead_letters.show(on.store, access.visible_owners(on.store, caller), work_id)


@operation(
    "POST /v1/work/{work_id}/replay",
    scope="manage",
    status=HTTPStatus.ACCEPTED,
    conflicts=True,
    commands=[Command("replay", done="The work is ready again")],
)
def replay_work(on: Resources, caller: Caller | Operator, work_id: UUID) -> None:
    """Make dead work ready again. A dead step of a patrol is replayed as a new patrol."""
    dead_letters.replay(on.store, on.settings, access.visible_owners(on.store, caller), work_id)


@operation(
    "DELETE /v1/work/{work_id}",
    scope="manage",
    status=HTTPStatus.NO_CONTENT,
    conflicts=True,
    commands=[Command("remove", done="The work was removed from the ledger")],
)
def remove_work(on: Resources, caller: Caller | Operator, work_id: UUID) -> None:
    """Remove dead work, or waiting work of a kind that is unknown to this version."""
    dead_letters.remove(on.store, access.visible_owners(on.store, caller), work_id)
