"""A user's Beings, and their erasure."""

from http import HTTPStatus

from memory.accounts import beings, erasure
from memory.accounts.access import Caller
from memory.upkeep import talk_languages
from operations.declaration import Command, operation
from schemas.accounts.accounts import Being, BeingChanges, BeingPage, NewBeing
from schemas.accounts.overview import Overview
from schemas.accounts.portability import BeingErased
from schemas.errors import Refused
from store.accounts import overview
from store.transaction import Transaction
from workers.runtime.resources import Resources


@operation("POST /v1/beings", scope="manage", for_all_beings=True, status=HTTPStatus.CREATED, conflicts=True)
def create_being(on: Resources, caller: Caller, new: NewBeing) -> Being:
    """Create a Being with its two root clusters, Business and Private.

    A user may have up to PATROL_MOST_BEINGS Beings.
    """
    return beings.make(on.store, on.settings, caller.user_id, new)


@operation("GET /v1/beings", scope="read")
def list_beings(on: Resources, caller: Caller) -> BeingPage:
    """List the Beings that your token opens, oldest first."""
    return BeingPage(beings=beings.opened_by(on.store, caller))


@operation("GET /v1/beings/{being}", scope="read")
def show_being(on: Resources, being: Being) -> Being:  # noqa: ARG001  # every operation takes them
    """Show a Being."""
    return being


@operation("GET /v1/beings/{being}/overview", scope="read", commands=[Command("overview")])
def show_overview(tx: Transaction, being: Being) -> Overview:
    """Count a Being's memories, facts and messages, and its waiting work."""
    unread = talk_languages.unread_language(tx, being.being_id)
    return overview.overview(tx, being).model_copy(update={"unread_language": unread})


@operation("PATCH /v1/beings/{being}", scope="manage", conflicts=True)
def change_being(on: Resources, being: Being, changes: BeingChanges) -> Being:
    """Change a Being's display name, its daily budget, whether scenes are drawn from its talk, or whether it is kept.

    Off the record no word of its talk is kept until further notice, of all or of single conversations. Its slug stays.

    A budget limits the Being's model calls for a day in your time zone; it can't exceed the platform's. When it is
    spent, patrols skip the steps that need a model, intake goes on, and model calls resume on the next day.
    """
    wanted = changes.model_dump(exclude_unset=True)
    for name, words in ("daily_cost", "dollars"), ("daily_tokens", "tokens"):
        most = getattr(on.settings, name)
        if most is not None and (wanted.get(name) or 0) > most:
            raise Refused(f"`{name}` may be at most {most} {words} on this platform.")
    return beings.change(on.store, being, wanted)


@operation("DELETE /v1/beings/{being}", scope="manage")
def erase_being(on: Resources, being: Being) -> BeingErased:
    """Erase a Being and its memory for good. This can't be undone.

    Facts without other evidence than messages to this Being are erased too. Your seeds, your user model and the shared
    vault scope stay.
    """
    with on.store.bulk.unhurried():
        return erasure.erase_being(on.store, being)
