"""Process profiles: the regions of a mental process."""

from http import HTTPStatus

from memory.context import profiles
from operations.declaration import Command, operation
from schemas.accounts.accounts import Being
from schemas.context.context import NewProfile, ProcessName, Profile, ProfilePage
from schemas.errors import NotFound
from store.context import profiles as stored_profiles
from store.transaction import Transaction


@operation("GET /v1/beings/{being}/profiles", scope="read", commands=[Command("list")])
def list_profiles(tx: Transaction, being: Being) -> ProfilePage:
    """List the process profiles: this Being's own, and the defaults of the other processes."""
    own = {profile.process: profile for profile in stored_profiles.listed(tx, being.being_id)}
    return ProfilePage(profiles=list((profiles.DEFAULTS | own).values()))


@operation(
    "PUT /v1/beings/{being}/profiles/{process}",
    scope="manage",
    conflicts=True,
    body="document",
    commands=[Command("set")],
)
def write_profile(tx: Transaction, being: Being, process: ProcessName, new: NewProfile) -> Profile:
    """Set the regions of a mental process, their order, and its instructions.

    A profile without `instructions`, where the tags are explained, or without `default`, with the message, is refused;
    `chatFrontend` needs no `default`.
    """
    return profiles.write(tx, being, process, new)


@operation(
    "DELETE /v1/beings/{being}/profiles/{process}",
    scope="manage",
    removes_answers=True,
    status=HTTPStatus.NO_CONTENT,
    commands=[Command("remove", done="The default profile applies")],
)
def remove_profile(tx: Transaction, being: Being, process: ProcessName) -> None:
    """Remove this Being's own profile of a mental process, so that the default applies."""
    if not stored_profiles.remove(tx, being.being_id, process):
        raise NotFound(f"This Being has no profile of its own for the process {process}: the default applies.")
