"""Routes of a user's Beings."""

from http import HTTPStatus

from fastapi import APIRouter

from api.http.auth import ManagedBeing, Manager, ReadBeing, Reader
from api.http.bodies import JsonRoute
from api.http.openapi import problems
from api.http.resources import On
from memory.accounts import beings as accounts
from memory.accounts.access import Forbidden
from schemas.accounts.accounts import Being, BeingChanges, BeingPage, NewBeing
from schemas.accounts.overview import Overview
from store.accounts import beings, overview

router = APIRouter(prefix="/v1/beings", tags=["Beings"], route_class=JsonRoute)


@router.post("", status_code=HTTPStatus.CREATED, responses=problems(409))
def make_being(on: On, caller: Manager, new: NewBeing) -> Being:
    """Create a Being with its two root clusters, Business and Private.

    Scope `manage`. A user may have up to PATROL_MOST_BEINGS Beings.
    """
    if caller.being_id is not None:
        raise Forbidden("This token is bound to one Being and can't create others: use a token for all Beings.")
    with on.store.transaction() as tx:
        return beings.add_being(tx, caller.user_id, new.slug, new.name, most=on.settings.most_beings)


@router.get("")
def list_beings(on: On, caller: Reader) -> BeingPage:
    """List the Beings that your token opens, oldest first.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        found = beings.beings_of(tx, caller.user_id)
    return BeingPage(beings=[being for being in found if caller.being_id in {None, being.being_id}])


@router.get("/{being}")
def show_being(being: ReadBeing) -> Being:
    """Show a Being.

    Scope `read`.
    """
    return being


@router.get("/{being}/overview")
def show_overview(on: On, being: ReadBeing) -> Overview:
    """Count what a Being's memory holds, and what waits.

    Scope `read`.
    """
    with on.store.transaction() as tx:
        return overview.overview(tx, being)


@router.patch("/{being}", responses=problems(409))
def change_being(on: On, being: ManagedBeing, changes: BeingChanges) -> Being:
    """Change a Being's display name, its daily budget, or whether scenes are drawn from its talk; its slug stays.

    Scope `manage`.

    A budget limits the Being's model calls for a day in your time zone; it can't exceed the platform's. When it is
    spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day.
    """
    return accounts.change(on.store, on.settings, being, changes)
