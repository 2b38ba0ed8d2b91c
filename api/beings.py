"""A user's Beings."""

from http import HTTPStatus

from fastapi import APIRouter

from api.auth import ManagedBeing, Manager, ReadBeing, Reader
from api.bodies import JsonRoute
from api.openapi import problems
from api.resources import On
from memory import accounts
from memory.access import Forbidden
from schemas.requests import BeingChanges, NewBeing
from schemas.rows import Being
from store import users

router = APIRouter(prefix="/v1/beings", tags=["Beings"], route_class=JsonRoute)


@router.post("", status_code=HTTPStatus.CREATED, responses=problems(409))
def make_being(on: On, caller: Manager, new: NewBeing) -> Being:
    """Make a Being, with the two roots of its memory, Business and Private.

    Scope `manage`.
    """
    if caller.being_id is not None:
        raise Forbidden("This token is for one Being, and makes no others.")
    with on.store.transaction() as tx:
        return users.add_being(tx, caller.user_id, new.slug, new.name)


@router.get("")
def list_beings(on: On, caller: Reader) -> list[Being]:
    """List the Beings that your token opens, oldest first.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        beings = users.beings_of(tx, caller.user_id)
    return [being for being in beings if caller.being_id in {None, being.being_id}]


@router.get("/{being}")
def show_being(being: ReadBeing) -> Being:
    """Show a Being.

    Scope `read`.
    """
    return being


@router.patch("/{being}", responses=problems(409))
def change_being(on: On, being: ManagedBeing, changes: BeingChanges) -> Being:
    """Give a Being another name, or a budget of its own for a day; its slug stays.

    Scope `manage`.

    A budget is what models may use in one day of your time zone; it may be lower than the platform's. When it is spent,
    patrols do what takes no model, nothing that you hand in is dropped, and thinking goes on the next day.
    """
    return accounts.change(on.store, on.settings, being, changes)
